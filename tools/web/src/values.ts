// Values as they are shown: numbers as words of a few signs, arrays as the matrices they are made of. Nothing is computed here.
import type { Nested, Num } from "./engine/types";

/// Four digits; what is only rounding beside `scale` is 0.
export function shown(x: Num, scale = 0): string {
  if (typeof x !== "number") return x === "-inf" ? "−∞" : x === "inf" ? "∞" : "NaN";
  if (x === 0 || Math.abs(x) <= 1e-14 * scale) return "0";
  if (Number.isInteger(x) && Math.abs(x) < 1e5) return String(x).replace("-", "−");
  const size = Math.abs(x);
  const text =
    size >= 1e5 || size < 1e-3 ? x.toExponential(1) : x.toFixed(size >= 1000 ? 1 : size >= 100 ? 2 : size >= 10 ? 3 : 4);
  return text
    .replace(/(\.\d*?)0+($|e)/, "$1$2")
    .replace(/\.($|e)/, "$1")
    .replace("e+", "e")
    .replaceAll("-", "−");
}
/// In a cell: so many digits that they fit.
export function inCell(x: Num, scale: number): string {
  const text = shown(x, scale);
  if (typeof x !== "number") return text;
  const size = Math.abs(x);
  // All numbers between −1 and 0 are written alike, −.177 as −.0367.
  if (size < 1 && size >= 1e-3 && (x < 0 || text.length > 6)) return text.replace("0.", ".");
  if (text.length <= 6) return text;
  if (size >= 1e4 || size < 1e-3) return x.toExponential(0).replace("e+", "e").replaceAll("-", "−");
  return x.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3).replace("-", "−");
}
/// In a cell of a phone: two digits, without the zero before the point; what is less than a hundredth of `scale` is about 0.
export function inNarrowCell(x: Num, scale: number): string {
  if (typeof x !== "number" || x === 0 || Math.abs(x) <= 1e-14 * scale) return shown(x, scale);
  const size = Math.abs(x);
  if (size < 0.01 * scale) return "≈0";
  const text = size >= 9.95 ? x.toFixed(0) : size >= 0.995 ? x.toFixed(1) : size >= 0.00995 ? x.toFixed(2) : x.toExponential(0);
  return text.replace(/\.0$/, "").replace("0.", ".").replaceAll("-", "−");
}
/// More digits, for what is compared.
export const precise = (x: Num): string => (typeof x === "number" ? x.toPrecision(9).replace("-", "−") : shown(x));

export interface Slice {
  before: number[]; // the indices of the further axes
  rows: Num[][];
}

/// A number, a row or a matrix is one slice; of more axes there are several.
export function slices(value: Nested, rank: number): Slice[] {
  const list = (v: Nested) => v as Nested[];
  if (rank === 0) return [{ before: [], rows: [[value as Num]] }];
  if (rank === 1) return [{ before: [], rows: [list(value) as Num[]] }];
  if (rank === 2) return [{ before: [], rows: list(value) as Num[][] }];
  return list(value).flatMap((v, i) => slices(v, rank - 1).map((s) => ({ before: [i, ...s.before], rows: s.rows })));
}

/// The name of an entry: dK[2,1], L.
export function cellName(name: string, before: number[], row: number, column: number, rank: number): string {
  const index = rank === 0 ? [] : rank === 1 ? [column] : [...before, row, column];
  return entryName(name, index);
}
export const entryName = (name: string, index: number[]): string => (index.length ? `${name}[${index.join(",")}]` : name);

/// The largest size of a number in it.
export function largest(value: Nested): number {
  if (Array.isArray(value)) return value.reduce<number>((m, v) => Math.max(m, largest(v)), 0);
  return typeof value === "number" ? Math.abs(value) : 0;
}

/// "∂L/∂K[2,1]" -> its array and index.
export function parsed(cell: string): { name: string; index: number[] } {
  const at = cell.indexOf("[");
  if (at < 0) return { name: cell, index: [] };
  return {
    name: cell.slice(0, at),
    index: cell
      .slice(at + 1, -1)
      .split(",")
      .map(Number),
  };
}
/// ∂L/∂K -> K; "" of what is no gradient.
export const ofGradient = (name: string): string => /^∂[^/]+\/∂(.+)$/u.exec(name)?.[1] ?? "";
/// ∂L/∂K[2,1] -> dK[2,1], as it is typed and stands in the address.
export const short = (cell: string): string => cell.replace(/^∂L\/∂([^[/]+)/u, "d$1");
