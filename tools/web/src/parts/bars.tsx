// Signed bars: to the right what adds, to the left, hatched, what takes away.
import { scaleLinear } from "d3-scale";
import type { Num } from "../engine/types";

export function Bar({ value, most }: { value: Num; most: number }) {
  if (typeof value !== "number" || most === 0) return <span class="bar" />;
  const at = scaleLinear([-most, most], [0, 100]);
  const [from, to] = [at(Math.min(0, value)), at(Math.max(0, value))];
  return (
    <span class="bar" aria-hidden="true">
      <span class={value < 0 ? "minus" : "plus"} style={`left:${from}%;width:${to - from}%`} />
      <span class="zero" />
    </span>
  );
}
