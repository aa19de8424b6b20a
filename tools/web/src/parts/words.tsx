// What grows when a text has 100 words, not 10: the parts of a layer of attention, counted by the engine, and timed when asked.
import { useState } from "preact/hooks";
import { judge } from "../engine/client";
import type { Words as Counts } from "../engine/types";
import { WORDS, type ViewProps } from "../state";
import { Plot } from "./plot";
import { useAsked } from "./use_asked";

/// 105 million; three digits.
const rounded = new Intl.NumberFormat("en", { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 3 });

/// Each with its formula and the class of its curve.
const WHAT: Record<string, [string, string, string]> = {
  parameters: ["parameters", "4 d²", ""],
  entries: ["numbers in Q, K, V and the output", "4 n d", ""],
  weights: ["scores, and as many weights", "h n²", ""],
  projecting: ["multiplications for Q, K, V and the output", "4 n d²", "tangent"],
  attending: ["multiplications for scores and weighted sums", "2 n² d", "secant"],
  all: ["multiplications in all", "", "loss"],
};
const KIND = (what: string) => WHAT[what]?.[2] ?? "";
const MOST_TIMED = 500;

export function Words({ state, change }: ViewProps) {
  const many = state.words ?? 100;
  const [counts, set] = useState<Counts | string>();
  useAsked(() => (state.words === null ? undefined : judge.ask("words", { words: many }, "words")), [state.words], set, set);
  return (
    <details
      class="words"
      open={state.words !== null}
      onToggle={(e) => e.currentTarget.open !== (state.words !== null) && change({ words: e.currentTarget.open ? many : null })}
    >
      <summary>What grows when a text has 100 words, not 10?</summary>
      <div class="controls">
        <label class="wide">
          {many} words
          <input
            type="range"
            min={0}
            max={WORDS.length - 1}
            step={1}
            value={WORDS.indexOf(many)}
            aria-valuetext={`${many} words`}
            onInput={(e) => change({ words: WORDS[Number(e.currentTarget.value)] ?? many })}
          />
        </label>
      </div>
      {typeof counts === "string" && <p class="warning">{counts}</p>}
      {typeof counts === "object" && <Counted counts={counts} />}
    </details>
  );
}

function Counted({ counts }: { counts: Counts }) {
  const { few, words } = counts;
  return (
    <>
      <div class="side-by-side">
        <table class="lens-table counted">
          <caption>one layer of attention over n words, with h = 8 heads and a width of d = 512</caption>
          <thead>
            <tr>
              <th scope="col">forward</th>
              <th scope="col" class="formula-of">
                how many
              </th>
              <th scope="col">{few} words</th>
              <th scope="col">{words} words</th>
              <th scope="col">times</th>
            </tr>
          </thead>
          <tbody>
            {counts.rows.map((r) => (
              <tr key={r.what} data-what={r.what}>
                <th scope="row" class={KIND(r.what)}>
                  {WHAT[r.what]?.[0]}
                </th>
                <td class="formula-of">{WHAT[r.what]?.[1]}</td>
                <td data-exact={String(r.few)}>{rounded.format(r.few)}</td>
                <td data-exact={String(r.many)}>{rounded.format(r.many)}</td>
                <td data-exact={String(r.times)}>
                  <b>{rounded.format(r.times)}</b>
                </td>
              </tr>
            ))}
            <Timed words={words} />
          </tbody>
        </table>
        <Plot
          label="multiplications over the number of words"
          across="words"
          up="multiplications"
          log
          mark={words}
          curves={["all", "projecting", "attending"].map((what) => ({
            kind: KIND(what),
            points: counts.curves[what] ?? [],
          }))}
        />
      </div>
      <p class="hint">
        Ten times the words are ten times the projections, but a hundred times the scores: each word looks at each. At this width
        the projections outweigh them up to 2 d = 1024 words. The backward pass has two products for each product of the forward,
        as S = Q K^T gives dQ and dK: twice the multiplications. The parameters stay the same for any text.
      </p>
    </>
  );
}

/// The time of a forward here, of both numbers of words, when asked for.
function Timed({ words }: { words: number }) {
  const [asked, ask] = useState(false);
  const [found, set] = useState<{ words: number; few: number; many: number; times: number } | string>();
  const times = typeof found === "object" && found.words === words ? found : undefined;
  useAsked(
    () => (asked && words <= MOST_TIMED ? judge.ask("words_time", { words }, "words_time") : undefined),
    [asked, words],
    (all) => set({ words, ...all }),
    set,
    200,
  );
  const waits = asked && words <= MOST_TIMED ? "…" : "";
  return (
    <tr data-what="time">
      <th scope="row">
        ms of a forward, in this browser{" "}
        {!asked && (
          <button type="button" onClick={() => ask(true)}>
            measure
          </button>
        )}
        {typeof found === "string" && <span class="warning">{found}</span>}
      </th>
      <td class="formula-of" />
      <td>{times ? rounded.format(times.few) : waits}</td>
      <td>{times ? rounded.format(times.many) : waits || (asked ? `up to ${MOST_TIMED} words` : "")}</td>
      <td>
        <b>{times ? rounded.format(times.times) : waits}</b>
      </td>
    </tr>
  );
}
