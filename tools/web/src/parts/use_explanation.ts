// The explanation of a text, and its entries taken apart, asked once and kept.
import { useState } from "preact/hooks";
import { board } from "../engine/client";
import type { CellReport, Explanation, Step } from "../engine/types";
import { parsed } from "../values";
import { useAsked } from "./use_asked";

export interface Explained {
  text: string;
  explanation?: Explanation;
  steps: Map<string, Step>;
  error?: string;
}

/// A value that is stated entry by entry, q[i,c] = ..., is called q; of a gradient the claim says it.
function named(s: Step): Step {
  const { name } = parsed(s.name);
  if (name !== s.name) return { ...s, name, entry: s.name };
  const [entry, formula] = s.claim?.formula.split(/ = (.*)/s) ?? [];
  if (!s.claim || !formula || !entry?.startsWith(`${name}[`)) return s;
  return { ...s, entry, claim: { ...s.claim, formula } };
}

export function useExplanation(text: string): Explained {
  const [explained, set] = useState<Explained>({ text: "", steps: new Map() });
  useAsked(
    () => board.ask("explain", { text }, "explain"),
    [text],
    (all) => {
      const shown = all.find((e) => e.forward.length > 0) ?? all[0];
      if (!shown) return set({ text, steps: new Map(), error: "The text holds no derivation." });
      const first = { ...shown, forward: shown.forward.map(named), backward: shown.backward.map(named) };
      const steps = new Map([...first.given, ...first.forward, ...first.backward].map((s) => [s.name, s]));
      set({ text, explanation: first, steps });
    },
    (error) => set({ text, steps: new Map(), error }),
  );
  return explained.text === text ? explained : { text, steps: new Map() };
}

const kept = new Map<string, CellReport>();
function keep(key: string, report: CellReport) {
  if (kept.size > 2000) kept.clear();
  kept.set(key, report);
}

/// undefined while the engine works; a text where it refuses.
export function useCell(text: string, cell: string): CellReport | string | undefined {
  const key = `${text}\n${cell}`;
  const [, again] = useState(0);
  const [error, setError] = useState<[string, string]>(["", ""]);
  useAsked(
    () =>
      cell === "" || kept.has(key) ? undefined : board.ask("cell", { text, cell }, "cell").then((report) => keep(key, report)),
    [key],
    () => again((n) => n + 1),
    (why) => setError([key, why]),
  );
  return cell === "" ? undefined : (kept.get(key) ?? (error[0] === key ? error[1] : undefined));
}
