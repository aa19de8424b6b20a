// Notes of one's own, replayed: each number that they print beside the one that the engine computes.
import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import first from "../../examples/notes.proof";
import { judge } from "../engine/client";
import type { Replay, Replayed, Titled } from "../engine/types";
import { Editor } from "../parts/editor";
import { options } from "../parts/options";
import { useAsked } from "../parts/use_asked";
import { Waiting } from "../parts/waiting";
import type { ViewProps } from "../state";

interface Found {
  text: string; // that it is about
  replay: Replay;
}

export function Notes({ state, change }: ViewProps) {
  const text = state.notes || first;
  const [found, set] = useState<Found>();
  const [failed, fail] = useState("");
  const [documents, setDocuments] = useState<Titled[]>([]);
  useEffect(() => {
    judge.ask("documents", {}).then(setDocuments, () => {});
  }, []);
  const open = (name: string) =>
    judge.ask("document_text", { name }).then(
      (d) => change({ notes: d.text }),
      (e) => fail(e.message),
    );
  useAsked(
    () => judge.ask("replay", { text }, "replay"),
    [text],
    (replay) => (set({ text, replay }), fail("")),
    fail,
    200,
  );
  const lines = found?.text.split("\n") ?? [];
  return (
    <div class="desk-view">
      <section>
        <label class="wide">
          or a teaching text
          <select value="" onChange={(e) => e.currentTarget.value && open(e.currentTarget.value)}>
            <option value="">…</option>
            {options(documents.map((d) => [d.name, d.title]))}
          </select>
        </label>
        <Editor text={text} label="notes" told={{ lines: [] }} changed={(notes) => change({ notes })} />
        <p class="hint">
          Below <code>expect</code> stands what the notes print. A number is right if it is the true one, rounded to as many
          digits as it has.
        </p>
      </section>
      <section class="replayed" aria-live="polite">
        {failed ? <Waiting error={failed} /> : !found && <Waiting />}
        {found?.replay.examples.map((e, i) => (
          <Example key={i} example={e} lines={lines} />
        ))}
      </section>
    </div>
  );
}

/// Numbers in rows, as their indices say.
function rowsOf(numbers: Replayed["corrected"][number]["numbers"]) {
  const rows = new Map<string, typeof numbers>();
  for (const n of numbers) {
    const row = n.index.slice(0, -1).join();
    rows.set(row, [...(rows.get(row) ?? []), n]);
  }
  return [...rows.values()];
}

function Example({ example, lines }: { example: Replayed; lines: string[] }) {
  const { agree, rounding, wrong } = example;
  return (
    <article>
      <h2>{example.title}</h2>
      <p class={rounding + wrong > 0 ? "wrong" : "right"}>
        {rounding + wrong > 0
          ? `✗ of its numbers ${agree} agree, ${rounding} off by rounding, ${wrong} wrong`
          : `✓ all ${agree} numbers agree`}
      </p>
      {example.corrected.length > 0 && (
        <table class="lens-table passages">
          <thead>
            <tr>
              <th scope="col">in the notes</th>
              <th scope="col">as it should be</th>
            </tr>
          </thead>
          <tbody>
            {example.corrected.map((c) => (
              <tr key={c.line}>
                <td>
                  <small>line {c.line}</small> <code>{lines[c.line - 1]?.trim()}</code>
                </td>
                <td>
                  {c.step} ={" "}
                  {rowsOf(c.numbers).map((row, i) => (
                    <div key={i}>
                      {row.map((n, j) => (
                        <Fragment key={j}>
                          {j > 0 && ", "}
                          {n.printed === n.right ? (
                            n.right
                          ) : (
                            <>
                              <del>{n.printed}</del> <ins>{n.right}</ins>
                            </>
                          )}
                        </Fragment>
                      ))}
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </article>
  );
}
