// An exercise and its answer, judged as it is typed: first a question, then numbers, then the repair, each when asked.
import { useState } from "preact/hooks";
import { judge } from "../engine/client";
import type { Exercise, Judged } from "../engine/types";
import { Maths } from "./math";
import { useAsked } from "./use_asked";

interface Props {
  exercise: Exercise;
  set?: string; // the text that it stands in, where it is not one of the library
  sheet?: boolean; // of a teacher, who does not want the solution told
  right: () => void;
  next?: () => void;
  nextName?: string;
}

export function Answer({ exercise, set, sheet = false, right, next, nextName = "next exercise" }: Props) {
  const [answer, setAnswer] = useState("");
  const [judged, setJudged] = useState<Judged | string>();
  const [wants, want] = useState({ why: false, repair: false });
  const [hints, setHints] = useState<string[]>([]);
  const [shownHints, showHints] = useState(0);
  const of = set === undefined ? { exercise: exercise.name } : { exercise: exercise.name, set };

  const blank = answer.trim() === "";
  useAsked(
    () => (blank ? undefined : judge.ask("judge", { ...of, answer, ...wants }, "judge")),
    [answer, wants],
    (j) => {
      setJudged(j);
      if (j.right > 0 && j.wrong + j.not_read + j.cannot_tell === 0) right();
    },
    (why) => setJudged(why.replace(/^exercise: /, "")),
    200,
  );

  const hint = () => {
    showHints((n) => n + 1);
    if (hints.length === 0) judge.ask("hints", { ...of, own: sheet }).then(setHints, () => {});
  };
  const type = (text: string) => {
    setAnswer(text);
    want({ why: false, repair: false });
    if (text.trim() === "") setJudged(undefined);
  };
  return (
    <article class="exercise">
      <h2>{exercise.title}</h2>
      <p>{exercise.statement}</p>
      <pre class="forward">{exercise.forward}</pre>
      {!exercise.numeric && (
        <p class="hint">
          You may use {[...exercise.names, ...exercise.gradients].join(", ")}. NumPy, LaTeX and index forms are read as well
          {sheet ? (
            "."
          ) : (
            <>
              : <code>A.T @ dO</code>, <code>A^\top dO</code>, <code>Σ_i A[i,j] dO[i,c]</code>.
            </>
          )}
        </p>
      )}
      <label class="answer">
        <span>{exercise.asked} =</span>
        <input
          type="text"
          value={answer}
          maxLength={4000}
          autocomplete="off"
          spellcheck={false}
          placeholder={exercise.numeric ? "numbers" : "a formula"}
          onInput={(e) => type(e.currentTarget.value)}
        />
      </label>
      <div class="verdict" aria-live="polite">
        <Heard judged={blank ? undefined : judged} wants={wants} want={want} repairs={!sheet} />
      </div>
      <div class="hints">
        <button type="button" onClick={hint} disabled={hints.length > 0 && shownHints >= hints.length}>
          {shownHints === 0 ? "a hint" : "a further hint"}
        </button>
        {next && (
          <button type="button" onClick={next}>
            {nextName}
          </button>
        )}
        <ol>
          {hints.slice(0, shownHints).map((h) => (
            <li key={h}>{h}</li>
          ))}
        </ol>
      </div>
    </article>
  );
}

type Wants = { why: boolean; repair: boolean };

function Heard({
  judged,
  wants,
  want,
  repairs,
}: {
  judged: Judged | string | undefined;
  wants: Wants;
  want: (w: Wants) => void;
  repairs: boolean;
}) {
  if (judged === undefined) return null;
  if (typeof judged === "string") return <p class="not-read">Not read yet: {judged.split("\n")[0]}</p>;
  const line = judged.lines[0];
  const read = (
    <p class="read-as">
      read as <Maths latex={judged.latex} text={judged.read_as} />
    </p>
  );
  if (line?.verdict === "right")
    return (
      <>
        <p class="right">
          ✓ right{line.proved ? ", proved" : ""}
          {line.read_as ? `; ${line.read_as}` : ""}
        </p>
        {read}
      </>
    );
  if (!judged.question)
    return (
      <>
        <p class="not-read">
          {line?.verdict}: {line?.reason}
        </p>
        {read}
      </>
    );
  return (
    <>
      <p class="wrong">✗ not yet. {judged.question.text}</p>
      {read}
      {judged.why && <pre class="why">{judged.why}</pre>}
      {judged.repair !== undefined && <p class="repair">{judged.repair || "No small change makes it right: take the hints."}</p>}
      <div class="controls">
        {!wants.why && (
          <button type="button" onClick={() => want({ ...wants, why: true })}>
            show me in numbers
          </button>
        )}
        {repairs && !wants.repair && (
          <button type="button" onClick={() => want({ ...wants, repair: true })}>
            what would make it right?
          </button>
        )}
      </div>
    </>
  );
}
