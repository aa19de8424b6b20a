// What an entry is, in one sentence, with the words of the example where it has some.
import type { CellReport, Factor, Num, Product } from "../engine/types";
import { ofGradient, parsed, shown } from "../values";

const ROLES: Record<string, string> = { Q: "query", K: "key", V: "value", O: "output", T: "target", X: "token" };

/// "key *sat*, component 1"; "the weight of key *sat* for query *The*".
function thing(name: string, index: number[], tokens: string[]): string {
  const word = (i: number | undefined) => (i === undefined ? "" : (tokens[i] ?? String(i)));
  const role = ROLES[name];
  if (index.length === 2 && (name === "S" || name === "A"))
    return `the ${name === "S" ? "score" : "weight"} of key ${word(index[1])} for query ${word(index[0])}`;
  if (role && index.length === 2) return `${role} ${word(index[0])}, component ${index[1]}`;
  return index.length ? `${name}[${index.join(",")}]` : name;
}

const isZero = (x: Num) => x === 0;
const signs = (products: Product[]) => ({
  plus: products.some((p) => typeof p.product === "number" && p.product > 0),
  minus: products.some((p) => typeof p.product === "number" && p.product < 0),
});
export const cancels = (products: Product[]): boolean => signs(products).plus && signs(products).minus;

/// Queries, keys or components that the products run over: the index of the first factor that changes.
function through(products: Product[], tokens: string[]): string {
  const live = products.filter((p) => !isZero(p.product));
  const first = (p: Product): Factor | undefined => p.factors.find((f) => f.index);
  const changing = [0, 1].find((axis) => new Set(products.map((p) => first(p)?.index?.[axis])).size === products.length);
  const name = first(products[0] as Product)?.name ?? "";
  const of = ofGradient(name) || name;
  if (changing === undefined || tokens.length === 0 || !(of === "S" || of === "A")) return "";
  const places = live.map((p) => tokens[first(p)?.index?.[changing] ?? -1]).filter((w) => w !== undefined);
  if (places.length === 0 || places.length > 6) return "";
  const kind = changing === 0 ? (places.length > 1 ? "queries" : "query") : places.length > 1 ? "keys" : "key";
  const list = places.length > 1 ? `${places.slice(0, -1).join(", ")} and ${places.at(-1)}` : places[0];
  return `, through ${kind} ${list}`;
}

export function sentence(r: CellReport, tokens: string[]): string {
  const { name, index } = parsed(r.cell);
  const of = ofGradient(name);
  const what = of ? `How the loss changes with ${thing(of, index, tokens)}` : thing(name, index, tokens);
  const subject = what.charAt(0).toUpperCase() + what.slice(1);
  const value = shown(r.true ?? r.sum);
  if (r.products.length === 0) return `${subject}: ${value}, a given number.`;
  if (r.products.length === 1) return `${subject}: ${value}.`;
  const live = r.products.filter((p) => !isZero(p.product)).length;
  const rest = live === r.products.length ? "" : live === 0 ? ", all of them 0" : `, ${live} of them not 0`;
  const against = cancels(r.products) ? "; they pull in different directions" : "";
  return `${subject}: ${value}, the sum of ${r.products.length} products${rest}${through(r.products, tokens)}${against}.`;
}
