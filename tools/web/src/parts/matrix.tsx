// One value as a grid of cells: colour, sign and hatch by the number; arrows walk, Enter pins.
import { memo } from "preact/compat";
import type { Num, Step } from "../engine/types";
import { cellName, inCell, largest, ofGradient, slices, type Slice } from "../values";

const MOST = 16; // rows and columns that are drawn

export type Mark = "pinned" | "factor" | "inner" | "wrong";
export interface CellEvents {
  enter?: (cell: string) => void;
  leave?: () => void;
  pick: (cell: string) => void;
  focus?: (cell: string) => void;
}

interface Props {
  step: Step;
  tokens: string[];
  marks: Map<string, Mark>;
  current: string; // the cell that Tab comes to
  events: CellEvents;
  title?: preact.ComponentChildren;
  beside?: number; // the size of numbers beside which what is tiny is only rounding
}

/// Words beside an axis of as many entries.
const words = (tokens: string[], n: number): string[] | null => (tokens.length > 1 && tokens.length === n ? tokens : null);

/// The class and the colour of a number beside the largest.
export function tint(x: Num, scale: number): { style: string; sign: string } {
  if (typeof x !== "number") return { style: "", sign: "none" };
  const part = scale > 0 ? Math.abs(x) / scale : 0;
  if (part < 1e-14) return { style: "", sign: "zero" };
  return { style: `--part:${(100 * part).toFixed(0)}%`, sign: x < 0 ? "minus" : "plus" };
}

interface CellProps {
  cell: string;
  x: Num;
  scale: number;
  mark: Mark | undefined;
  tab: number;
  events: CellEvents;
}
/// Apart, so that a hover draws anew only the cells whose mark it changes.
const Cell = memo(function Cell({ cell, x, scale, mark, tab, events }: CellProps) {
  const { style, sign } = tint(x, scale);
  return (
    <button
      type="button"
      role="gridcell"
      class={`cell ${sign} ${mark ?? ""}`}
      style={style}
      data-cell={cell}
      data-exact={String(x)}
      tabIndex={tab}
      aria-selected={mark === "pinned"}
      aria-label={`${cell.replace("∂L/∂", "gradient of ")}: ${inCell(x, scale)}`}
      onPointerEnter={(e) => e.pointerType === "mouse" && events.enter?.(cell)}
      onPointerLeave={(e) => e.pointerType === "mouse" && events.leave?.()}
      onFocus={() => events.focus?.(cell)}
      onClick={() => events.pick(cell)}
    >
      {inCell(x, scale)}
    </button>
  );
});

function Grid({ step, slice, tokens, marks, current, events, scale }: Props & { slice: Slice; scale: number }) {
  const rank = step.shape.length;
  const rows = slice.rows.slice(0, MOST);
  const columns = Math.min(slice.rows[0]?.length ?? 0, MOST);
  const beside = rank >= 2 ? words(tokens, slice.rows.length) : null;
  const above = rank >= 1 ? words(tokens, slice.rows[0]?.length ?? 0) : null;
  const label = slice.before.length ? `${step.name}, part ${slice.before.join(", ")}` : step.name;
  return (
    <div
      class="grid"
      role="grid"
      aria-label={label}
      data-value={step.name}
      style={`--columns:${columns};--side:${Math.max(0, ...(beside ?? []).map((w) => w.length))}`}
    >
      {above && (
        <div role="row" class="row">
          {beside && <span role="columnheader" class="head corner" aria-label="row" />}
          {above.slice(0, MOST).map((w, j) => (
            <span role="columnheader" class="head" key={j}>
              {w}
            </span>
          ))}
        </div>
      )}
      {rows.map((row, i) => (
        <div role="row" class="row" key={i}>
          {beside && (
            <span role="rowheader" class="head side">
              {beside[i]}
            </span>
          )}
          {row.slice(0, MOST).map((x, j) => {
            const cell = cellName(step.name, slice.before, i, j, rank);
            const at = cell === current ? 0 : -1;
            return <Cell key={cell} cell={cell} x={x} scale={scale} mark={marks.get(cell)} tab={at} events={events} />;
          })}
        </div>
      ))}
      {(slice.rows.length > MOST || (slice.rows[0]?.length ?? 0) > MOST) && (
        <div class="more">
          the first {rows.length} × {columns} of {slice.rows.length} × {slice.rows[0]?.length}
        </div>
      )}
    </div>
  );
}

export const Matrix = memo(function Matrix(props: Props) {
  const { step, title, beside = 0 } = props;
  const all = slices(step.value, step.shape.length);
  const own = largest(step.value);
  const scale = own <= 1e-14 * beside ? beside : own;
  return (
    <figure class={`value ${ofGradient(step.name) ? "gradient" : "forward"}`}>
      <figcaption>{title ?? step.name}</figcaption>
      <div class="slices">
        {all.slice(0, 4).map((slice) => (
          <Grid {...props} slice={slice} scale={scale} key={slice.before.join()} />
        ))}
      </div>
      {all.length > 4 && <div class="more">{all.length - 4} more of these</div>}
    </figure>
  );
});

/// Arrows, Home and End from cell to cell: within a grid, and over its edge to the nearest cell beside it.
export function walk(event: KeyboardEvent): boolean {
  const from = (event.target as HTMLElement).closest<HTMLElement>("[data-cell]");
  const grid = from?.closest<HTMLElement>(".grid, table");
  if (!from || !grid || event.ctrlKey || event.metaKey || event.altKey) return false;
  const by: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const step = by[event.key];
  const row = [...(from.closest(".row, tr")?.querySelectorAll<HTMLElement>("[data-cell]") ?? [])];
  if (event.key === "Home") row[0]?.focus();
  else if (event.key === "End") row.at(-1)?.focus();
  else if (step) nearest(from, step)?.focus();
  else return false;
  event.preventDefault();
  return true;
}

/// The cell that lies nearest in that direction, what lies straight ahead before the rest.
function nearest(from: HTMLElement, [dx, dy]: [number, number]): HTMLElement | null {
  const a = from.getBoundingClientRect();
  const scope = from.closest(".cells") ?? document;
  let best: HTMLElement | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const to of scope.querySelectorAll<HTMLElement>("[data-cell]")) {
    const b = to.getBoundingClientRect();
    const x = b.left + b.width / 2 - a.left - a.width / 2;
    const y = b.top + b.height / 2 - a.top - a.height / 2;
    const along = x * dx + y * dy;
    if (to === from || along < 2) continue;
    const far = along + 4 * Math.abs(x * dy + y * dx);
    if (far < least) [best, least] = [to, far];
  }
  return best;
}
