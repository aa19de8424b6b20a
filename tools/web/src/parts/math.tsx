// Formulas as MathML, which browsers set themselves; where the engine has no LaTeX of one, the text as it is.
import { useEffect, useRef, useState } from "preact/hooks";
import temml from "temml";
import { judge } from "../engine/client";
import { useAsked } from "./use_asked";

const known = new Map<string, string | null>();

/// The LaTeX of formulas about a text, asked once each.
export function useLatex(text: string, formulas: string[]): Map<string, string> {
  const [, again] = useState(0);
  const key = (f: string) => `${text}\n${f}`;
  const missing = formulas.filter((f) => f !== "" && !known.has(key(f)));
  const keep = (found: (string | null)[]) => found.forEach((latex, i) => known.set(key(missing[i] ?? ""), latex));
  useAsked(
    () => (missing.length === 0 ? undefined : judge.ask("latex", { text, formulas: missing }).then(keep)),
    [text, missing.join("\n")],
    () => again((n) => n + 1),
  );
  const out = new Map<string, string>();
  for (const f of formulas) {
    const latex = known.get(key(f));
    if (latex) out.set(f, latex);
  }
  return out;
}

/// Makes a formula of its parts, each up to an operator: browsers break lines between formulas, but not within one.
function breakable(place: HTMLElement) {
  const formula = place.querySelector("math");
  const parts = [...(formula?.children ?? [])];
  if (!formula || parts.length < 2 || parts.some((p) => p.localName !== "mrow")) return;
  let before = parts[0] as Element;
  for (const part of parts.slice(1)) {
    const last = before.lastElementChild?.closest("mo");
    if (last && /^[([{⟨]$/.test(last.textContent ?? "")) {
      before.append(...part.children); // a bracket stays with what it opens
      part.remove();
      continue;
    }
    if (last && !last.hasAttribute("form")) last.setAttribute("form", "infix"); // at an end it would lose its space
    const further = formula.cloneNode() as Element;
    further.append(part);
    place.append(further);
    before = part;
  }
}

export function Maths({ latex, text }: { latex: string | undefined; text: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const at = place.current;
    if (!at || !latex) return;
    try {
      temml.render(latex.replaceAll("^\\top", "^{\\mathrm T}"), at, { throwOnError: true, trust: false, wrap: "tex" });
      breakable(at);
    } catch {
      at.textContent = text;
    }
  }, [latex, text]);
  return latex ? <span class="maths" ref={place} key={latex} /> : <code class="maths">{text}</code>;
}
