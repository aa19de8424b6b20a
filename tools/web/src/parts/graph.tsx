// Words as nodes on a circle, with an arrow from each that sends to each that hears it, as wide as its weight.
import type { Num } from "../engine/types";
import { inNarrowCell } from "../values";

/// From one node to another, which may be the same.
export interface Edge {
  from: number;
  to: number;
  weight: Num;
  label: string; // what is read aloud
}

interface Props {
  title: string;
  names: string[];
  edges: Edge[];
  node: number; // whose sum is shown
  chosen: Edge | undefined; // whose message is told
  back: boolean; // whether they run from gradient to gradient
  point: (edge: Edge | undefined) => void;
  pick: (edge: Edge) => void;
  pickNode: (node: number) => void;
}

type At = [x: number, y: number];
interface Curve {
  line: string;
  head: string;
  number: At; // where that stands
}

const SIZE = 330;
const RING = 90; // from the centre to a node
const NODE = 26; // its radius
const WIDEST = 9;
const LONGEST = 6; // signs of a word
const CENTRE: At = [SIZE / 2, SIZE / 2];

const along = ([x, y]: At, angle: number, far: number): At => [x + far * Math.cos(angle), y + far * Math.sin(angle)];
const angleTo = ([x, y]: At, [u, v]: At) => Math.atan2(v - y, u - x);
const written = (...all: At[]) => all.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(", ");
const angleOf = (i: number, n: number) => (2 * Math.PI * i) / n - Math.PI / 2;
const place = (i: number, n: number): At => along(CENTRE, angleOf(i, n), RING);
const LOOP = 44; // how far one reaches beyond its node
const height = (n: number) => Math.max(...Array.from({ length: n }, (_, i) => place(i, n)[1])) + NODE + LOOP;
const width = ({ weight }: Edge) => Math.max(0.7, WIDEST * (typeof weight === "number" ? weight : 0));

/// A point of the cubic curve over these four.
function between([a, b, c, d]: [At, At, At, At], t: number): At {
  const mix = (k: 0 | 1) => (1 - t) ** 3 * a[k] + 3 * (1 - t) ** 2 * t * b[k] + 3 * (1 - t) * t * t * c[k] + t ** 3 * d[k];
  return [mix(0), mix(1)];
}

/// A curve whose head touches `tip`; its number stands beside it, at `t` of its way, on the side of the angle `beside`.
function drawn(start: At, turns: [At, At], tip: At, wide: number, t: number, beside: number): Curve {
  const direction = angleTo(turns[1], tip);
  const end = along(tip, direction, -(7 + 0.7 * wide));
  const side = (by: number) => along(end, direction + Math.PI / 2, by * (3.5 + 0.75 * wide));
  const [x, y] = between([start, ...turns, end], t);
  const off = wide / 2;
  return {
    line: `M${written(start)} C${written(...turns, end)}`,
    head: `M${written(tip)} L${written(side(1))} L${written(side(-1))} z`,
    number: [x + (off + 15) * Math.cos(beside), y + (off + 11) * Math.sin(beside)],
  };
}

/// On which side of an arrow its number stands: where it bends to, but towards the centre if there are words close to it.
function sideOf(e: Edge, n: number, straight: number): number {
  const outer = straight - Math.PI / 2;
  const apart = Math.min((e.from - e.to + n) % n, (e.to - e.from + n) % n);
  if (n <= 4 || apart === 1) return outer;
  const inwards = angleTo(place(e.from, n), CENTRE);
  return Math.cos(outer - inwards) > 0 ? outer : outer + Math.PI;
}

/// Bent to one side, so that the two arrows between two nodes part; to the node itself it is a loop outside the circle.
function curve(e: Edge, n: number): Curve {
  const [from, to] = [place(e.from, n), place(e.to, n)];
  if (e.from === e.to) {
    const out = angleOf(e.from, n);
    const [start, tip] = [along(from, out - 0.7, NODE), along(from, out + 0.7, NODE + 1)];
    return drawn(start, [along(from, out - 0.75, 60), along(from, out + 0.7, 60)], tip, width(e), 0.5, out);
  }
  const straight = angleTo(from, to);
  const reach = 0.38 * Math.hypot(to[0] - from[0], to[1] - from[1]);
  const bend = n > 4 ? 0.16 : 0.34;
  const [leave, arrive] = [straight - bend, straight + Math.PI + bend];
  const [start, tip] = [along(from, leave, NODE), along(to, arrive, NODE + 1)];
  const turns: [At, At] = [along(from, leave, reach), along(to, arrive, reach)];
  return drawn(start, turns, tip, width(e), n > 4 ? 0.3 : 0.4, sideOf(e, n, straight));
}

const same = (a: Edge, b: Edge | undefined) => a.from === b?.from && a.to === b.to;
const cut = (word: string) => (word.length > LONGEST ? `${word.slice(0, LONGEST - 1)}…` : word);
const pressed = (e: KeyboardEvent) => e.key === "Enter" || e.key === " ";
const at = (selector: string, e: KeyboardEvent) =>
  (e.currentTarget as Element).closest("svg")?.querySelector<SVGElement>(selector)?.focus();

export function Graph({ title, names, edges, node, chosen, back, point, pick, pickNode }: Props) {
  const n = names.length;
  const here = edges.filter((e) => e.to === node);
  const current = here.find((e) => same(e, chosen)) ?? here[0];
  const keys = (e: KeyboardEvent, edge: Edge) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (pressed(e)) pick(edge);
    else if (by !== undefined) {
      const all = e.key === "ArrowUp" || e.key === "ArrowDown" ? edges : edges.filter((o) => o.to === edge.to);
      const next = all[(all.findIndex((o) => same(o, edge)) + by + all.length) % all.length];
      if (next) at(`[data-arrow="${next.from}-${next.to}"]`, e);
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const nodeKeys = (e: KeyboardEvent, i: number) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (pressed(e)) pickNode(i);
    else if (by !== undefined) {
      const next = (i + by + n) % n;
      pickNode(next);
      at(`[data-node="${next}"]`, e);
    } else return;
    e.preventDefault();
  };
  const curves = edges.map((e) => curve(e, n));
  return (
    <svg class={`graph ${back ? "back" : ""}`} viewBox={`0 0 ${SIZE} ${height(n).toFixed(0)}`} role="group" aria-label={title}>
      {edges.map((e, k) => (
        <g
          key={`${e.from}-${e.to}`}
          role="button"
          class={`edge ${same(e, chosen) ? "chosen" : e.to === node ? "arrives" : ""}`}
          data-arrow={`${e.from}-${e.to}`}
          data-exact={String(e.weight)}
          aria-label={e.label}
          aria-pressed={same(e, chosen)}
          tabindex={same(e, current) ? 0 : -1}
          onPointerEnter={(p) => p.pointerType === "mouse" && point(e)}
          onPointerLeave={(p) => p.pointerType === "mouse" && point(undefined)}
          onFocus={() => point(e)}
          onBlur={() => point(undefined)}
          onClick={() => pick(e)}
          onKeyDown={(p) => keys(p, e)}
        >
          <path class="reach" d={curves[k]?.line} />
          <path class="line" d={curves[k]?.line} style={`stroke-width:${width(e).toFixed(2)}`} />
          <path class="tip" d={curves[k]?.head} />
        </g>
      ))}
      {names.map((name, i) => {
        const [cx, cy] = place(i, n);
        return (
          <g
            key={i}
            role="button"
            class={`node ${i === node ? "chosen" : ""}`}
            data-node={i}
            aria-label={`${name}, word ${i}`}
            aria-pressed={i === node}
            tabindex={i === node ? 0 : -1}
            onClick={() => pickNode(i)}
            onKeyDown={(e) => nodeKeys(e, i)}
          >
            <circle cx={cx} cy={cy} r={NODE} />
            <text x={cx} y={cy + 5} text-anchor="middle">
              {cut(name)}
            </text>
          </g>
        );
      })}
      {edges.map((e, k) => {
        const [x, y] = curves[k]?.number ?? CENTRE;
        const told = same(e, chosen) || (e.to === node && inNarrowCell(e.weight, 1) !== "≈0"); // tiny ones only crowd
        return (
          told && (
            <text class="weight" key={`${e.from}-${e.to}`} x={x} y={y + 4} text-anchor="middle" aria-hidden="true">
              {inNarrowCell(e.weight, 1)}
            </text>
          )
        );
      })}
    </svg>
  );
}
