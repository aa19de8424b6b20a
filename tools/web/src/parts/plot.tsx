// A small plot: lines over two axes with ticks, scales and paths by d3.
import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from "d3-scale";
import { line } from "d3-shape";
import type { Point } from "../engine/types";
import { shown } from "../values";

interface Curve {
  points: Point[];
  kind: string; // a class: loss, tangent, secant, first
  dots?: boolean;
}

interface Props {
  curves: Curve[];
  label: string; // for who does not see it
  across: string;
  up: string;
  log?: boolean; // both axes
  logX?: boolean; // powers of 2 across
  whole?: boolean; // every curve is seen as a whole
  mark?: number; // a place on the x axis
  drag?: (x: number) => void;
}

const W = 420;
const H = 254;
const M = { left: 58, right: 12, top: 24, bottom: 38 };
type Scale = ScaleContinuousNumeric<number, number>;

const finite = (p: Point): p is [number, number] => typeof p[0] === "number" && typeof p[1] === "number";

function scaleOf(values: number[], range: [number, number], log: boolean): Scale {
  const used = log ? values.filter((v) => v > 0) : values;
  let [low, high] = [Math.min(...used), Math.max(...used)];
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = log ? [1e-12, 1] : [0, 1];
  if (low === high) [low, high] = log ? [low / 10, high * 10] : [low - 1, high + 1];
  return log ? scaleLog([low, high], range) : scaleLinear([low, high], range).nice();
}

export function Plot({ curves, label, across, up, log = false, logX = false, whole = false, mark, drag }: Props) {
  const points = curves.flatMap((c) => c.points).filter(finite);
  // What runs far beyond the first curve is cut, not squeezed in, unless all are to be seen.
  const upright = (curves[0]?.points ?? []).filter(finite).map((p) => p[1]);
  const x = scaleOf(
    points.map((p) => p[0]),
    [M.left, W - M.right],
    log || logX,
  );
  const y = scaleOf(log || whole ? points.map((p) => p[1]) : upright, [H - M.bottom, M.top], log);
  const path = line<[number, number]>()
    .defined(([a, b]) => !log || (a > 0 && b > 0))
    .x(([a]) => x(a))
    .y(([, b]) => y(b));
  const ticks = (s: Scale, n: number) => (log ? s.ticks(n).filter((t) => Number.isInteger(Math.log10(t))) : s.ticks(n));
  const across2 = points.map((p) => p[0]);
  const every = <T,>(all: T[], most: number) => all.filter((_, i) => i % Math.ceil(all.length / most) === 0);
  const name = (t: number) => (log && (t < 1 || t > 1e5) ? `1e${Math.round(Math.log10(t))}`.replace("-", "−") : shown(t));
  const moved = (e: PointerEvent) => {
    if (!drag || e.buttons === 0) return;
    const box = (e.currentTarget as SVGElement).getBoundingClientRect();
    drag(x.invert(((e.clientX - box.left) / box.width) * W));
  };
  return (
    <svg
      class={`plot ${drag ? "draggable" : ""}`}
      viewBox={`0 0 ${W} ${H}`}
      role="img"
      aria-label={label}
      onPointerDown={moved}
      onPointerMove={moved}
    >
      <clipPath id="inside">
        <rect x={M.left} y={M.top - 4} width={W - M.left - M.right} height={H - M.top - M.bottom + 8} />
      </clipPath>
      {every(logX ? [...new Set(across2)] : ticks(x, 5), logX ? 9 : 6).map((t) => (
        <g key={t} class="tick">
          <line x1={x(t)} x2={x(t)} y1={M.top} y2={H - M.bottom} />
          <text x={x(t)} y={H - M.bottom + 17} text-anchor="middle">
            {logX && t < 1 ? `1/${1 / t}` : name(t)}
          </text>
        </g>
      ))}
      {every(ticks(y, 4), 6).map((t) => (
        <g key={t} class="tick">
          <line x1={M.left} x2={W - M.right} y1={y(t)} y2={y(t)} />
          <text x={M.left - 6} y={y(t) + 4} text-anchor="end">
            {name(t)}
          </text>
        </g>
      ))}
      {mark !== undefined && <line class="mark" x1={x(mark)} x2={x(mark)} y1={M.top} y2={H - M.bottom} />}
      <g clip-path="url(#inside)">
        {curves.map((c) => (
          <path key={c.kind} class={`curve ${c.kind}`} d={path(c.points.filter(finite)) ?? ""} />
        ))}
        {curves.flatMap((c) =>
          c.dots
            ? c.points
                .filter(finite)
                .filter(([a, b]) => !log || (a > 0 && b > 0))
                .map(([a, b], i) => (
                  <circle key={`${c.kind}${i}`} class={`dot ${c.kind}`} cx={x(a)} cy={y(b)} r={log ? 3 : 4.5} />
                ))
            : [],
        )}
      </g>
      <text class="axis" x={W - M.right} y={H - 4} text-anchor="end">
        {across}
      </text>
      <text class="axis" x={4} y={14}>
        {up}
      </text>
    </svg>
  );
}
