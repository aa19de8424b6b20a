// The two lanes: above the values in their columns, below each its gradient, each with its formula.
import type { Explanation, Step } from "../engine/types";
import { largest, ofGradient, short } from "../values";
import type { Column } from "./columns";
import { Maths, useLatex } from "./math";
import { Matrix, type CellEvents, type Mark } from "./matrix";

interface Props {
  columns: Column[];
  explanation: Explanation;
  text: string;
  shared: { tokens: string[]; marks: Map<string, Mark>; current: string; events: CellEvents };
}

const formula = (s: Step) => s.formula ?? (s.claim?.agrees ? s.claim.formula : (s.derived ?? ""));

export function Lanes({ columns, explanation, text, shared }: Props) {
  const latex = useLatex(text, [...explanation.forward, ...explanation.backward].map(formula));
  const gradients = new Map(explanation.backward.map((s) => [ofGradient(s.name), s]));
  const below = (c: Column) => c.values.map((s) => gradients.get(s.name)).filter((g) => g !== undefined);
  const most = Math.max(0, ...explanation.backward.map((s) => largest(s.value)));
  const matrix = (s: Step) => (
    <Matrix key={s.name} step={s} beside={most} title={<Caption step={s} latex={latex.get(formula(s))} />} {...shared} />
  );
  return (
    <>
      {columns.map((c) => (
        <section class="column" key={c.title} aria-label={c.title}>
          <div class="lane">{c.values.map(matrix)}</div>
          <div class="lane below">{below(c).map(matrix)}</div>
        </section>
      ))}
    </>
  );
}

function Caption({ step, latex }: { step: Step; latex: string | undefined }) {
  return (
    <>
      <b>{short(step.entry ?? step.name)}</b>
      {formula(step) && " = "}
      {formula(step) && <Maths latex={latex} text={formula(step)} />}
      {step.claim && !step.claim.agrees && <em class="warning"> line {step.claim.line} says otherwise</em>}
    </>
  );
}
