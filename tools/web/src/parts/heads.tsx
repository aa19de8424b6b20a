// What the first position of an expression looks at, head by head, with the gradient of its scores; and all rows when asked.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { FilmLook, Num, Step } from "../engine/types";
import { inCell, inNarrowCell, largest, slices } from "../values";
import { Matrix, tint, type CellEvents, type Mark } from "./matrix";

const NONE: CellEvents = { pick: () => {} };
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

export function Heads({ look }: { look: FilmLook }) {
  const parts = (s: Step) => slices(s.value, s.shape.length);
  const [weights, gradients] = useMemo(() => [parts(look.weights), parts(look.score_gradient)], [look]);
  const most = largest(look.score_gradient.value);
  const alone = weights.length === 1;
  const phone = usePhone();
  const written = phone ? inNarrowCell : inCell;
  const cells = (row: Num[], scale: number) =>
    row.map((x, j) => {
      const { style, sign } = tint(x, scale);
      return (
        <td key={j} class={`cell ${sign}`} style={style} data-exact={String(x)}>
          {written(x, scale)}
        </td>
      );
    });
  const grid = (s: Step, title: string) => (
    <Matrix step={s} tokens={look.tokens} marks={NO_MARKS} current="" events={NONE} title={<b>{title}</b>} />
  );
  return (
    <>
      <div class="scrolled" role="group" aria-label="attention of the first position" tabIndex={0}>
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
                {cells(w.rows[0] ?? [], 1)}
                <td class="number">{inCell(look.entropy[h] ?? 0, 1)}</td>
              </tr>
              <tr class="score-gradient">
                <td />
                <th scope="row">∂L/∂S</th>
                {cells(gradients[h]?.rows[0] ?? [], most)}
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
              {cells(look.probabilities, 1)}
            </tr>
          </tbody>
        </table>
      </div>
      <details>
        <summary>all rows of A and ∂L/∂S</summary>
        <div class="shown scrolled" role="group" aria-label="all rows" tabIndex={0}>
          {grid(look.weights, "A")}
          {grid(look.score_gradient, "∂L/∂S")}
        </div>
      </details>
    </>
  );
}
