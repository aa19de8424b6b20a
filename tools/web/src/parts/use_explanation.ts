// The explanation of a text, and its entries taken apart, asked once and kept.
import { useEffect, useState } from "preact/hooks";
import { board, Superseded } from "../engine/client";
import type { CellReport, Explanation, Step } from "../engine/types";

export interface Explained {
  text: string;
  explanation?: Explanation;
  steps: Map<string, Step>;
  error?: string;
}

export function useExplanation(text: string): Explained {
  const [explained, set] = useState<Explained>({ text: "", steps: new Map() });
  useEffect(() => {
    let here = true;
    board.ask("explain", { text }, "explain").then(
      (all) => {
        if (!here) return;
        const first = all.find((e) => e.forward.length > 0) ?? all[0];
        if (!first) return set({ text, steps: new Map(), error: "The text holds no derivation." });
        const steps = new Map([...first.given, ...first.forward, ...first.backward].map((s) => [s.name, s]));
        set({ text, explanation: first, steps });
      },
      (e) => here && !(e instanceof Superseded) && set({ text, steps: new Map(), error: e.message }),
    );
    return () => {
      here = false;
    };
  }, [text]);
  return explained.text === text ? explained : { text, steps: new Map() };
}

const kept = new Map<string, CellReport>();

/// undefined while the engine works; a text where it refuses.
export function useCell(text: string, cell: string): CellReport | string | undefined {
  const key = `${text}\n${cell}`;
  const [, again] = useState(0);
  const [error, setError] = useState<[string, string]>(["", ""]);
  useEffect(() => {
    if (cell === "" || kept.has(key)) return;
    let here = true;
    board.ask("cell", { text, cell }, "cell").then(
      (report) => {
        if (kept.size > 2000) kept.clear();
        kept.set(key, report);
        if (here) again((n) => n + 1);
      },
      (e) => here && !(e instanceof Superseded) && setError([key, e.message]),
    );
    return () => {
      here = false;
    };
  }, [key]);
  return cell === "" ? undefined : (kept.get(key) ?? (error[0] === key ? error[1] : undefined));
}
