// What one sees, as the fragment of the address: #v=1&view=board&example=cat_sat&cell=dK[2,1]. Texts are deflated, in base64url.
import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";
import { isExample } from "./examples";
import { STEPS } from "./parts/steps";

const VIEWS = ["board", "nudge", "lens", "path", "exercises", "lab", "film", "desk", "sheet", "notes"] as const;
export type View = (typeof VIEWS)[number];

export interface State {
  view: View;
  example: string; // "own": the text is the reader's
  text: string; // of one's own board
  path: string[]; // the cells that one descended through
  messages: "" | "forward" | "backward"; // which way they are shown; "": they are closed
  sum: string; // what they add up to; "" for the first such value
  node: number | null; // whose sum is shown
  other: number | null; // whose message to it is told
  words: number | null; // so many for which costs are counted; null: that is closed
  entry: string; // that is nudged
  at: number | null; // where it is moved to
  h: number; // the exponent of the step
  row: number; // of the lens
  scale: number; // an exponent of 2
  root: boolean; // whether scores are divided by √d
  noise: number; // of its outputs, an exponent of 2
  step: number; // of the guided path, from 1
  walked: string[]; // its steps whose line is written
  slip: string; // that is planted in the bug lab; "hidden": to be found
  trains: boolean; // whether the bug lab trains with the slip
  model: string; // that the film trains
  epoch: number | null; // that it shows; null: the last one
  expression: string; // that it shows
  exercise: string;
  done: string[]; // names of exercises
  desk: string; // the text of the proof desk; "" for its first one
  sheet: string; // the exercises of a worksheet; "" for none yet
  edits: boolean; // whether it is made, and not worked through
  solved: string[]; // names of its exercises
  notes: string; // that are replayed; "" for the first ones
  embed: boolean; // one view, nothing around it
}

/// What a view is given.
export interface ViewProps {
  state: State;
  change: (by: Partial<State>) => void;
}

/// What `gradproof explain --html` and `check --html` lay into the page: where it opens, and the derivation there.
function laid(): Partial<State> {
  const start = document.getElementById("start")?.textContent;
  if (!start) return {};
  const { view, text } = JSON.parse(start) as { view: string; text: string };
  return view === "desk" ? { view, desk: text } : { view: "board", example: "own", text };
}

export const START: State = {
  view: "board",
  example: "cat_sat",
  text: "",
  path: [],
  messages: "",
  sum: "",
  node: null,
  other: null,
  words: null,
  entry: "",
  at: null,
  h: -3,
  row: 0,
  scale: 0,
  root: true,
  noise: -1,
  step: 1,
  walked: [],
  slip: "row",
  trains: false,
  model: "single-head",
  epoch: null,
  expression: "Max(1,6,2)",
  exercise: "",
  done: [],
  desk: "",
  sheet: "",
  edits: false,
  solved: [],
  notes: "",
  embed: false,
  ...laid(),
};

/// Of the messages between words, and of all of another derivation, nothing is chosen yet.
export const NO_SUM = { sum: "", node: null, other: null };
export const UNCHOSEN = { path: [], entry: "", at: null, row: 0, ...NO_SUM };

/// The numbers of words for which costs are counted.
export const WORDS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/// What the film can train, by its name in the engine.
export const MODELS = ["single-head", "multi-head", "block"];

const VERSION = "1";
export const LONGEST = 4096; // characters of a fragment that is read
const LONGEST_TEXT = 64 << 10; // characters of a text within it
const ENTRY = "[^\\s<>&\"'[\\]]{1,40}(\\[\\d{1,4}(,\\d{1,4}){0,3}\\])?"; // of a number the name alone
const CELL = new RegExp(`^${ENTRY}(/${ENTRY})?$`, "u");
const NAMED = /^[^\s<>&"'[\]]{1,40}$/u;
const EXPRESSION = /^[\w(), ]{1,30}$/;
const NAME = /^[a-z0-9_]{1,40}$/;

export function packed(text: string): string {
  const bytes = deflateSync(strToU8(text), { level: 9 });
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

export function unpacked(text: string): string {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const inflated = inflateSync(bytes, { out: new Uint8Array(LONGEST_TEXT) }); // what is longer is cut there
  if (inflated.length === LONGEST_TEXT) throw new RangeError("too long a text");
  return strFromU8(inflated);
}

/// The state of a fragment, and what of it was left aside, in one sentence.
export function read(fragment: string): { state: State; notice: string } {
  const text = fragment.replace(/^#/, "");
  if (text === "") return { state: START, notice: "" };
  if (text.length > LONGEST)
    return { state: START, notice: `The address holds ${text.length} characters, more than ${LONGEST}; it was left aside.` };
  const given = new URLSearchParams(text);
  const version = given.get("v");
  if (version !== VERSION)
    return { state: START, notice: "The address was written by another version of this page; it was left aside." };
  const state = { ...START };
  const refused: string[] = [];
  const take = (key: string, accept: (value: string) => boolean) => {
    const value = given.get(key);
    if (value === null) return;
    try {
      if (accept(value)) return;
    } catch {
      // what cannot be unpacked is refused as well
    }
    refused.push(key);
  };
  const whole = (value: string, low: number, high: number, set: (n: number) => void) => {
    const n = /^-?\d{1,3}$/.test(value) ? Number(value) : Number.NaN;
    const fits = n >= low && n <= high;
    if (fits) set(n);
    return fits;
  };
  take("view", (v) => VIEWS.includes(v as View) && !!(state.view = v as View));
  take("example", (v) => (isExample(v) || v === "own") && !!(state.example = v));
  take("text", (v) => !!(state.text = unpacked(v)));
  take("cell", (v) => v.split("~").every((c) => CELL.test(c)) && !!(state.path = v.split("~")));
  take("messages", (v) => (v === "forward" || v === "backward") && !!(state.messages = v));
  take("sum", (v) => NAMED.test(v) && !!(state.sum = v));
  take("node", (v) => whole(v, 0, 99, (n) => (state.node = n)));
  take("other", (v) => whole(v, 0, 99, (n) => (state.other = n)));
  take("words", (v) => WORDS.includes(Number(v)) && !!(state.words = Number(v)));
  take("entry", (v) => CELL.test(v) && !!(state.entry = v));
  take("at", (v) => v !== "" && Number.isFinite(Number(v)) && Math.abs(Number(v)) < 1e6 && ((state.at = Number(v)), true));
  take("h", (v) => whole(v, -12, -1, (n) => (state.h = n)));
  take("row", (v) => whole(v, 0, 99, (n) => (state.row = n)));
  take("scale", (v) => whole(v, -2, 6, (n) => (state.scale = n)));
  take("noise", (v) => whole(v, -4, 2, (n) => (state.noise = n)));
  take("root", (v) => (v === "0" || v === "1") && ((state.root = v === "1"), true));
  take("step", (v) => whole(v, 1, STEPS.length, (n) => (state.step = n)));
  take("walked", (v) => v.split(".").every((n) => NAME.test(n)) && !!(state.walked = v.split(".")));
  take("slip", (v) => (v === "" || NAME.test(v)) && ((state.slip = v), true));
  take("trains", (v) => v === "1" && (state.trains = true));
  take("model", (v) => MODELS.includes(v) && !!(state.model = v));
  take("epoch", (v) => whole(v, 0, 30, (n) => (state.epoch = n)));
  take("expression", (v) => EXPRESSION.test(v) && !!(state.expression = v));
  take("exercise", (v) => NAME.test(v) && !!(state.exercise = v));
  take("done", (v) => v.split(".").every((n) => NAME.test(n)) && !!(state.done = v.split(".")));
  take("desk", (v) => !!(state.desk = unpacked(v)));
  take("sheet", (v) => !!(state.sheet = unpacked(v)));
  take("edits", (v) => v === "1" && (state.edits = true));
  take("solved", (v) => v.split(".").every((n) => NAME.test(n)) && !!(state.solved = v.split(".")));
  take("notes", (v) => !!(state.notes = unpacked(v)));
  take("embed", (v) => v === "1" && (state.embed = true));
  if (state.example === "own" && state.text === "") state.example = START.example;
  const notice = refused.length
    ? `The address holds what this page cannot read: ${refused.join(", ")}; that was left aside.`
    : "";
  return { state, notice };
}

export function write(s: State): string {
  const out = new URLSearchParams({ v: VERSION, view: s.view });
  const add = (key: string, value: string, first: string) => value !== first && out.set(key, value);
  add("example", s.example, START.example);
  if (s.example === "own" && s.text !== START.text) out.set("text", packed(s.text));
  add("cell", s.path.join("~"), "");
  if (s.view === "board" && s.messages !== "") {
    out.set("messages", s.messages);
    add("sum", s.sum, "");
    if (s.node !== null) out.set("node", String(s.node));
    if (s.other !== null) out.set("other", String(s.other));
  }
  if (s.view === "board" && s.words !== null) out.set("words", String(s.words));
  if (s.view === "nudge") {
    add("entry", s.entry, "");
    if (s.at !== null) out.set("at", String(s.at));
    add("h", String(s.h), String(START.h));
  }
  if (s.view === "lens") {
    add("row", String(s.row), "0");
    add("scale", String(s.scale), "0");
    add("root", s.root ? "1" : "0", "1");
    add("noise", String(s.noise), String(START.noise));
  }
  add("step", String(s.step), "1");
  add("walked", s.walked.join("."), "");
  if (s.view === "lab") {
    add("slip", s.slip, "row");
    if (s.trains) out.set("trains", "1");
  }
  if (s.view === "film") {
    add("model", s.model, START.model);
    if (s.epoch !== null) out.set("epoch", String(s.epoch));
    if (EXPRESSION.test(s.expression)) add("expression", s.expression, START.expression);
  }
  if (s.view === "exercises") add("exercise", s.exercise, "");
  add("done", s.done.join("."), "");
  if (s.view === "sheet" && s.sheet !== "") {
    out.set("sheet", packed(s.sheet));
    if (s.edits) out.set("edits", "1");
    add("solved", s.solved.join("."), "");
  }
  if (s.view === "notes" && s.notes !== "") out.set("notes", packed(s.notes));
  if (s.desk !== START.desk) out.set("desk", packed(s.desk));
  if (s.embed) out.set("embed", "1");
  const text = out.toString();
  return text.length <= LONGEST ? `#${text}` : `#v=${VERSION}&view=${s.view}`;
}
