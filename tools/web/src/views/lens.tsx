// One row of the softmax under a lens: its own term less the average, its Jacobian, and what happens as the scores grow. All of
// it is a derivation that is written here and evaluated by the engine.
import { useMemo, useState } from "preact/hooks";
import { board } from "../engine/client";
import type { Nested, Num, Point, Step, Values } from "../engine/types";
import { textOf, tokensOf } from "../examples";
import { Bar } from "../parts/bars";
import { Information, literal } from "../parts/information";
import { tint } from "../parts/matrix";
import { options } from "../parts/options";
import { Plane, type Arrow } from "../parts/plane";
import { Plot } from "../parts/plot";
import { SCALES, scaleName } from "../parts/scales";
import { useAsked } from "../parts/use_asked";
import { useExplanation } from "../parts/use_explanation";
import { Waiting } from "../parts/waiting";
import { UNCHOSEN, type State, type ViewProps } from "../state";
import { largest, shown } from "../values";

interface Row {
  d: number;
  q: string;
  K: string;
  g: string;
  V: string; // "" where the example has no values
  m: string; // the row of the mask; "" where nothing is masked
}

/// The row with its scores scaled: what the view shows, as a derivation.
function derivation({ d, q, K, g, V, m }: Row, exponent: number, root: boolean): string {
  return `title "scale ${scaleName(exponent)}"
dims d=${d}
input q = ${q}
const K = ${K}, g = ${g}${V && `, V = ${V}`}${m && `, m = ${m}`}
forward
  s = ${scaleName(exponent)} K q${root ? " / sqrt(d)" : ""}${m && " + m"}
  a = softmax(s)
  H = -sum(where(a > 0, a ⊙ log(max(a, 1e-300)), 0))
  J = diag(a) - outer(a, a)
  rows = rowsum(J)
  norm_J = norm(J)
  average = sum(a ⊙ g)
  own = g - average${V && "\n  o = V^T a"}
  loss L = sum(a ⊙ g)
`;
}

const rowOf = (value: Nested | undefined, i: number): Nested | undefined => (Array.isArray(value) ? value[i] : undefined);

/// What the example adds to its scores before the softmax.
const maskOf = (steps: Map<string, Step>): Nested | undefined =>
  steps.get("A")?.formula?.endsWith("+ M)") ? steps.get("M")?.value : undefined;

export function Lens({ state, change }: ViewProps) {
  const text = textOf(state);
  const tokens = useMemo(() => tokensOf(text), [text]);
  const { explanation, steps, error } = useExplanation(text);
  const row = useMemo<Row | undefined>(() => {
    const q = rowOf(steps.get("Q")?.value, state.row);
    const K = steps.get("K")?.value;
    const g = rowOf(steps.get("∂L/∂A")?.value, state.row);
    if (!Array.isArray(q) || !K || !g) return undefined;
    const [V, m] = [steps.get("V")?.value, rowOf(maskOf(steps), state.row)];
    return { d: q.length, q: literal(q), K: literal(K), g: literal(g), V: literal(V), m: literal(m) };
  }, [steps, state.row]);
  const [found, set] = useState<{ values?: Values[]; error?: string }>({});
  useAsked(
    () => {
      if (!row) return;
      const texts = SCALES.map((e) => derivation(row, e, state.root)).join("\n");
      return board.ask("values", { text: texts, gradients: ["q", "s"] }, "lens");
    },
    [row, state.root],
    (values) => set({ values }),
    (error) => set({ error }),
  );

  if (!explanation) return <Waiting error={error} />;
  if (!row || found.error) return <Waiting error={found.error ?? "The lens needs an example with Q, K and a softmax A."} />;
  const values = found.values;
  const queries = steps.get("Q")?.shape[0] ?? 0;
  return (
    <div class="lens-view">
      <div class="controls">
        <label>
          row of the softmax
          <select value={state.row} onChange={(e) => change({ row: Number(e.currentTarget.value) })}>
            {options(Array.from({ length: queries }, (_, i) => [i, `query ${tokens[i] ?? i}`]))}
          </select>
        </label>
        <label class="wide">
          scores × {scaleName(state.scale)}
          <input
            type="range"
            min={-2}
            max={6}
            step={1}
            value={state.scale}
            onInput={(e) => change({ scale: Number(e.currentTarget.value) })}
          />
        </label>
        <label>
          <input type="checkbox" checked={state.root} onChange={(e) => change({ root: e.currentTarget.checked })} />
          divided by √d
        </label>
        <button
          type="button"
          onClick={() => change({ ...UNCHOSEN, view: "board", example: "own", text: derivation(row, state.scale, state.root) })}
        >
          this row on the board
        </button>
      </div>
      {values && <Shown values={values} state={state} tokens={tokens} />}
      {values && <Arrows values={values} state={state} tokens={tokens} steps={steps} />}
      {values && <Information mask={maskOf(steps)} {...{ steps, tokens, state, change }} />}
    </div>
  );
}

const valueOf = (v: Values, name: string): Nested => v.forward.find((s) => s.name === name)?.value ?? [];

interface ArrowsProps {
  values: Values[];
  state: State;
  tokens: string[];
  steps: Map<string, Step>;
}

/// Where queries and keys have two components: the row as arrows in the plane, its query among the keys, its output among the
/// values.
function Arrows({ values, state, tokens, steps }: ArrowsProps) {
  const at = values[SCALES.indexOf(state.scale)];
  const rows = (name: string) => (steps.get(name)?.value ?? []) as Num[][];
  const [query, keys, all] = [rows("Q")[state.row], rows("K"), rows("V")];
  if (!at || query?.length !== 2)
    return (
      <p class="hint">
        Queries and keys of two components are drawn as arrows here: choose “Three paths into X” or “Three students” above.
      </p>
    );
  const word = (i: number) => tokens[i] ?? String(i);
  const weights = valueOf(at, "a") as Num[];
  const of = (rows: Num[][]): Arrow[] => rows.map((to, i) => ({ name: word(i), to, kind: "answers", weight: weights[i] ?? 0 }));
  const output = valueOf(at, "o") as Num[];
  return (
    <section aria-label="as arrows">
      <h2>The row in the plane</h2>
      <div class="plots">
        <Plane
          title={`the query of ${word(state.row)} among the keys`}
          arrows={[...of(keys), { name: "query", to: query, kind: "asks" }]}
        />
        {output.length === 2 && (
          <Plane title="the output among the values" arrows={[...of(all), { name: "output", to: output, kind: "asks" }]} />
        )}
      </div>
      <p class="hint">
        Arrows are as thick as their weights. A score is the length of the query times how far a key reaches along it, so a long
        key counts for more. For keys of one length the weight is a kernel: it falls with the distance of query and key as exp(−|q
        − k|² / 2√d), and the output is the average that such a kernel makes. It never leaves the area between the values.
      </p>
    </section>
  );
}

function Shown({ values, state, tokens }: { values: Values[]; state: State; tokens: string[] }) {
  const at = values[SCALES.indexOf(state.scale)];
  if (!at) return null;
  const get = valueOf;
  const list = (name: string) => get(at, name) as Num[];
  const back = (v: Values, name: string) => (v.backward.find((s) => s.name === name)?.value ?? []) as Num[];
  const [a, g, own, ds] = [list("a"), list("g"), list("own"), back(at, "s")];
  const word = (i: number) => tokens[i] ?? String(i);
  const curve = (of: (v: Values) => Num): Point[] => values.map((v, i) => [2 ** (SCALES[i] ?? 0), of(v)]);
  const jacobian = get(at, "J") as Num[][];
  const rows = get(at, "rows") as Num[][];
  const [mostJ, mostDs] = [largest(jacobian), largest(ds)];
  const plots: [string, string, (v: Values) => Num][] = [
    ["entropy", "entropy of a, nats", (v) => get(v, "H") as Num],
    ["size of the Jacobian", "‖J‖", (v) => get(v, "norm_J") as Num],
    ["largest entry of dq", "largest |dq|", (v) => largest(back(v, "q"))],
  ];
  return (
    <>
      <div class="side-by-side">
        <section aria-label="own term less the average">
          <h2>ds = a (g − average): own term less the average</h2>
          <table class="lens-table">
            <thead>
              <tr>
                <th scope="col">key</th>
                <th scope="col">weight a</th>
                <th scope="col">g = dA</th>
                <th scope="col">average Σ a g</th>
                <th scope="col">own − average</th>
                <th scope="col">times a: ds</th>
                <th scope="col">
                  <span class="unseen">ds as a bar</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {a.map((x, i) => (
                <tr key={i}>
                  <th scope="row">{word(i)}</th>
                  <td data-exact={String(x)}>{shown(x)}</td>
                  <td>{shown(g[i] ?? 0)}</td>
                  <td>{shown(get(at, "average") as Num)}</td>
                  <td>{shown(own[i] ?? 0, 1)}</td>
                  <td data-exact={String(ds[i])}>{shown(ds[i] ?? 0, 1)}</td>
                  <td>
                    <Bar value={ds[i] ?? 0} most={mostDs} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="hint">
            The average is weighted with a. A score whose own g lies above it raises the loss when it grows, one below lowers it;
            descent moves both the other way. The row of ds sums to 0, as its weights always sum to 1.
          </p>
        </section>
        <section aria-label="the Jacobian">
          <h2>J = diag(a) − a aᵀ: how each weight moves with each score</h2>
          <table class="lens-table jacobian">
            <thead>
              <tr>
                <th scope="col">∂a by ∂s</th>
                {a.map((_, j) => (
                  <th scope="col" key={j}>
                    {word(j)}
                  </th>
                ))}
                <th scope="col">row sum</th>
              </tr>
            </thead>
            <tbody>
              {jacobian.map((r, i) => (
                <tr key={i}>
                  <th scope="row">{word(i)}</th>
                  {r.map((x, j) => {
                    const { style, sign } = tint(x, mostJ);
                    return (
                      <td key={j} class={`tinted ${sign}`} style={style}>
                        {shown(x, 1)}
                      </td>
                    );
                  })}
                  <td class="sum">{shown(rows[i]?.[0] ?? 0, 1)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
      <section class="plots" aria-label="as the scores grow">
        {plots.map(([label, up, of]) => (
          <Plot
            key={label}
            label={`${label} as the scores grow`}
            across="scores ×"
            up={up}
            mark={2 ** state.scale}
            logX
            curves={[{ points: curve(of), kind: "first", dots: true }]}
          />
        ))}
      </section>
      <p class="hint">
        As the scores grow, the weights go to 0 and 1. The entropy −Σ a log a, which is largest where all weights are equal, goes
        to 0, and with it the size ‖J‖ of the Jacobian (the root of the sum of its squares) and all that goes back through it: the
        softmax is saturated. Dividing by √d keeps scores of long vectors where J is not yet small. Here g stays as it is in the
        example, whatever the scale. Does dq shrink at once?
      </p>
    </>
  );
}
