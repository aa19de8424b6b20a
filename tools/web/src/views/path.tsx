// The guided path: eleven steps, each predicted before it is seen, each ended by a line that the checker judges.
import { useEffect, useMemo, useState } from "preact/hooks";
import { judge } from "../engine/client";
import type { Exercise, Step } from "../engine/types";
import { EXAMPLES, PATH_SET, tokensOf } from "../examples";
import { Answer } from "../parts/answer";
import { Matrix, walk, type CellEvents, type Mark } from "../parts/matrix";
import { STEPS, type GuidedStep } from "../parts/steps";
import { useExplanation } from "../parts/use_explanation";
import { Waiting } from "../parts/waiting";
import type { ViewProps } from "../state";
import { short } from "../values";

export function Path({ state, change }: ViewProps) {
  const step = STEPS[state.step - 1] ?? STEPS[0];
  const [lines, setLines] = useState<Exercise[]>([]);
  useEffect(() => {
    judge.ask("exercises", { set: PATH_SET }).then(setLines, () => {});
  }, []);
  if (!step) return null;
  const line = lines[state.step - 1];
  return (
    <div class="path-view">
      <nav class="steps" aria-label="steps">
        {STEPS.map((s, i) => (
          <button
            type="button"
            key={s.title}
            title={s.title}
            aria-label={`step ${i + 1}: ${s.title}${state.walked.includes(lines[i]?.name ?? "") ? ", done" : ""}`}
            aria-current={s === step ? "step" : undefined}
            onClick={() => change({ step: i + 1 })}
          >
            {state.walked.includes(lines[i]?.name ?? "") ? "✓" : i + 1}
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

function Guided({ step, number, line, state, change }: GuidedProps) {
  const [chosen, choose] = useState<number>();
  const text = EXAMPLES.find((e) => e.name === step.example)?.text ?? "";
  const { explanation, steps, error } = useExplanation(text);
  const revealed = chosen !== undefined;
  const last = number === STEPS.length;
  const seen = (names: string[]) => names.map((n) => steps.get(n)).filter((s): s is Step => s !== undefined);
  const word = chosen === step.right ? "Yes. " : `Not so: ${step.choices[step.right]}. `;
  return (
    <article class="guided">
      <h2>
        {number}. {step.title}
      </h2>
      <p>{step.say}</p>
      {explanation ? (
        <Shown
          values={seen(revealed ? [...step.given, ...step.shows] : step.given)}
          text={text}
          cells={revealed ? step.cells : []}
          look={(cell) => change({ view: "board", example: step.example, path: [short(cell)] })}
        />
      ) : (
        <Waiting error={error} />
      )}
      <fieldset class="prediction" disabled={revealed}>
        <legend>{step.ask}</legend>
        {step.choices.map((c, i) => (
          <button
            type="button"
            key={c}
            aria-pressed={chosen === i}
            class={revealed && i === step.right ? "is-right" : ""}
            onClick={() => choose(i)}
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
          right={() => !state.walked.includes(line.name) && change({ walked: [...state.walked, line.name] })}
          {...(last ? {} : { next: () => change({ step: number + 1 }), nextName: "next step" })}
        />
      )}
    </article>
  );
}

function Shown({ values, text, cells, look }: { values: Step[]; text: string; cells: string[]; look: (cell: string) => void }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  const marks = useMemo(() => new Map<string, Mark>(cells.map((c) => [c, "factor"])), [cells.join()]);
  const events: CellEvents = useMemo(() => ({ pick: look }), []);
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
