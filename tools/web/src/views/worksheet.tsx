// A worksheet: a teacher makes it and hands on a link or a file; a student works through it, judged as on the page's own exercises.
import { useState } from "preact/hooks";
import first from "../../examples/sheet.proof";
import { judge } from "../engine/client";
import type { Exercise, ProofReport } from "../engine/types";
import { Answer } from "../parts/answer";
import { Editor } from "../parts/editor";
import { ExerciseList } from "../parts/exercise_list";
import { fits, OpenFile, save, useDropped } from "../parts/open_file";
import { fileOf, fragmentOf, placeOf, sheetOfFile, tasksOf, textOfTasks, type Task } from "../parts/sheets";
import { useAsked } from "../parts/use_asked";
import { Waiting } from "../parts/waiting";
import { LONGEST, type ViewProps } from "../state";

/// The exercises of a text as the engine reads them; a text where a claim is wrong, or something is missing.
function useSheet(text: string): Exercise[] | string | undefined {
  const [found, set] = useState<Exercise[] | string>();
  const blank = text.trim() === "";
  useAsked(
    () => (blank ? undefined : judge.ask("exercises", { set: text }, "sheet")),
    [text],
    set,
    (why) => set(why.replace(/^exercise: set\.proof:(\d+)/, (_, line: string) => placeOf(text, Number(line)))),
    250,
  );
  return blank ? "There is no exercise in it yet." : found;
}

export function Worksheet({ state, change }: ViewProps) {
  const [previews, preview] = useState(false);
  const making = state.edits || state.sheet === "";
  if (making && !previews)
    return (
      <Making text={state.sheet || first} change={(sheet) => change({ sheet, edits: true })} preview={() => preview(true)} />
    );
  return (
    <>
      {making && (
        <div class="controls">
          <button type="button" onClick={() => preview(false)}>
            back to the editor
          </button>
        </div>
      )}
      <Working state={{ ...state, sheet: state.sheet || first }} change={change} />
    </>
  );
}

function Working({ state, change }: ViewProps) {
  const all = useSheet(state.sheet);
  const [at, go] = useState(0);
  if (typeof all !== "object") return <Waiting error={all && `This worksheet cannot be used. ${all}`} />;
  const chosen = all[at] ?? all[0];
  return (
    <div class="exercises-view sheet-working">
      <ExerciseList
        label="exercises of the worksheet"
        all={all}
        chosen={chosen}
        done={state.solved}
        choose={(e) => go(all.indexOf(e))}
        shown={(e) => `${all.indexOf(e) + 1}. ${e.title}`}
      />
      {chosen && (
        <Answer
          key={chosen.name}
          exercise={chosen}
          set={state.sheet}
          sheet
          right={() => !state.solved.includes(chosen.name) && change({ solved: [...state.solved, chosen.name] })}
          {...(all.length > 1 ? { next: () => go((at + 1) % all.length) } : {})}
        />
      )}
    </div>
  );
}

const EMPTY: Task = {
  keys: [],
  statement: "",
  hints: [],
  proof: 'title "A new one"\ninput X [2, 3]\nforward\n  Y = 2 X\nclaim\n  ∂L/∂X = 2 ∂L/∂Y',
};

function Making({ text, change, preview }: { text: string; change: (sheet: string) => void; preview: () => void }) {
  const [typed, type] = useState<Task[]>([]); // with blanks and empty lines, which the text is written without
  const tasks = textOfTasks(typed) === text ? typed : tasksOf(text);
  const [at, go] = useState(0);
  const [problem, tell] = useState("");
  const all = useSheet(text);
  const put = (next: Task[]) => {
    type(next);
    tell("");
    change(textOfTasks(next));
  };
  const task = tasks[at];
  const edit = (by: Partial<Task>) => put(tasks.map((t, i) => (i === at ? { ...t, ...by } : t)));
  const open = async ([file]: File[]) => {
    if (!file) return;
    try {
      const why = fits(file);
      if (why) throw new Error(why);
      const sheet = sheetOfFile(file.name, await file.text());
      const found = tasksOf(sheet);
      if (found.length === 0) throw new Error(`${file.name}: there are no exercises in it`);
      go(0);
      put(found);
    } catch (e) {
      tell((e as Error).message);
    }
  };
  useDropped(open);
  return (
    <div class="sheet-making">
      <div class="controls" role="group" aria-label="exercises">
        {tasks.map((_, i) => (
          <button type="button" key={i} aria-pressed={i === at} aria-label={`exercise ${i + 1}`} onClick={() => go(i)}>
            {i + 1}
          </button>
        ))}
        <button type="button" onClick={() => (put([...tasks, EMPTY]), go(tasks.length))}>
          a further one
        </button>
        <button
          type="button"
          disabled={tasks.length < 2}
          onClick={() => {
            put(tasks.filter((_, i) => i !== at));
            go(Math.max(0, at - 1));
          }}
        >
          remove this one
        </button>
        <OpenFile name="open a file" accept=".proof,.worksheet,text/plain" opened={open} />
      </div>
      <div class="desk-view">
        {task && <Form key={`${at} of ${tasks.length}`} task={task} edit={edit} />}
        <Handing text={text} all={all} problem={problem} preview={preview} />
      </div>
    </div>
  );
}

function Form({ task, edit }: { task: Task; edit: (by: Partial<Task>) => void }) {
  const [report, set] = useState<ProofReport>();
  useAsked(() => judge.ask("check", { file: "worksheet.proof", text: task.proof }, "check"), [task.proof], set);
  return (
    <section class="form">
      <label>
        what is asked, in words
        <textarea rows={2} value={task.statement} onInput={(e) => edit({ statement: e.currentTarget.value })} />
      </label>
      <label>
        hints, one a line, the gentlest first
        <textarea rows={3} value={task.hints.join("\n")} onInput={(e) => edit({ hints: e.currentTarget.value.split("\n") })} />
      </label>
      <p>the derivation; its one claim is the answer, which students do not see</p>
      <Editor
        text={task.proof}
        label="derivation"
        told={{ lines: report?.lines ?? [], error: report?.error }}
        changed={(proof) => edit({ proof })}
      />
    </section>
  );
}

interface Handed {
  text: string;
  all: Exercise[] | string | undefined;
  problem: string;
  preview: () => void;
}

function Handing({ text, all, problem, preview }: Handed) {
  const fragment = fragmentOf(text);
  const link = location.href.split("#")[0] + fragment;
  const good = typeof all === "object";
  return (
    <section class="handing" aria-live="polite">
      {problem && <Waiting error={problem} />}
      {good ? (
        <p class="right">
          ✓ {all.length} {all.length === 1 ? "exercise" : "exercises"}, every claim right
        </p>
      ) : (
        <Waiting error={all && `Not to be handed on yet. ${all}`} />
      )}
      {good && fragment && (
        <label>
          the link, {fragment.length} of {LONGEST} characters
          <input type="text" class="link-to-sheet" readOnly value={link} onFocus={(e) => e.currentTarget.select()} />
        </label>
      )}
      {good && !fragment && <p class="too-long">It is too long for a link: save it as a file, which this page opens again.</p>}
      <div class="controls">
        <button type="button" disabled={!good} onClick={preview}>
          as a student sees it
        </button>
        <button type="button" disabled={!good} onClick={() => save("exercises.worksheet", fileOf(text))}>
          save as a file
        </button>
      </div>
      <p class="hint">
        Link and file hold the answers too, packed so that they do not meet the eye. They are no secret: who unpacks them can read
        them, so do not grade by this alone.
      </p>
    </section>
  );
}
