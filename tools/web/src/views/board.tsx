// The two-lane board: values from left to right above, their gradients below each of them; any entry opens into its sum.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { columns, long } from "../parts/columns";
import { bring, focusCell, keyboardFocus, toColumn } from "../parts/focus";
import { contributors, Inspector, isEntry } from "../parts/inspector";
import { Lanes } from "../parts/lanes";
import { Messages } from "../parts/messages";
import { walk, type CellEvents, type Mark } from "../parts/matrix";
import { useCell, useExplanation, type Explained } from "../parts/use_explanation";
import { Waiting } from "../parts/waiting";
import { Words } from "../parts/words";
import type { CellReport } from "../engine/types";
import { textOf, tokensOf } from "../examples";
import type { ViewProps } from "../state";
import { short } from "../values";

export function Board(props: ViewProps) {
  const { embed, words, messages } = props.state;
  const explained = useExplanation(textOf(props.state));
  const lanes = <TwoLanes {...props} explained={explained} />;
  const graph = <Messages {...props} steps={explained.steps} />;
  if (embed) return messages !== "" ? graph : words === null ? lanes : <Words {...props} />;
  return (
    <>
      {lanes}
      {graph}
      <Words {...props} />
    </>
  );
}

function TwoLanes({ state, change, explained }: ViewProps & { explained: Explained }) {
  const { text, explanation, steps, error } = explained;
  const tokens = useMemo(() => tokensOf(text), [text]);
  const all = useMemo(() => (explanation ? columns(explanation) : []), [explanation]);
  const [hovered, hover] = useState("");
  const area = useRef<HTMLDivElement>(null);
  const path = useMemo(() => state.path.map((c) => long(c, steps)), [state.path, steps]);
  const pinned = path.at(-1) ?? "";
  const active = hovered || pinned;
  const found = useCell(text, explanation ? active : "");
  const last = useRef<CellReport>(undefined);
  if (typeof found === "object") last.current = found;
  const report = typeof found === "object" ? found : active && found === undefined ? last.current : undefined;

  const marks = useMemo(() => {
    const out = new Map<string, Mark>();
    if (typeof found === "object") {
      const { factors, inner } = contributors(found);
      for (const c of inner) out.set(c, "inner");
      for (const c of factors) out.set(c, "factor");
    }
    if (active) out.set(active, "pinned");
    return out;
  }, [found, active]);

  const pin = (cell: string) => {
    hover("");
    change({ path: [short(cell)] });
  };
  const descend = (cell: string) => {
    hover("");
    change({ path: [...state.path.slice(-11), short(cell)] });
    focusCell(area.current, cell);
  };
  const events: CellEvents = useMemo(
    () => ({ enter: hover, leave: () => hover(""), pick: pin, focus: (c) => keyboardFocus() && hover(c) }),
    [],
  );

  const keys = (event: KeyboardEvent) => {
    if (walk(event)) return;
    const on = (event.target as HTMLElement).dataset["cell"] ?? pinned;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && on !== "" && on === pinned) descendIntoLargest();
    else if (event.key === "Backspace") back();
    else if (event.key === "Escape") change({ path: [] });
    else if (event.key === "[" || event.key === "]") toColumn(area.current, event.key === "]" ? 1 : -1);
    else return;
    event.preventDefault();
  };
  const back = () => {
    const shorter = state.path.slice(0, -1);
    hover("");
    change({ path: shorter });
    const to = shorter.at(-1);
    if (to) focusCell(area.current, long(to, steps));
  };
  const descendIntoLargest = () => {
    const size = (p: { product: unknown }) => (typeof p.product === "number" ? Math.abs(p.product) : 0);
    const products = [...(report?.products ?? []), ...(report?.opened ?? []).flatMap((o) => o.products)];
    const largest = products.sort((a, b) => size(b) - size(a)).flatMap((p) => p.factors);
    const to = largest.find((f) => f.index && isEntry(f.name));
    if (to?.index) descend(`${to.name}[${to.index.join(",")}]`);
  };

  useEffect(() => bring(area.current, pinned), [explanation, pinned]);
  useEffect(() => {
    if (pinned && explanation && document.activeElement === document.body) focusCell(area.current, pinned, true);
  }, [explanation]);

  if (error) return <Refused error={error} change={change} />;
  if (!explanation) return <Waiting />;
  const first = all[0]?.values[0];
  const current = pinned || (first ? `${first.name}[0,0]` : "");
  return (
    <div class="board-view">
      <div class="cells board" ref={area} onKeyDown={keys} style={`--count:${all.length}`}>
        <Lanes columns={all} explanation={explanation} text={text} shared={{ tokens, marks, current, events }} />
      </div>
      <aside class="side-panel" aria-label="the entry">
        <Crumbs path={path} to={(length) => change({ path: state.path.slice(0, length) })} back={back} />
        {report ? (
          <Inspector report={report} text={text} tokens={tokens} pinned={hovered === ""} descend={descend} />
        ) : typeof found === "string" ? (
          <p class="warning">{found}</p>
        ) : (
          <Introduction change={change} />
        )}
      </aside>
    </div>
  );
}

function Crumbs({ path, to, back }: { path: string[]; to: (length: number) => void; back: () => void }) {
  return (
    <nav class="crumbs" aria-label="path to the loss">
      {path.length === 0 && <span>no entry chosen</span>}
      {path.map((c, i) => (
        <button type="button" key={i} onClick={() => to(i + 1)} aria-current={i === path.length - 1}>
          {short(c)}
        </button>
      ))}
      {path.length > 0 && (
        <button type="button" class="quiet" onClick={back} aria-label="back">
          ↩
        </button>
      )}
    </nav>
  );
}

function Introduction({ change }: Pick<ViewProps, "change">) {
  return (
    <div class="introduction">
      <h2>Every number has its sum</h2>
      <p>
        Above, from left to right, the values: queries, keys and values, the scores S, the weights A, the output O, the loss L.
        Below each, how the loss changes with it: its gradient, dQ for short, ∂L/∂Q in formulas. ⊙ multiplies entry by entry,
        rowsum adds up each row. Rows and columns are counted from 0: dK[2,1] stands in the third row, second column.
      </p>
      <p>
        Point at a number, or walk with Tab and the arrow keys: what it is made of is outlined. Click it, or press Enter, to keep
        it; click a factor to go on towards the loss, Backspace to come back.
      </p>
      <p>Before you point at a number of dK, guess which others it is made of.</p>
      <p>
        New to this?{" "}
        <button type="button" onClick={() => change({ view: "path" })}>
          the guided path
        </button>{" "}
        comes to each of these formulas in eleven steps.
      </p>
    </div>
  );
}

function Refused({ error, change }: { error: string; change: ViewProps["change"] }) {
  return (
    <div class="refused" role="alert">
      <p>{error.split("\n")[0]}</p>
      <button type="button" onClick={() => change({ view: "desk" })}>
        Mend the text at the proof desk
      </button>{" "}
      <button type="button" onClick={() => change({ example: "cat_sat", path: [] })}>
        Back to “The cat sat”
      </button>
    </div>
  );
}
