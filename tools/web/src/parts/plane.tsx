// Vectors of two components as arrows from one point, each with its name; those of one kind look alike.
import { scaleLinear } from "d3-scale";
import type { Num } from "../engine/types";
import { shown } from "../values";

export interface Arrow {
  name: string;
  to: Num[];
  kind: "asks" | "answers";
  weight?: Num; // how thick it is drawn, of 1
}

const SIZE = 290;
const EDGE = 44;
type Whole = Arrow & { to: [number, number] };
const isWhole = (a: Arrow): a is Whole => a.to.length === 2 && a.to.every((x) => typeof x === "number");

/// Two scales of one unit, which show the origin and all ends.
function scales(arrows: Whole[]) {
  const along = (axis: 0 | 1) => [0, ...arrows.map((a) => a.to[axis])];
  const middle = (all: number[]) => (Math.min(...all) + Math.max(...all)) / 2;
  const span = (all: number[]) => Math.max(...all) - Math.min(...all);
  const half = Math.max(1e-9, span(along(0)), span(along(1))) / 2;
  const domain = (axis: 0 | 1) => [middle(along(axis)) - half, middle(along(axis)) + half];
  return { x: scaleLinear(domain(0), [EDGE, SIZE - EDGE]), y: scaleLinear(domain(1), [SIZE - EDGE, EDGE]) };
}

interface Name {
  name: string;
  x: number;
  y: number;
}

/// Where the names stand: one for all arrows that end in the same place, and none upon another.
function placed(arrows: Whole[], { x, y }: ReturnType<typeof scales>): Name[] {
  const ends: { name: string; to: [number, number]; below: boolean }[] = [];
  for (const { name, to, kind } of arrows) {
    const there = ends.find((e) => Math.hypot(e.to[0] - to[0], e.to[1] - to[1]) < 1e-9);
    if (there) there.name += `, ${name}`;
    else ends.push({ name, to, below: kind === "asks" || to[1] < 0 });
  }
  const out: Name[] = [];
  for (const { name, to, below } of ends) {
    const at = { name, x: x(to[0]), y: y(to[1]) + (below ? 17 : -8) };
    const hides = (o: Name) => Math.abs(o.x - at.x) < 4 * (o.name.length + name.length) && Math.abs(o.y - at.y) < 14;
    while (out.some(hides)) at.y += below ? 3 : -3;
    out.push(at);
  }
  return out;
}

export function Plane({ title, arrows }: { title: string; arrows: Arrow[] }) {
  const all = arrows.filter(isWhole);
  const { x, y } = scales(all);
  const told = all.map((a) => `${a.name} (${a.to.map((t) => shown(t)).join(", ")})`).join("; ");
  return (
    <figure class="plane">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={`${title}: ${told}`}>
        <defs>
          {["asks", "answers"].map((kind) => (
            <marker
              key={kind}
              id={`head-${kind}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="9"
              markerHeight="9"
              markerUnits="userSpaceOnUse"
              orient="auto"
            >
              <path class={`tip ${kind}`} d="M0 0 L8 4 L0 8 z" />
            </marker>
          ))}
        </defs>
        <g class="tick">
          <line x1={x(0)} x2={x(0)} y1={8} y2={SIZE - 8} />
          <line y1={y(0)} y2={y(0)} x1={8} x2={SIZE - 8} />
        </g>
        {all.map((a) => (
          <line
            key={a.name}
            class={`arrow ${a.kind}`}
            data-arrow={a.name}
            x1={x(0)}
            y1={y(0)}
            x2={x(a.to[0])}
            y2={y(a.to[1])}
            style={`stroke-width:${1 + 4 * (typeof a.weight === "number" ? a.weight : 0.25)}`}
            marker-end={`url(#head-${a.kind})`}
          />
        ))}
        {placed(all, { x, y }).map(({ name, ...at }) => (
          <text key={name} {...at} text-anchor="middle">
            {name}
          </text>
        ))}
      </svg>
    </figure>
  );
}
