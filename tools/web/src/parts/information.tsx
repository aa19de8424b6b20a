// Whether attention makes information or moves it: how much the outputs tell about the inputs, through the weights of the example.
// All of it is a derivation that is written here and evaluated by the engine.
import { useMemo, useState } from "preact/hooks";
import { board } from "../engine/client";
import type { Nested, Num, Point, Step, Values } from "../engine/types";
import { UNCHOSEN, type ViewProps } from "../state";
import { largest, shown } from "../values";
import { tint } from "./matrix";
import { Plot } from "./plot";
import { SCALES, scaleName } from "./scales";
import { useAsked } from "./use_asked";

/// As a derivation states it.
export const literal = (v: Nested | undefined) => (Array.isArray(v) ? JSON.stringify(v).replaceAll('"', "") : "");

interface Scored {
  n: number;
  d: number;
  Q: string;
  K: string;
  M: string; // "" where nothing is masked
}

/// Every word holds a number that is drawn by itself, of variance 1; A mixes these, and noise is added to each output. Then the
/// information of one about another is −log2(1 − r²) / 2, where r is their correlation.
function derivation({ n, d, Q, K, M }: Scored, exponent: number, root: boolean, noise: number): string {
  const factor = exponent === 0 ? "" : `${scaleName(exponent)} `;
  return `title "Information, scores × ${scaleName(exponent)}"
dims n=${n} d=${d}
input Q = ${Q}
const K = ${K}, noise = ${scaleName(noise)}${M && `, M = ${M}`}
forward
  A = softmax(${factor}Q K^T${root ? " / sqrt(d)" : ""}${M && " + M"})
  bits = -log(1 - A^2 / (rowsum(A^2) + noise^2)) / (2 log(2))
  own = tr(bits) / n
  others = sum(bits) / n - own
  apart = n log(1 + 1 / noise^2) / (2 log(2))
  together = logdet(eye(n) + A A^T / noise^2) / (2 log(2))
  loss L = together
`;
}

/// Scores of as many queries as keys, each of them a word.
function scored(steps: Map<string, Step>, M: Nested | undefined): Scored | undefined {
  const [Q, K] = [steps.get("Q"), steps.get("K")];
  const [n, d] = Q?.shape ?? [];
  if (!Q || !K || Q.shape.length !== 2 || n === undefined || d === undefined || K.shape.join() !== Q.shape.join())
    return undefined;
  return { n, d, Q: literal(Q.value), K: literal(K.value), M: literal(M) };
}

const CURVES: [string, string, string][] = [
  ["together", "loss", "all outputs about all inputs"],
  ["apart", "tangent", "the same without attention"],
  ["own", "secant", "an output about its own input, on average"],
  ["others", "further", "an output about the other inputs, summed, on average"],
];

interface Props extends ViewProps {
  steps: Map<string, Step>;
  mask: Nested | undefined;
  tokens: string[];
}

export function Information({ steps, mask, tokens, state, change }: Props) {
  const example = useMemo(() => scored(steps, mask), [steps, mask]);
  const [values, set] = useState<Values[]>();
  const [error, fail] = useState("");
  const text = (exponent: number) => (example ? derivation(example, exponent, state.root, state.noise) : "");
  useAsked(
    () => (example ? board.ask("values", { text: SCALES.map(text).join("\n"), gradients: [] }, "information") : undefined),
    [example, state.root, state.noise],
    (v) => (set(v), fail("")),
    fail,
  );
  if (!example) return null;
  const words = tokens.length > 1 ? `# tokens: ${tokens.join(" ")}\n` : "";
  return (
    <section class="information" aria-label="information">
      <h2>Does attention make information, or move it?</h2>
      <p class="hint">
        Let every word hold one number, drawn at random and apart from the others, of size 1. A mixes these numbers, and noise is
        added to each output. How much does an output then tell about an input? A bit is the answer to one question of yes or no.
      </p>
      <div class="controls">
        <label class="wide">
          noise of size {scaleName(state.noise)}
          <input
            type="range"
            min={-4}
            max={2}
            step={1}
            value={state.noise}
            onInput={(e) => change({ noise: Number(e.currentTarget.value) })}
          />
        </label>
        <button
          type="button"
          onClick={() => change({ ...UNCHOSEN, view: "board", example: "own", text: words + text(state.scale) })}
        >
          this on the board
        </button>
      </div>
      {error && <p class="warning">{error}</p>}
      {values && <Shown values={values} scale={state.scale} tokens={tokens} />}
      <p class="hint">
        Without attention an output tells nothing about the input of another word; with it, it does. But all outputs together
        never tell more than without it: the solid line never rises above the dashed one. So attention moves information between
        words, and makes none. Where weights are even, it is blurred; where each word looks at another one alone, nearly all of it
        arrives; where several look at the same one, the inputs of the others are lost.
      </p>
    </section>
  );
}

const valueOf = (v: Values, name: string): Nested => v.forward.find((s) => s.name === name)?.value ?? [];

function Shown({ values, scale, tokens }: { values: Values[]; scale: number; tokens: string[] }) {
  const at = values[SCALES.indexOf(scale)];
  if (!at) return null;
  const bits = valueOf(at, "bits") as Num[][];
  const most = largest(bits);
  const word = (i: number) => tokens[i] ?? String(i);
  return (
    <div class="side-by-side">
      <div>
        <table class="lens-table bits">
          <thead>
            <tr>
              <th scope="col">bits about</th>
              {bits.map((_, j) => (
                <th scope="col" key={j}>
                  input {word(j)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bits.map((row, i) => (
              <tr key={i}>
                <th scope="row">output {word(i)}</th>
                {row.map((x, j) => {
                  const { style, sign } = tint(x, most);
                  return (
                    <td key={j} class={`tinted ${sign}`} style={style} data-exact={String(x)}>
                      {shown(x, 1)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
        <dl class="compared">
          {CURVES.map(([name, kind, what]) => (
            <Compared key={name} name={name} kind={kind} what={what} bits={valueOf(at, name) as Num} />
          ))}
        </dl>
      </div>
      <Plot
        label="information as the scores grow"
        across="scores ×"
        up="bits"
        logX
        whole
        mark={2 ** scale}
        curves={CURVES.map(([name, kind]) => ({
          kind,
          points: values.map((v, i): Point => [2 ** (SCALES[i] ?? 0), valueOf(v, name) as Num]),
        }))}
      />
    </div>
  );
}

function Compared({ name, kind, what, bits }: { name: string; kind: string; what: string; bits: Num }) {
  return (
    <>
      <dt class={kind}>{what}</dt>
      <dd data-bits={name} data-exact={String(bits)}>
        {shown(bits, 1)} bits
      </dd>
    </>
  );
}
