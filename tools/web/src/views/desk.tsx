// The proof desk: a derivation in an editor, judged as it is typed, repaired, derived and written in other notations.
import type { EditorView } from "@codemirror/view";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import first from "../../examples/desk.proof";
import { judge, Superseded } from "../engine/client";
import type { CheckReport, Line, ProofReport, Titled } from "../engine/types";
import { EXAMPLES, textOf } from "../examples";
import { Editor, reason, repair, type Told } from "../parts/editor";
import { options } from "../parts/options";
import { useAsked } from "../parts/use_asked";
import type { ViewProps } from "../state";

const FILE = "page.proof";
const FORMS = {
  latex: "LaTeX",
  markdown: "Markdown",
  numpy: "NumPy",
  torch: "PyTorch program",
  jax: "JAX program",
  cpp: "C++ page",
};

const proofsOf = (r: CheckReport): ProofReport[] => r.proofs ?? [r];

export function Desk({ state, change }: ViewProps) {
  const text = state.desk || first;
  const [report, setReport] = useState<CheckReport>();
  const [failed, setFailed] = useState("");
  const [written, setWritten] = useState<{ name: string; text: string }>();
  const [library, setLibrary] = useState<Titled[]>([]);
  const view = useRef<EditorView>(undefined);

  useEffect(() => {
    judge.ask("library", {}).then(setLibrary, () => {});
  }, []);
  useAsked(
    () => judge.ask("check", { file: FILE, text }, "check"),
    [text],
    (r) => (setReport(r), setFailed("")),
    setFailed,
    150,
  );

  const proofs = useMemo(() => (report ? proofsOf(report) : []), [report]);
  const told: Told = useMemo(
    () => ({ lines: proofs.flatMap((p) => p.lines ?? []), error: proofs.find((p) => p.error)?.error }),
    [proofs],
  );
  const { lines, error } = told;
  const open = (name: string) => {
    const own = EXAMPLES.find((e) => e.name === name);
    if (own) change({ desk: own.text });
    else
      judge.ask("library_text", { name }).then(
        (t) => change({ desk: t.text }),
        () => {},
      );
  };
  const put = (name: string, asked: Promise<{ text: string }>) =>
    asked.then(
      (t) => setWritten({ name, text: t.text }),
      (e) => !(e instanceof Superseded) && setWritten({ name: "not written", text: e.message }),
    );
  const write = (as: keyof typeof FORMS) => put(FORMS[as], judge.ask("print", { file: FILE, text, as }, "print"));
  const derive = () => put("derived", judge.ask("derive", { file: FILE, text }, "derive"));
  return (
    <div class="desk-view">
      <section class="desk" aria-label="editor">
        <div class="controls">
          <label>
            open
            <select value="" onChange={(e) => open(e.currentTarget.value)}>
              <option value="" disabled>
                a derivation
              </option>
              <optgroup label="of the board">{options(EXAMPLES.map((e) => [e.name, e.title]))}</optgroup>
              <optgroup label="of the library">{options(library.map((l) => [l.name, l.title]))}</optgroup>
            </select>
          </label>
          <button type="button" onClick={derive}>
            derive the gradients
          </button>
          <button type="button" onClick={() => change({ view: "board", example: "own", text, path: [] })}>
            show on the board
          </button>
          <label>
            write as
            <select value="" onChange={(e) => write(e.currentTarget.value as keyof typeof FORMS)}>
              <option value="" disabled>
                another notation
              </option>
              {options(Object.entries(FORMS))}
            </select>
          </label>
        </div>
        <Editor
          text={text}
          label="derivation"
          told={told}
          changed={(t) => change({ desk: t })}
          opened={(v) => (view.current = v)}
        />
      </section>
      <section class="findings" aria-label="verdicts" aria-live="polite">
        <h2>{failed ? "Not judged" : summary(proofs)}</h2>
        {failed && <p class="warning">{failed}</p>}
        {error && (
          <p class="wrong">
            line {error.line}: {error.text}
          </p>
        )}
        <ul>
          {lines.map((l, i) => (
            <Finding key={i} line={l} mend={() => view.current && repair(view.current, l)} />
          ))}
        </ul>
        {written && (
          <div class="written">
            <h2>{written.name}</h2>
            <textarea readOnly rows={12} value={written.text} aria-label={written.name} />
            <div class="controls">
              <button type="button" onClick={() => navigator.clipboard?.writeText(written.text).catch(() => {})}>
                copy
              </button>
              {written.name === "derived" && (
                <button type="button" onClick={() => change({ desk: written.text })}>
                  put it into the editor
                </button>
              )}
            </div>
          </div>
        )}
        {!written && (
          <p class="hint">
            The text of the board:{" "}
            <button type="button" class="link" onClick={() => change({ desk: textOf(state) })}>
              bring it here
            </button>
            .
          </p>
        )}
      </section>
    </div>
  );
}

function summary(proofs: ProofReport[]): string {
  if (proofs.length === 0) return "…";
  const total = (of: (p: ProofReport) => number) => proofs.reduce((n, p) => n + of(p), 0);
  if (proofs.some((p) => p.error)) return "It cannot be read";
  const right = total((p) => p.right);
  const lines = total((p) => p.lines.length);
  if (lines === 0) return "No claim to judge yet";
  if (right < lines) return `${right} of ${lines} lines are right`;
  return lines === 1 ? "The line is right" : `All ${lines} lines are right`;
}

function Finding({ line, mend }: { line: Line; mend: () => void }) {
  const fine = line.verdict === "right";
  return (
    <li class={line.verdict.replace(" ", "-")}>
      <b>{line.verdict}</b> <span class="place">line {line.line}</span> <code>{line.text}</code>
      {!fine && <p>{reason(line)}</p>}
      {!fine && line.diagnosis?.repair && (
        <button type="button" onClick={mend}>
          repair
        </button>
      )}
      {fine && line.read_as && <p>{line.read_as}</p>}
    </li>
  );
}
