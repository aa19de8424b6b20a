// One entry moved by hand: the loss along it, the tangent that the gradient gives, the secant of two differences.
import { useMemo, useState } from "preact/hooks";
import { board } from "../engine/client";
import type { Nudge, Num } from "../engine/types";
import { textOf, tokensOf } from "../examples";
import { Matrix, walk, type CellEvents, type Mark } from "../parts/matrix";
import { Plot } from "../parts/plot";
import { useAsked } from "../parts/use_asked";
import { useExplanation } from "../parts/use_explanation";
import { Waiting } from "../parts/waiting";
import type { ViewProps } from "../state";
import { entryName, ofGradient, parsed, precise, shown } from "../values";

const EXPONENTS = [-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12];
const STEPS = EXPONENTS.map((e) => 10 ** e);
const REACH = 2;

export function NudgeView({ state, change }: ViewProps) {
  const text = textOf(state);
  const tokens = useMemo(() => tokensOf(text), [text]);
  const { explanation, error } = useExplanation(text);
  const moving = new Set((explanation?.backward ?? []).map((s) => ofGradient(s.name)));
  const inputs = (explanation?.given ?? []).filter((s) => moving.has(s.name));
  const first = inputs.find((s) => s.name === "K") ?? inputs[0];
  const index = (first?.shape ?? []).map((n, axis) => Math.min(n - 1, [2, 1][axis] ?? 0));
  const start = first ? entryName(first.name, index) : "";
  const entry = inputs.some((s) => s.name === parsed(state.entry).name) ? state.entry : start;
  const [found, set] = useState<Nudge | string>();

  const at = state.at === null ? {} : { at: state.at };
  useAsked(
    () => (entry ? board.ask("nudge", { text, entry, reach: REACH, steps: STEPS, ...at }, "nudge") : undefined),
    [text, entry, state.at],
    set,
    set,
  );

  const marks = useMemo(() => new Map<string, Mark>([[entry, "pinned"]]), [entry]);
  const events: CellEvents = useMemo(() => ({ pick: (cell) => change({ entry: cell, at: null }) }), []);
  if (typeof found === "string") return <Waiting error={error ?? found} />;
  if (!explanation) return <Waiting error={error} />;
  return (
    <div class="nudge-view">
      <section class="cells" aria-label="inputs" onKeyDown={walk}>
        <h2>Which entry moves?</h2>
        {inputs.map((s) => (
          <Matrix key={s.name} step={s} current={entry} {...{ tokens, marks, events }} />
        ))}
      </section>
      {found && <Along found={found} state={state} change={change} />}
    </div>
  );
}

function Along({ found, state, change }: ViewProps & { found: Nudge }) {
  const at = state.at ?? found.at;
  const step = found.steps[EXPONENTS.indexOf(state.h)] ?? found.steps[0];
  const move = (x: number) => Number.isFinite(x) && Math.abs(x) < 1e6 && change({ entry: found.entry, at: Number(x.toFixed(3)) });
  if (!step) return null;
  return (
    <section class="along" aria-label={`the loss along ${found.entry}`}>
      <h2>
        The loss when {found.entry} moves, {shown(found.before)} in the example
      </h2>
      <div class="controls">
        <label>
          {found.entry} =
          <input
            type="number"
            step="0.1"
            value={at}
            onInput={(e) => e.currentTarget.value !== "" && move(Number(e.currentTarget.value))}
          />
        </label>
        <input
          type="range"
          aria-label={`move ${found.entry}`}
          min={found.before - 3}
          max={found.before + 3}
          step="0.05"
          value={at}
          onInput={(e) => move(Number(e.currentTarget.value))}
        />
        <button type="button" onClick={() => change({ at: null })} disabled={state.at === null}>
          as it was
        </button>
      </div>
      <div class="plots">
        <Plot
          label={`the loss along ${found.entry}: its slope at ${shown(found.at)} is ${shown(found.gradient)}`}
          across={found.entry}
          up="L"
          mark={found.at}
          drag={move}
          curves={[
            { points: found.curve, kind: "loss" },
            { points: found.tangent, kind: "tangent" },
            { points: step.secant, kind: "secant", dots: true },
          ]}
        />
        <Plot
          label="how far the difference is from the gradient, for each step"
          across="step h"
          up="|difference − gradient|"
          log
          mark={step.h}
          curves={[{ points: found.steps.map((s) => [s.h, s.error]), kind: "first", dots: true }]}
        />
      </div>
      <dl class="compared">
        <Row name="gradient, the slope of the tangent" kind="tangent" value={found.gradient} />
        <Row name={`(L(x+h) − L(x−h)) / 2h, the slope of the secant, h = 1e${state.h}`} kind="secant" value={step.slope} />
        <Row name="they differ by" kind="" value={step.error} />
        <Row name="L here" kind="loss" value={found.loss} />
      </dl>
      <label class="wide">
        step h = 1e{state.h}
        <input
          type="range"
          min={-12}
          max={-1}
          step={1}
          value={state.h}
          onInput={(e) => change({ h: Number(e.currentTarget.value) })}
        />
      </label>
      <p class="hint">
        A large step sees the bend of the curve, a tiny one only the rounding of L: between them the two slopes agree best. The
        gradient is not measured at all, it is computed backwards from L.
      </p>
    </section>
  );
}

function Row({ name, kind, value }: { name: string; kind: string; value: Num }) {
  return (
    <>
      <dt class={kind}>{name}</dt>
      <dd data-exact={String(value)}>{precise(value)}</dd>
    </>
  );
}
