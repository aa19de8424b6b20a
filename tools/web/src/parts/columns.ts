// Where the values of an explanation stand on the board, and how its entries are called there.
import type { Explanation, Step } from "../engine/types";
import { ofGradient } from "../values";

export interface Column {
  title: string;
  values: Step[];
}

const escaped = (name: string) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const mentions = (s: Step, name: string): boolean =>
  new RegExp(`(^|[^\\p{L}\\p{N}_^])${escaped(name)}($|[^\\p{L}\\p{N}_])`, "u").test(s.formula ?? "");

/// How many steps lie between each forward value and the inputs, at most. A number stands with what it is computed from.
function depths(e: Explanation): Map<string, number> {
  const out = new Map<string, number>();
  for (const step of e.forward) {
    const before = [...out].filter(([name]) => mentions(step, name)).map(([, depth]) => depth);
    const below = Math.max(0, ...before);
    out.set(step.name, step.shape.length === 0 && below > 0 ? below : below + 1);
  }
  return out;
}

const TALLEST = 4; // values of a column of inputs

/// The inputs, then the forward values, one column for all that are equally far from the inputs, with the constants that their
/// formulas name.
export function columns(e: Explanation): Column[] {
  const moving = new Set(e.backward.map((s) => ofGradient(s.name)));
  const inputs = e.given.filter((s) => moving.has(s.name));
  const constants = e.given.filter((s) => !moving.has(s.name));
  const out: Column[] = [];
  for (let i = 0; i < inputs.length; i += TALLEST) out.push({ title: `inputs ${i + 1}`, values: inputs.slice(i, i + TALLEST) });
  const depth = depths(e);
  const placed = new Set<string>();
  for (let d = 1; d <= Math.max(0, ...depth.values()); ++d) {
    const column: Column = { title: `step ${d}`, values: [] };
    for (const step of e.forward.filter((s) => depth.get(s.name) === d)) {
      const here = constants.filter((c) => !placed.has(c.name) && mentions(step, c.name));
      for (const c of here) placed.add(c.name);
      column.values.push(...(step.shape.length === 0 ? [...here, step] : [step, ...here]));
    }
    out.push(column);
  }
  return out;
}

/// dK[2,1] is ∂L/∂K[2,1] on the board.
export const long = (cell: string, steps: Map<string, Step>): string => {
  const at = cell.indexOf("[");
  const [name, index] = at < 0 ? [cell, ""] : [cell.slice(0, at), cell.slice(at)];
  if (steps.has(name)) return cell;
  const gradient = [...steps.keys()].find((k) => ofGradient(k) !== "" && `d${ofGradient(k)}` === name);
  return gradient ? gradient + index : cell;
};
