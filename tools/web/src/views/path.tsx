// The guided path: eleven steps, each predicted before it is seen, each ended by a line that the checker judges.
import { useEffect, useMemo, useState } from "preact/hooks";
import { judge } from "../engine/client";
import type { Exercise, Step } from "../engine/types";
import { EXAMPLES, PATH_SET, tokensOf } from "../examples";
import { Answer } from "../parts/answer";
import { Maths } from "../parts/math";
import { Matrix, walk, type CellEvents, type Mark } from "../parts/matrix";
import { Opened } from "../parts/opened";
import { STEPS, type GuidedStep } from "../parts/steps";
import { useExplanation } from "../parts/use_explanation";
import { Waiting } from "../parts/waiting";
import type { ViewProps } from "../state";
import { parsed, short } from "../values";

export function Path({ state, change }: ViewProps) {
  const step = STEPS[state.step - 1] ?? STEPS[0];
  const [lines, setLines] = useState<Exercise[]>([]);
  useEffect(() => {
    judge.ask("exercises", { set: PATH_SET }).then(setLines, () => {});
  }, []);
  if (!step) return null;
  const done = (i: number) => state.walked.includes(lines[i]?.name ?? "");
  const line = lines[state.step - 1];
  return (
    <div class="path-view">
      <nav class="steps" aria-label="steps">
        {STEPS.map((s, i) => (
          <button
            type="button"
            key={s.title}
            title={s.title}
            aria-label={`step ${i + 1}: ${s.title}${done(i) ? ", done" : ""}`}
            aria-current={s === step ? "step" : undefined}
            onClick={() => change({ step: i + 1 })}
          >
            {i + 1}
            {done(i) && " ✓"}
          </button>
        ))}
      </nav>
      <Guided key={state.step} step={step} number={state.step} line={line} state={state} change={change} />
    </div>
  );
}

interface GuidedProps extends ViewProps {
  step: GuidedStep;
  number: number;
  line: Exercise | undefined;
}

/// What was predicted at each step, for who comes back to it.
const predicted = new Map<GuidedStep, number>();

function Guided({ step, number, line, state, change }: GuidedProps) {
  const [chosen, choose] = useState(predicted.get(step));
  const [opened, open] = useState("");
  const text = EXAMPLES.find((e) => e.name === step.example)?.text ?? "";
  const { explanation, steps, error } = useExplanation(text);
  const written = line !== undefined && state.walked.includes(line.name);
  const revealed = chosen !== undefined || written;
  const last = number === STEPS.length;
  const seen = (names: string[]) => names.map((n) => steps.get(n)).filter((s): s is Step => s !== undefined);
  const right = step.choices[step.right];
  const word = chosen === step.right ? "Yes. " : chosen === undefined ? "" : `Not quite; the answer is “${right}”. `;
  const predict = (i: number) => {
    predicted.set(step, i);
    choose(i);
  };
  return (
    <article class="guided">
      <h2>
        {number}. {step.title}
      </h2>
      <p>{step.say}</p>
      <Formulas all={step.maths ?? []} />
      {explanation ? (
        <Shown
          values={seen(revealed ? [...step.given, ...step.shows] : step.given)}
          text={text}
          cells={revealed ? step.cells : []}
          opened={opened}
          open={open}
        />
      ) : (
        <Waiting error={error} />
      )}
      {opened !== "" && (
        <Opened
          text={text}
          cell={opened}
          hidden={!written && parsed(opened).name === line?.asked}
          open={open}
          onBoard={() => change({ view: "board", example: step.example, path: [short(opened)] })}
        />
      )}
      <fieldset class="prediction" disabled={revealed}>
        <legend>{step.ask}</legend>
        {step.choices.map((c, i) => (
          <button
            type="button"
            key={c}
            aria-pressed={chosen === i}
            class={revealed && i === step.right ? "is-right" : ""}
            onClick={() => predict(i)}
          >
            {c}
          </button>
        ))}
      </fieldset>
      <div aria-live="polite">
        {revealed && (
          <p class="reveal">
            <b>{word}</b>
            {step.reveal}
          </p>
        )}
      </div>
      {revealed && line && (
        <Answer
          exercise={line}
          set={PATH_SET}
          ownHints
          right={() => !state.walked.includes(line.name) && change({ walked: [...state.walked, line.name] })}
          {...(last ? {} : { next: () => change({ step: number + 1 }), nextName: written ? "next step" : "on to the next step" })}
        />
      )}
      {written && (
        <section class="because" aria-label="why">
          <p>
            <b>Why?</b> {step.because}
          </p>
          <Formulas all={step.derived} />
          {last && <Ending change={change} />}
        </section>
      )}
    </article>
  );
}

const Formulas = ({ all }: { all: string[] }) => (
  <div class="formulas">
    {all.map((latex) => (
      <Maths key={latex} latex={latex} text={latex} />
    ))}
  </div>
);

function Ending({ change }: Pick<ViewProps, "change">) {
  return (
    <>
      <p>
        That was the whole way back, from the loss to the inputs: dO, dV and dA, dS, dK and dQ, dX. The board shows all of it at
        once, every number with its sum. Can you write the seven lines on paper now, without looking? And say why each row of dS
        sums to 0, what comes back through a row of A with a single 1, and why scores are divided by √d_k?
      </p>
      <div class="controls">
        <button type="button" onClick={() => change({ view: "board", example: "cat_sat", path: [] })}>
          all of it on the board
        </button>
        <button type="button" onClick={() => change({ view: "lens" })}>
          more about the softmax
        </button>
        <button type="button" onClick={() => change({ view: "lab" })}>
          find a planted mistake
        </button>
        <button type="button" onClick={() => change({ view: "exercises", exercise: "causal" })}>
          exercises
        </button>
      </div>
    </>
  );
}

interface ShownProps {
  values: Step[];
  text: string;
  cells: string[]; // that are outlined
  opened: string;
  open: (cell: string) => void;
}

function Shown({ values, text, cells, opened, open }: ShownProps) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  const marks = useMemo(() => {
    const all = cells.map((c): [string, Mark] => [c, "factor"]);
    return new Map<string, Mark>(opened ? [...all, [opened, "pinned"]] : all);
  }, [cells.join(), opened]);
  const events: CellEvents = useMemo(() => ({ pick: open }), []);
  const first = values[0];
  return (
    <div class="cells shown" onKeyDown={walk}>
      {values.map((s) => (
        <Matrix
          key={s.name}
          step={s}
          title={<b>{short(s.name)}</b>}
          current={first ? `${first.name}[0,0]` : ""}
          {...{ tokens, marks, events }}
        />
      ))}
    </div>
  );
}
