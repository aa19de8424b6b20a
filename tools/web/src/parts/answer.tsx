// An exercise and its answer, judged as it is typed: first a question, then numbers, then the repair, each when asked.
import { useEffect, useRef, useState } from "preact/hooks";
import { judge } from "../engine/client";
import type { Exercise, Judged } from "../engine/types";
import { Maths } from "./math";
import { useAsked } from "./use_asked";

interface Props {
  exercise: Exercise;
  set?: string; // the text that it stands in, where it is not one of the library
  sheet?: boolean; // of a teacher, who does not want the solution told
  ownHints?: boolean; // those that the text has, and none of the program
  right: () => void;
  next?: () => void;
  nextName?: string;
}

/// What was typed for each exercise, for who comes back to it.
const typed = new Map<string, string>();

/// The statements of an exercise without what is said elsewhere: comments, its title, the names of sizes.
const stated = (forward: string) => forward.replace(/^(#.*|title .*|dims[ \t\w]*(#.*)?|\s*)\n/gm, "");

export function Answer({ exercise, set, sheet = false, ownHints = sheet, right, next, nextName = "next exercise" }: Props) {
  const key = `${set ?? ""}/${exercise.name}`;
  const [answer, setAnswer] = useState(typed.get(key) ?? "");
  const line = useRef<HTMLInputElement>(null);
  const verdict = useRef<HTMLDivElement>(null);
  const told = useRef<HTMLOListElement>(null);
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
      if (isRight(j)) right();
    },
    (why) => setJudged(why.replace(/^exercise: /, "")),
    200,
  );

  useEffect(() => {
    if (document.activeElement === line.current) verdict.current?.scrollIntoView({ block: "nearest" });
  }, [judged]);
  useEffect(() => {
    if (shownHints > 0) told.current?.scrollIntoView({ block: "nearest" });
  }, [shownHints, hints]);

  const hint = () => {
    showHints((n) => n + 1);
    if (hints.length === 0) judge.ask("hints", { ...of, own: ownHints }).then(setHints, () => {});
  };
  const type = (text: string) => {
    typed.set(key, text);
    setAnswer(text);
    want({ why: false, repair: false });
    if (text.trim() === "") setJudged(undefined);
  };
  return (
    <article class="exercise">
      <h2>{exercise.title}</h2>
      <p>{exercise.statement}</p>
      <pre class="forward">{stated(exercise.forward)}</pre>
      {!exercise.numeric && <HowToWrite names={[...exercise.names, ...exercise.gradients]} />}
      <label class="answer">
        <span>{exercise.asked} =</span>
        <input
          type="text"
          ref={line}
          value={answer}
          maxLength={4000}
          autocomplete="off"
          spellcheck={false}
          placeholder={`${exercise.numeric ? "numbers" : "a formula"}, judged as you type`}
          onInput={(e) => type(e.currentTarget.value)}
        />
      </label>
      <div class="verdict" aria-live="polite" ref={verdict}>
        <Heard judged={blank ? undefined : judged} wants={wants} want={want} repairs={!sheet} />
      </div>
      <div class="hints">
        {!isRight(judged) && (
          <button type="button" onClick={hint} disabled={hints.length > 0 && shownHints >= hints.length}>
            {shownHints === 0 ? "a hint" : "a further hint"}
          </button>
        )}
        {next && (
          <button type="button" onClick={next}>
            {nextName}
          </button>
        )}
        <ol ref={told}>
          {hints.slice(0, shownHints).map((h) => (
            <li key={h}>{h}</li>
          ))}
        </ol>
      </div>
    </article>
  );
}

const isRight = (j: Judged | string | undefined) =>
  typeof j === "object" && j.right > 0 && j.wrong + j.not_read + j.cannot_tell === 0;

function HowToWrite({ names }: { names: string[] }) {
  return (
    <p class="hint">
      You may use {names.join(", ")}; dX is short for ∂L/∂X. A matrix product is <code>X Y</code> or <code>X @ Y</code>, entry by
      entry <code>X ⊙ Y</code> or <code>X * Y</code>, the transpose <code>X^T</code> or <code>X.T</code>, the sum of each row{" "}
      <code>rowsum(X)</code>; single entries <code>X[i,k]</code>, <code>sum_k</code>, <code>delta[j,k]</code>. Entries are counted
      from 0. LaTeX is read as well. Your line is tried on matrices of several sizes that the checker draws.
    </p>
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
      {judged.why && (
        <>
          <p class="hint">Other matrices, which the checker drew, and an entry where your line is off:</p>
          <pre class="why">{judged.why}</pre>
        </>
      )}
      {judged.repair !== undefined && (
        <p class="repair">{judged.repair || "No single small change makes it right: take the hints."}</p>
      )}
      <div class="controls">
        {!wants.why && (
          <button type="button" onClick={() => want({ ...wants, why: true })}>
            show me in numbers
          </button>
        )}
        {repairs && wants.why && !wants.repair && (
          <button type="button" onClick={() => want({ ...wants, repair: true })}>
            what would make it right?
          </button>
        )}
      </div>
    </>
  );
}
