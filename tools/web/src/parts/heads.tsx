// What the first position of an expression looks at, head by head, with the gradient of its scores; and all rows when asked.
// A number leads to its sum on the board, as far as there is a derivation of it.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { FilmLook, Num, Step } from "../engine/types";
import { entryName, inCell, inNarrowCell, largest, parsed, short, slices } from "../values";
import { Matrix, tint, walk, type Mark } from "./matrix";

const NO_MARKS = new Map<string, Mark>();

const PHONE = matchMedia("(max-width: 760px)");
function usePhone(): boolean {
  const [is, set] = useState(PHONE.matches);
  useEffect(() => {
    const changed = () => set(PHONE.matches);
    PHONE.addEventListener("change", changed);
    return () => PHONE.removeEventListener("change", changed);
  }, []);
  return is;
}

interface Props {
  look: FilmLook;
  trace: (head: number | undefined, cell: string) => void; // no head: an answer
}

/// A[2,0,4] is entry A[0,4] of head 2.
function split(cell: string): [head: number, cell: string] {
  const { name, index } = parsed(cell);
  return [index[0] ?? 0, entryName(name, index.slice(1))];
}

export function Heads({ look, trace }: Props) {
  const parts = (s: Step) => slices(s.value, s.shape.length);
  const [weights, gradients] = useMemo(() => [parts(look.weights), parts(look.score_gradient)], [look]);
  const most = largest(look.score_gradient.value);
  const alone = weights.length === 1;
  const phone = usePhone();
  const written = phone ? inNarrowCell : inCell;
  const cells = (row: Num[], scale: number, name: string, head?: number) =>
    row.map((x, j) => {
      const { style, sign } = tint(x, scale);
      const cell = `${name}[0,${j}]`;
      const first = j === 0 && !head && name !== "∂L/∂S"; // Tab comes to it, arrows to the others
      return (
        <td key={j}>
          <button
            type="button"
            class={`cell ${sign}`}
            style={style}
            data-cell={head === undefined ? cell : `${name}[${head},0,${j}]`}
            data-exact={String(x)}
            tabIndex={first ? 0 : -1}
            aria-label={`${head === undefined || alone ? "" : `head ${head}, `}${short(cell)}: ${inCell(x, scale)}`}
            onClick={() => trace(head, cell)}
          >
            {written(x, scale)}
          </button>
        </td>
      );
    });
  const events = { pick: (cell: string) => trace(...split(cell)) };
  const grid = (s: Step, title: string) => (
    <Matrix step={s} tokens={look.tokens} marks={NO_MARKS} current={`${s.name}[0,0,0]`} events={events} title={<b>{title}</b>} />
  );
  return (
    <>
      <div class="scrolled cells" role="group" aria-label="attention of the first position" tabIndex={0} onKeyDown={walk}>
        <table class="heads">
          <caption class="unseen">what the first position looks at, and the gradient of its scores</caption>
          <thead>
            <tr>
              <th scope="col">
                <span class={phone ? "unseen" : ""}>{alone ? "" : "head"}</span>
              </th>
              <th scope="col">
                <span class="unseen">first row of</span>
              </th>
              {look.tokens.map((t, j) => (
                <th scope="col" key={j}>
                  {t}
                </th>
              ))}
              <th scope="col" class="entropy">
                entropy
              </th>
            </tr>
          </thead>
          {weights.map((w, h) => (
            <tbody key={h} data-head={h}>
              <tr class="weights">
                <th scope="row">{alone ? "" : h}</th>
                <th scope="row">A</th>
                {cells(w.rows[0] ?? [], 1, "A", h)}
                <td class="number">{inCell(look.entropy[h] ?? 0, 1)}</td>
              </tr>
              <tr class="score-gradient">
                <td />
                <th scope="row">∂L/∂S</th>
                {cells(gradients[h]?.rows[0] ?? [], most, "∂L/∂S", h)}
                <td class="entropy" />
              </tr>
            </tbody>
          ))}
        </table>
        <p class="hint beneath">
          Entropy of {alone ? "the row" : "the rows"}: {look.entropy.map((e) => inCell(e, 1)).join(", ")}
        </p>
        <table class="digits">
          <caption class="unseen">the probability of each answer</caption>
          <thead>
            <tr>
              <th scope="col">answer</th>
              {look.probabilities.map((_, d) => (
                <th scope="col" key={d}>
                  {d}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">probability</th>
              {cells(look.probabilities, 1, "P")}
            </tr>
          </tbody>
        </table>
      </div>
      <details>
        <summary>all rows of A and ∂L/∂S</summary>
        <div class="shown scrolled cells" role="group" aria-label="all rows" tabIndex={0} onKeyDown={walk}>
          {grid(look.weights, "A")}
          {grid(look.score_gradient, "∂L/∂S")}
        </div>
      </details>
    </>
  );
}
