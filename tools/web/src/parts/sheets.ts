// A worksheet as a form: its exercises, each with what is asked, hints, and the derivation whose claim is the answer.
import { LONGEST, packed, START, unpacked, write } from "../state";

export interface Task {
  keys: string[]; // further comments, #! name values
  statement: string;
  hints: string[];
  proof: string;
}

const MARK = "gradproof worksheet 1\n";

/// The exercises of a text: a comment #! after a derivation begins the next one.
export function tasksOf(text: string): Task[] {
  const all: Task[] = [];
  let now: Task | undefined;
  for (const line of text.split("\n")) {
    const note = /^#!\s*(\S+)\s*(.*)$/.exec(line);
    if (!now || (note && now.proof.trim() !== "")) all.push((now = { keys: [], statement: "", hints: [], proof: "" }));
    if (!note) now.proof += `${line}\n`;
    else if (note[1] === "statement") now.statement = note[2] ?? "";
    else if (note[1] === "hint") now.hints.push(note[2] ?? "");
    else now.keys.push(`${note[1]} ${note[2]}`);
  }
  return all.filter((t) => t.proof.trim() !== "" || t.statement !== "").map((t) => ({ ...t, proof: t.proof.trim() }));
}

/// A line of such a text as its teacher knows it: "Exercise 2, line 7", counted in its derivation.
export function placeOf(text: string, line: number): string {
  let [exercise, began, notes] = [0, 0, true];
  for (const [i, content] of text.split("\n").slice(0, line).entries()) {
    const note = content.startsWith("#!");
    if (note && (exercise === 0 || !notes)) ++exercise;
    if (!note && notes) began = i;
    notes = note || (content.trim() === "" && notes);
  }
  return notes ? `Exercise ${exercise}` : `Exercise ${exercise}, line ${line - began}`;
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

export function textOfTasks(tasks: Task[]): string {
  return tasks
    .map((t, i) => {
      const keys = t.keys.some((k) => k.startsWith("name ")) ? t.keys : [`name exercise_${i + 1}`, ...t.keys];
      const notes = [...keys, `statement ${oneLine(t.statement)}`, ...t.hints.filter(oneLine).map((h) => `hint ${oneLine(h)}`)];
      return `${notes.map((n) => `#! ${n}\n`).join("")}${t.proof.trim()}\n`;
    })
    .join("\n");
}

/// What follows # in the address for who works through it; "" where it is too long for an address.
export function fragmentOf(sheet: string): string {
  const fragment = write({ ...START, view: "sheet", sheet });
  return fragment.length <= LONGEST && fragment.includes("sheet=") ? fragment : "";
}

/// A file that holds more than an address: packed as there, so that answers do not meet the eye.
export const fileOf = (sheet: string): string => MARK + packed(sheet);

/// The exercises of such a file, or of one as the program reads it. Errors: Error in one sentence.
export function sheetOfFile(name: string, content: string): string {
  if (!content.startsWith(MARK)) return content;
  try {
    return unpacked(content.slice(MARK.length).trim());
  } catch {
    throw new Error(`${name}: it is cut short or changed, and cannot be unpacked`);
  }
}
