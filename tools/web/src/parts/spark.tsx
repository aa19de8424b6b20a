// A curve as small as a word: how a number went, and where it is now.
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import type { Num } from "../engine/types";

const W = 120;
const H = 22;

export function Spark({ values, at, across }: { values: Num[]; at: number; across: number }) {
  const points = values.map((v, i): [number, number] => [i, typeof v === "number" ? v : 0]);
  const x = scaleLinear([0, Math.max(across - 1, 1)], [3, W - 3]);
  const y = scaleLinear([0, Math.max(...points.map((p) => p[1]), 1e-12)], [H - 3, 3]);
  const path = line<[number, number]>()
    .x((p) => x(p[0]))
    .y((p) => y(p[1]));
  const here = points[at];
  return (
    <svg class="spark" viewBox={`0 0 ${W} ${H}`} aria-hidden="true">
      <path class="curve" d={path(points) ?? ""} />
      {here && <circle class="dot" cx={x(here[0])} cy={y(here[1])} r={3} />}
    </svg>
  );
}
