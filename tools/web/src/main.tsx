// The page: its menu, the view that is open, and what one sees kept in the address.
import { Fragment, render } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { board, embeddedText } from "./engine/client";
import { EXAMPLES } from "./examples";
import { OwnNumbers } from "./parts/own_numbers";
import { options } from "./parts/options";
import { read, UNCHOSEN, write, type State, type View, type ViewProps } from "./state";
import { Board } from "./views/board";
import { Desk } from "./views/desk";
import { Exercises } from "./views/exercises";
import { Film } from "./views/film";
import { Lab } from "./views/lab";
import { Lens } from "./views/lens";
import { NudgeView } from "./views/nudge";
import { Notes } from "./views/notes";
import { Path } from "./views/path";
import { Worksheet } from "./views/worksheet";

const NAMES: Record<View, string> = {
  board: "Board",
  nudge: "Nudge",
  lens: "Softmax lens",
  path: "Guided path",
  exercises: "Exercises",
  lab: "Bug lab",
  film: "Training film",
  desk: "Proof desk",
  sheet: "Worksheet",
  notes: "Own notes",
};
const VIEW_OF: Record<View, (p: ViewProps) => preact.JSX.Element | null> = {
  board: Board,
  nudge: NudgeView,
  lens: Lens,
  path: Path,
  exercises: Exercises,
  lab: Lab,
  film: Film,
  desk: Desk,
  sheet: Worksheet,
  notes: Notes,
};
const HAVE_EXAMPLE: View[] = ["board", "nudge", "lens"];

function Page() {
  const [{ state, notice }, set] = useState(() => read(location.hash));
  const written = useRef(location.hash);
  const change = useCallback((by: Partial<State>) => set((now) => ({ state: { ...now.state, ...by }, notice: "" })), []);

  useEffect(() => {
    const wait = setTimeout(() => {
      const hash = write(state);
      if (notice || hash === written.current) return;
      const further = read(written.current).state.view !== state.view; // which the browser's "back" leaves again
      written.current = hash;
      if (further) history.pushState(null, "", hash);
      else history.replaceState(null, "", hash);
    }, 150);
    return () => clearTimeout(wait);
  }, [state, notice]);
  useEffect(() => {
    const changed = () => {
      written.current = location.hash;
      set(read(location.hash));
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);

  const [help, showHelp] = useState(false);
  const keys = (e: KeyboardEvent) => {
    const typing = (e.target as HTMLElement).closest("input, select, textarea, [contenteditable]");
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "?") showHelp((h) => !h);
    else if (e.key === "n" && state.view === "board") {
      const cell = (e.target as HTMLElement).dataset["cell"] ?? "";
      change({ view: "nudge", entry: cell.startsWith("∂") ? "" : cell, at: null });
    } else return;
    e.preventDefault();
  };
  useEffect(() => {
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  });

  const Shown = VIEW_OF[state.view];
  return (
    <div class={`page ${state.embed ? "embed" : ""} at-${state.view}`}>
      {!state.embed && <Header state={state} change={change} help={() => showHelp(true)} />}
      {notice && (
        <p class="notice" role="alert">
          {notice}{" "}
          <button type="button" onClick={() => change({})}>
            good
          </button>
        </p>
      )}
      <main aria-label={NAMES[state.view]}>
        <Shown state={state} change={change} />
      </main>
      {help && <Help close={() => showHelp(false)} />}
    </div>
  );
}

function Header({ state, change, help }: ViewProps & { help: () => void }) {
  return (
    <header>
      <h1>gradproof</h1>
      <nav aria-label="views">
        {(Object.keys(NAMES) as View[]).map((v) => (
          <button type="button" key={v} aria-current={state.view === v ? "page" : undefined} onClick={() => change({ view: v })}>
            {NAMES[v]}
          </button>
        ))}
      </nav>
      {HAVE_EXAMPLE.includes(state.view) && (
        <>
          <OwnNumbers change={change} />
          <label class="example">
            <span class="unseen">example</span>
            <select value={state.example} onChange={(e) => change({ ...UNCHOSEN, example: e.currentTarget.value })}>
              {options(EXAMPLES.map((e) => [e.name, e.title]))}
              {state.text !== "" && <option value="own">your own</option>}
            </select>
          </label>
        </>
      )}
      <button type="button" class="quiet" onClick={help} aria-label="help">
        ?
      </button>
    </header>
  );
}

const KEYS: [string, string][] = [
  ["arrows", "from cell to cell, also into the next matrix"],
  ["Enter", "keep a cell; once more, go into its largest factor"],
  ["Backspace", "back towards where you came from"],
  ["[ and ]", "the step before, the next step"],
  ["n", "nudge this entry"],
  ["Esc", "let go of the cell"],
  ["?", "this help"],
];

function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [licences, show] = useState("");
  const [version, setVersion] = useState("");
  useEffect(() => {
    dialog.current?.showModal();
    board.ask("version", {}).then(
      (v) => setVersion(v.version),
      () => {},
    );
  }, []);
  return (
    <dialog ref={dialog} onClose={close} aria-label="help">
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
      <p>
        Colours go with signs: what adds is blue, what takes away orange and hatched. The address holds what you see: copy it to
        come back. Nothing leaves this page.
      </p>
      <p>Rows, columns, components and heads are counted from 0, in cells and in formulas: K[2,1] is in the third row.</p>
      <p>
        Engine {version}.{" "}
        <button type="button" class="link" onClick={() => show(embeddedText("licences"))}>
          Licences of what is inside
        </button>
      </p>
      {licences && <pre class="licences">{licences}</pre>}
      <button type="button" onClick={() => dialog.current?.close()}>
        close
      </button>
    </dialog>
  );
}

const place = document.getElementById("page");
if (place) {
  board.prepare();
  place.replaceChildren();
  render(<Page />, place);
}
