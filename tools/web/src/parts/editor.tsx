// A text editor with a verdict beside each line that is judged, and what is wrong with it where the pointer rests.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { drawSelection, EditorView, GutterMarker, gutter, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import type { Line, Span, Verdict } from "../engine/types";

export interface Told {
  lines: Line[];
  error?: { line: number; text: string; span?: Span | undefined } | undefined;
}

const SIGNS: Record<Verdict, string> = { right: "✓", wrong: "✗", "cannot tell": "?", "not read": "…", skipped: "–" };

class VerdictMarker extends GutterMarker {
  constructor(readonly verdict: Verdict) {
    super();
  }
  override eq(other: VerdictMarker) {
    return this.verdict === other.verdict;
  }
  override toDOM() {
    const mark = document.createElement("span");
    mark.className = `mark ${this.verdict.replace(" ", "-")}`;
    mark.textContent = SIGNS[this.verdict];
    mark.title = this.verdict;
    return mark;
  }
}

const setVerdicts = StateEffect.define<Map<number, Verdict>>();
const verdicts = StateField.define<Map<number, Verdict>>({
  create: () => new Map(),
  update: (now, tr) => tr.effects.reduce((v, e) => (e.is(setVerdicts) ? e.value : v), now),
});
const verdictGutter = gutter({
  class: "verdicts",
  lineMarker(view, line) {
    const verdict = view.state.field(verdicts).get(view.state.doc.lineAt(line.from).number);
    return verdict ? new VerdictMarker(verdict) : null;
  },
  lineMarkerChange: (update) => update.startState.field(verdicts) !== update.state.field(verdicts),
});

/// What a line that is not right says of itself, in one text.
export function reason(line: Line): string {
  if (line.diagnosis)
    return (
      line.diagnosis.text +
      (line.diagnosis.repair ? `; write ${line.diagnosis.repair}` : "") +
      (line.reason ? ` (${line.reason})` : "")
    );
  const right = line.derived ? `; right is ${line.derived}` : "";
  if (line.reason) return line.reason + right;
  if (line.worst)
    return `worst at [${line.worst.index.join(",")}]: claimed ${line.worst.claimed}, true ${line.worst.true}${right}`;
  return line.verdict;
}

function diagnostics(told: Told, length: number): Diagnostic[] {
  const within = (s: Span) => ({
    from: Math.min(s.utf16_offset, length),
    to: Math.min(s.utf16_offset + Math.max(s.utf16_length, 1), length),
  });
  const out: Diagnostic[] = told.lines
    .filter((l) => l.verdict !== "right" && l.verdict !== "skipped")
    .map((l) => ({
      ...within(l.verdict === "not read" && l.at ? l.at : l.span),
      severity: l.verdict === "wrong" ? "error" : "warning",
      message: reason(l),
      ...(l.diagnosis?.repair ? { actions: [{ name: "repair", apply: (view: EditorView) => repair(view, l) }] } : {}),
    }));
  const span = told.error?.span;
  if (told.error && span) out.push({ ...within(span), severity: "error", message: told.error.text });
  return out;
}

/// Puts the repaired right-hand side in the place of that of the line.
export function repair(view: EditorView, line: Line) {
  const from = line.span.utf16_offset;
  const to = from + line.span.utf16_length;
  const written = view.state.sliceDoc(from, to);
  const equals = written.indexOf("=");
  if (equals < 0 || !line.diagnosis?.repair) return;
  view.dispatch({ changes: { from, to, insert: `${written.slice(0, equals)}= ${line.diagnosis.repair}` } });
}

interface Props {
  text: string;
  label: string;
  told: Told;
  changed: (text: string) => void;
  opened?: (view: EditorView) => void;
}

export function Editor({ text, label, told, changed, opened }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const typed = useRef(new Set([text])); // what was told by `changed`: these texts come back, late while one types on
  const onChange = useRef(changed);
  onChange.current = (t) => {
    typed.current.add(t);
    changed(t);
  };
  useEffect(() => {
    if (!place.current) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          verdicts,
          verdictGutter,
          history(),
          drawSelection(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
          EditorView.updateListener.of((u) => u.docChanged && onChange.current(u.state.doc.toString())),
        ],
      }),
    });
    view.current = made;
    opened?.(made);
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const v = view.current;
    const now = v?.state.doc.toString();
    if (now === text) typed.current = new Set([text]);
    else if (v && !typed.current.has(text)) v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const v = view.current;
    if (!v) return;
    const byLine = new Map(told.lines.map((l) => [l.line, l.verdict]));
    v.dispatch({ effects: setVerdicts.of(byLine) });
    v.dispatch(setDiagnostics(v.state, diagnostics(told, v.state.doc.length)));
  }, [told]);
  return <div class="editor" ref={place} />;
}
