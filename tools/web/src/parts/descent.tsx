// Training with a slip: the loss when X is moved by the gradient that the lines claim, beside that with the right lines.
import { useState } from "preact/hooks";
import { judge } from "../engine/client";
import type { Num, Point } from "../engine/types";
import { shown } from "../values";
import { Plot } from "./plot";
import { useAsked } from "./use_asked";
import { Waiting } from "./waiting";

const STEPS = 60;
const RATE = 0.1;

interface Ran {
  slip: string;
  honest: Num[];
  planted: Num[];
}

const points = (losses: Num[]): Point[] => losses.map((l, i) => [i, l]);

/// In words how it ended: a number that is none ran away.
function ending(honest: Num[], planted: Num[]): string {
  const [first, last, good] = [planted[0], planted.at(-1), honest.at(-1)];
  if (typeof first !== "number" || typeof last !== "number" || last >= first) return "It does not fall: training tells at once.";
  if (typeof good === "number" && last > 10 * good)
    return `It falls, and ends at ${shown(last)}. Without the other curve beside it, the slip does not show.`;
  return "It falls all the same. A loss that falls does not tell that the gradient is right; a check does.";
}

export function Descent({ slip, text, right }: { slip: string; text: string; right: string }) {
  const [ran, set] = useState<Ran | string>();
  useAsked(
    () => {
      const asked = (t: string) =>
        judge.ask("descent", { text: t, moves: "X", rate: RATE, steps: STEPS }, `descent ${t === right}`);
      const honest = asked(right);
      return Promise.all([honest, text === right ? honest : asked(text)]);
    },
    [slip, text],
    ([honest, planted]) => set({ slip, honest: honest.losses, planted: planted.losses }),
    set,
  );
  if (typeof ran !== "object") return <Waiting error={ran} />;
  const [honest, planted] = [ran.honest.at(-1) ?? 0, ran.planted.at(-1) ?? 0];
  return (
    <div class="descent" data-slip={ran.slip}>
      <p>
        {STEPS} steps: X, the vectors of the three words, is moved by −{RATE} times the ∂L/∂X of the last line, each line computed
        from those above it.
      </p>
      <Plot
        label={`the loss over ${STEPS} steps: ${shown(honest)} at the end with the right lines, ${shown(planted)} with the slip`}
        across="step"
        up="L"
        curves={[
          { points: points(ran.honest), kind: "tangent" },
          { points: points(ran.planted), kind: "secant" },
        ]}
      />
      <dl class="compared">
        <dt class="tangent">the right lines</dt>
        <dd data-exact={String(honest)}>{shown(honest)}</dd>
        <dt class="secant">with the slip</dt>
        <dd data-exact={String(planted)}>{shown(planted)}</dd>
      </dl>
      <p aria-live="polite" class="ending">
        {ran.slip === "" ? "Nothing is planted: both are the same." : ending(ran.honest, ran.planted)}
      </p>
    </div>
  );
}
