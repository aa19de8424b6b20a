// Attention as messages: each word sends its row of V to those that listen, times the weight that they give it; the gradient
// comes back along the same arrows. All of it is a derivation that is written here and evaluated by the engine.
import { useMemo, useState } from "preact/hooks";
import { board } from "../engine/client";
import type { Nested, Num, Step } from "../engine/types";
import { textOf, tokensOf } from "../examples";
import { NO_SUM, type ViewProps } from "../state";
import { largest, short, shown } from "../values";
import { focusCell } from "./focus";
import { Graph, type Edge } from "./graph";
import { literal } from "./information";
import { tint } from "./matrix";
import { options } from "./options";
import { useAsked } from "./use_asked";

/// O = A V over as many words as hear and are heard.
interface Round {
  O: Step;
  A: Step;
  V: Step;
  G: Step; // the gradient of O
  weightGradient: Step | undefined;
}

const MOST = 10; // words that are drawn

function rounds(steps: Map<string, Step>): Round[] {
  return [...steps.values()].flatMap((O) => {
    const [, a, v] = /^(\S+) (\S+)$/.exec(O.formula ?? "") ?? [];
    const [A, V, G] = [steps.get(a ?? ""), steps.get(v ?? ""), steps.get(`∂L/∂${O.name}`)];
    if (!A || !V || !G || !A.formula?.startsWith("softmax(")) return [];
    const n = A.shape[0] ?? 0;
    const fits = A.shape.join() === `${n},${n}` && n <= MOST && V.shape.length === 2;
    return fits ? [{ O, A, V, G, weightGradient: steps.get(`∂L/∂${A.name}`) }] : [];
  });
}

/// Message and answer of each pair, and what they add up to.
const derivation = ({ A, V, G }: Round) => `title "messages"
input V = ${literal(V.value)}
const A = ${literal(A.value)}, G = ${literal(G.value)}
forward
  M[i,j,c] = A[i,j] V[j,c]
  B[i,j,c] = A[i,j] G[i,c]
  heard[i,c] = Σ_j M[i,j,c]
  returned[j,c] = Σ_i B[i,j,c]
  loss L = sum(M)
`;

interface Props extends ViewProps {
  steps: Map<string, Step>;
}

export function Messages({ steps, ...props }: Props) {
  const { state, change } = props;
  const all = useMemo(() => rounds(steps), [steps]);
  const round = all.find((r) => r.O.name === state.sum) ?? all[0];
  const open = state.messages !== "";
  return (
    <details
      class="messages"
      open={open}
      onToggle={(e) => e.currentTarget.open !== open && change({ messages: e.currentTarget.open ? "forward" : "" })}
    >
      <summary>Attention as messages between the words</summary>
      {open && steps.size > 0 && !round && (
        <p class="hint">
          This needs words that attend to one another, {MOST} at most: a line O = A V below A = softmax(…). “The cat sat” has one.
        </p>
      )}
      {open && round && <Opened key={round.O.name} {...props} all={all} round={round} />}
    </details>
  );
}

function Opened({ state, change, all, round }: ViewProps & { all: Round[]; round: Round }) {
  const back = state.messages === "backward";
  const [found, set] = useState<{ round: Round; values: Map<string, Nested> }>();
  const [error, fail] = useState("");
  useAsked(
    () => board.ask("values", { text: derivation(round), gradients: [] }, "messages"),
    [round],
    ([v]) => set({ round, values: new Map(v?.forward.map((s) => [s.name, s.value])) }),
    fail,
  );
  const turn = (messages: "forward" | "backward") => change({ messages, node: null, other: null });
  return (
    <>
      <div class="controls">
        {(["forward", "backward"] as const).map((way) => (
          <button type="button" key={way} aria-pressed={state.messages === way} onClick={() => turn(way)}>
            {way === "forward" ? "forward: what is heard" : "backward: what comes back"}
          </button>
        ))}
        {all.length > 1 && (
          <label>
            what arrives is
            <select value={round.O.name} onChange={(e) => change({ ...NO_SUM, sum: e.currentTarget.value })}>
              {options(all.map((r) => [r.O.name, `${r.O.name} = ${r.O.formula}`]))}
            </select>
          </label>
        )}
      </div>
      {error && <p class="warning">{error}</p>}
      {found?.round === round && <Passed {...{ state, change, round, back }} values={found.values} />}
      <p class="hint">{back ? <Backward round={round} /> : <Forward round={round} />}</p>
    </>
  );
}

const Forward = ({ round: { O, V } }: { round: Round }) => (
  <>
    Each word is a node. An arrow carries a message: the row of {V.name} of the word that sends it, times the weight that the
    other gives it. The arrow is as wide as this weight, and where the weight is 0, as behind a mask, there is none. What arrives
    at a word is added up: its row of {O.name}. Before you turn the arrows round, guess: who gets most back, a word that hears
    many, or one that many hear?
  </>
);
const Backward = ({ round: { A, O, V } }: { round: Round }) => (
  <>
    The same arrows, the other way: a word returns its row of d{O.name}, times the same weight, to each word that it heard. What
    arrives is added up: the row of d{V.name}. So it counts by whom a word is heard, and how widely; one that nobody hears gets
    nothing back. A forward sum runs along a row of {A.name}, a backward one down a column: hence the transpose in d{V.name} ={" "}
    {A.name}ᵀ d{O.name}. The width of an arrow has a gradient too, d{A.name}, which goes on to the queries and keys.
  </>
);

interface PassedProps extends ViewProps {
  round: Round;
  back: boolean;
  values: Map<string, Nested>;
}

const rowOf = (v: Nested | undefined, ...index: number[]): Num[] =>
  index.reduce<Nested | undefined>((x, i) => (Array.isArray(x) ? x[i] : undefined), v) as Num[];
const LISTED = 6; // components that a sentence has
const listed = (row: Num[]) =>
  `(${row
    .slice(0, LISTED)
    .map((x) => shown(x, 1))
    .join(", ")}${row.length > LISTED ? ", …" : ""})`;

function Passed({ state, change, round, back, values }: PassedProps) {
  const { O, A, V, G } = round;
  const n = A.shape[0] ?? 0;
  const tokens = useMemo(() => tokensOf(textOf(state)), [state.example, state.text]);
  const word = (i: number) => tokens[i] ?? String(i);
  const weight = (from: number, to: number) => (back ? rowOf(A.value, from)[to] : rowOf(A.value, to)[from]) ?? 0;
  const sent = (from: number, to: number) => (back ? rowOf(values.get("B"), from, to) : rowOf(values.get("M"), to, from));
  const row = (from: number) => rowOf(back ? G.value : V.value, from);
  const all = Array.from({ length: n }, (_, i) => i);
  const edges: Edge[] = all.flatMap((to) =>
    all
      .map((from) => ({ from, to, weight: weight(from, to) }))
      .filter((e) => e.weight !== 0)
      .map((e) => ({ ...e, label: `from ${word(e.from)} to ${word(e.to)}, weight ${shown(e.weight)}` })),
  );
  const node = Math.min(state.node ?? (back ? 0 : n - 1), n - 1);
  const edge = (from: number | null, to: number) => edges.find((e) => e.from === from && e.to === to);
  const [pointed, point] = useState<Edge>();
  const told = (pointed && edge(pointed.from, pointed.to)) ?? edge(state.other, node);
  const cell = (from: number, to: number) => `${A.name}[${back ? `${from},${to}` : `${to},${from}`}]`;
  const trace = (to: string) => {
    change({ path: [short(to)], ...(state.embed && { messages: "" as const }) });
    focusCell(document.body, to);
  };
  const sum = rowOf(values.get(back ? "returned" : "heard"), node);
  const arrived = back ? `∂L/∂${V.name}` : O.name;
  const most = largest([sum, ...all.map((from) => sent(from, node))]);
  return (
    <div class="passed">
      <Graph
        title={back ? "what comes back to each word" : "what each word hears"}
        names={all.map(word)}
        {...{ edges, node, back, point }}
        chosen={told}
        pick={(e) => change({ node: e.to, other: e.from })}
        pickNode={(i) => change({ node: i, other: null })}
      />
      <div class="arrived">
        <p class="sentence" aria-live="polite">
          {told ? (
            <>
              {back ? "Back from" : "From"} <b>{word(told.from)}</b> to <b>{word(told.to)}</b>: weight {shown(told.weight)} ×{" "}
              {back ? `d${O.name}` : V.name} {listed(row(told.from))} = <b>{listed(sent(told.from, told.to))}</b>
            </>
          ) : (
            "Point at an arrow for its message, or go along the arrows by keys; click a word for its sum."
          )}
        </p>
        <div class="scrolled" role="group" aria-label="the sum" tabIndex={0}>
          <table class="lens-table sums" data-node={node}>
            <caption>
              {back ? "What comes back to" : "What arrives at"} <b>{word(node)}</b>
            </caption>
            <thead>
              <tr>
                <th scope="col">from</th>
                <th scope="col">weight</th>
                {sum.map((_, c) => (
                  <th scope="col" key={c}>
                    <span class="unseen">component </span>
                    {c}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {all.map((from) => (
                <tr key={from} class={told?.from === from && told.to === node ? "chosen" : ""} data-from={from}>
                  <th scope="row">{word(from)}</th>
                  <td>
                    <Traced cell={cell(from, node)} value={weight(from, node)} trace={trace} />
                  </td>
                  {edge(from, node) ? (
                    sent(from, node).map((x, c) => {
                      const { style, sign } = tint(x, most);
                      return (
                        <td key={c} class={`tinted ${sign}`} style={style} data-exact={String(x)}>
                          {shown(x, most)}
                        </td>
                      );
                    })
                  ) : (
                    <td class="nothing" colSpan={sum.length}>
                      no arrow
                    </td>
                  )}
                </tr>
              ))}
              <tr class="total">
                <th scope="row">sum</th>
                <td>{short(`${arrived}[${node}]`)}</td>
                {sum.map((x, c) => (
                  <td key={c}>
                    <Traced cell={`${arrived}[${node},${c}]`} value={x} trace={trace} />
                  </td>
                ))}
              </tr>
            </tbody>
          </table>
        </div>
        {told && back && <WeightGradient step={round.weightGradient} name={cell(told.from, told.to)} trace={trace} />}
      </div>
    </div>
  );
}

/// A number that leads to its sum on the board.
function Traced({ cell, value, trace }: { cell: string; value: Num; trace: (cell: string) => void }) {
  return (
    <button
      type="button"
      class="descend"
      data-exact={String(value)}
      aria-label={`${short(cell)}: ${shown(value, 1)}`}
      onClick={() => trace(cell)}
    >
      {shown(value, 1)}
    </button>
  );
}

function WeightGradient({ step, name, trace }: { step: Step | undefined; name: string; trace: (cell: string) => void }) {
  const index = /\[(\d+),(\d+)\]$/.exec(name)?.slice(1).map(Number) ?? [];
  const value = step && (rowOf(step.value, index[0] ?? 0)[index[1] ?? 0] as Num | undefined);
  if (!step || value === undefined) return null;
  return (
    <p class="hint">
      How the loss changes as this arrow grows wider: {short(`${step.name}[${index.join(",")}]`)} ={" "}
      <Traced cell={`${step.name}[${index.join(",")}]`} value={value} trace={trace} />
    </p>
  );
}
