// The engine as the page asks it: one promise a question. A question takes the place of an older one of its kind that still
// waits; one that would wait for a long call ends that call, and the worker starts anew.
import { gunzipSync, strFromU8 } from "fflate";
import { bytesOf } from "./bytes";
import type {
  CellReport,
  CheckReport,
  Exercise,
  Explanation,
  FilmEpoch,
  FilmLook,
  FilmStart,
  Judged,
  Num,
  Nudge,
  Replay,
  Titled,
  Values,
  Words,
} from "./types";

interface Calls {
  version: { ask: object; gives: { version: string } };
  explain: { ask: { text: string }; gives: Explanation[] };
  cell: { ask: { text: string; cell: string }; gives: CellReport };
  values: { ask: { text: string; gradients: string[] }; gives: Values[] };
  nudge: { ask: { text: string; entry: string; at?: number; reach?: number; steps: number[] }; gives: Nudge };
  words: { ask: { words: number }; gives: Words };
  words_time: { ask: { words: number }; gives: { few: number; many: number; times: number } };
  check: { ask: { file: string; text: string; chain?: boolean }; gives: CheckReport };
  derive: { ask: { file: string; text: string }; gives: { text: string } };
  print: { ask: { file: string; text: string; as: string }; gives: { text: string } };
  latex: { ask: { text: string; formulas: string[] }; gives: (string | null)[] };
  library: { ask: object; gives: Titled[] };
  library_text: { ask: { name: string }; gives: { text: string } };
  exercises: { ask: { set?: string }; gives: Exercise[] };
  hints: { ask: { exercise: string; set?: string; own?: boolean }; gives: string[] };
  judge: { ask: { exercise: string; set?: string; answer: string; why?: boolean; repair?: boolean }; gives: Judged };
  film_start: { ask: { model: string }; gives: FilmStart };
  film_epoch: { ask: object; gives: FilmEpoch };
  film_look: { ask: { expression: string; epoch: number }; gives: FilmLook };
  film_proof: { ask: { expression: string; epoch: number; head?: number }; gives: { text: string } };
  replay: { ask: { text: string }; gives: Replay };
  documents: { ask: object; gives: Titled[] };
  document_text: { ask: { name: string }; gives: { text: string } };
  npy: { ask: { name: string; bytes: number[] }; gives: { text: string } };
  descent: { ask: { text: string; moves: string; rate: number; steps: number }; gives: { losses: Num[] } };
}
type CallName = keyof Calls;

class EngineError extends Error {}
/// A newer question took its place.
export class Superseded extends Error {}

interface Waiting {
  id: number;
  lane: string;
  question: string;
  resolve: (value: unknown) => void;
  reject: (reason: Error) => void;
  sent?: true;
}

const PATIENCE = 1000; // ms that a newer question of the same kind waits before the older call is ended

const embedded = (id: string): string => document.getElementById(id)?.textContent ?? "";
export const embeddedText = (id: string): string => strFromU8(gunzipSync(bytesOf(embedded(id))));

let workerAddress: string | undefined;
function workerSource(): string {
  workerAddress ??= URL.createObjectURL(new Blob([embeddedText("engine-worker")], { type: "text/javascript" }));
  return workerAddress;
}

/// The first worker unpacks and compiles the engine while the page is drawn, and gives it back for those that come after it.
let compiled: Promise<WebAssembly.Module> | undefined;
function compiledBy(worker: Worker): Promise<WebAssembly.Module> {
  worker.postMessage({ packed: embedded("engine-wasm") });
  return new Promise((resolve, reject) => {
    const refused =
      "This browser cannot run the engine: it lacks WebAssembly exceptions or vectors (Chrome 95, Firefox 100, Safari 16.4).";
    worker.onmessage = ({ data }) => (data.module ? resolve(data.module) : reject(new EngineError(refused)));
    worker.onerror = () => reject(new EngineError(refused));
  });
}

export class Engine {
  private worker: Worker | undefined;
  private starting: Promise<Worker> | undefined;
  private waiting: Waiting[] = [];
  private next = 1;
  private broken: EngineError | undefined;

  /// `keeps`: its worker holds what further questions need, so that no call is ended for a newer one.
  constructor(private readonly keeps = false) {}

  /// `lane` names the kind; "" for questions that all want their answer.
  ask<C extends CallName>(call: C, ask: Calls[C]["ask"], lane = ""): Promise<Calls[C]["gives"]> {
    return new Promise((resolve, reject) => {
      if (this.broken) return reject(this.broken);
      const one: Waiting = {
        id: this.next++,
        lane,
        question: JSON.stringify({ call, ...ask }),
        resolve: resolve as (value: unknown) => void,
        reject,
      };
      this.drop((w) => lane !== "" && w.lane === lane && !w.sent);
      this.waiting.push(one);
      const running = this.waiting.find((w) => w.sent);
      if (running && lane !== "" && running.lane === lane && !this.keeps) this.restartFor(one, running);
      this.send();
    });
  }

  private drop(which: (w: Waiting) => boolean) {
    const dropped = this.waiting.filter(which);
    this.waiting = this.waiting.filter((w) => !which(w));
    for (const w of dropped) w.reject(new Superseded());
  }

  /// Ends the call that runs if a newer one still waits for it after a while. A worker that only starts is waited for.
  private restartFor(newer: Waiting, running: Waiting) {
    setTimeout(() => {
      if (!this.waiting.includes(running) || !this.waiting.includes(newer)) return;
      if (!this.worker) return this.restartFor(newer, running);
      this.end();
      this.drop((w) => w === running);
      this.send();
    }, PATIENCE);
  }

  private end() {
    this.worker?.terminate();
    this.worker = undefined;
    this.starting = undefined;
  }

  private async send() {
    const first = this.waiting[0];
    if (!first || this.waiting.some((w) => w.sent)) return;
    first.sent = true;
    try {
      this.worker = await this.started();
      this.worker.postMessage({ id: first.id, question: first.question });
    } catch (reason) {
      this.broken = reason instanceof EngineError ? reason : new EngineError(`The engine does not start: ${String(reason)}`);
      for (const w of this.waiting.splice(0)) w.reject(this.broken);
    }
  }

  /// Starts its worker before there is a question. What goes wrong is told to the first one.
  prepare() {
    this.started().catch(() => {});
  }

  private started(): Promise<Worker> {
    this.starting ??= this.start();
    return this.starting;
  }

  private async start(): Promise<Worker> {
    const worker = new Worker(workerSource());
    const first = !compiled;
    compiled ??= compiledBy(worker);
    const module = await compiled;
    worker.onmessage = ({ data }) => this.receive(data);
    worker.onerror = () => this.receive({ failed: "its worker ended" });
    if (!first) worker.postMessage({ module });
    return worker;
  }

  private receive(data: { id?: number; answer?: string; failed?: string }) {
    const done = this.waiting.find((w) => w.sent);
    if (data.failed !== undefined) {
      this.end(); // the next question starts another
      this.waiting = this.waiting.filter((w) => w !== done);
      done?.reject(new EngineError("That was too much for the engine; it was started again."));
      this.send();
      return;
    }
    if (!done || done.id !== data.id) return;
    this.waiting = this.waiting.filter((w) => w !== done);
    const answer = JSON.parse(data.answer ?? "{}");
    if (answer.error) done.reject(new EngineError(answer.error.text));
    else done.resolve(answer.ok);
    this.send();
  }
}

/// One for what is shown, which has to be quick; one for what is judged, which may take its time; one that trains.
export const board = new Engine();
export const judge = new Engine();
export const film = new Engine(true);
