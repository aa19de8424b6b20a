// The training film: a model of expressions is trained here and now, and every epoch of it can be looked at again.
import { useEffect, useMemo, useState } from "preact/hooks";
import { film } from "../engine/client";
import type { FilmEpoch, FilmLook, Num, Point } from "../engine/types";
import { Heads } from "../parts/heads";
import { options } from "../parts/options";
import { Plot } from "../parts/plot";
import { Spark } from "../parts/spark";
import { useFilm, useLook, type Training } from "../parts/use_film";
import { Waiting } from "../parts/waiting";
import { MODELS, UNCHOSEN, type ViewProps } from "../state";
import { short, shown } from "../values";

const stillness = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const NAMES: Record<string, string> = { "single-head": "one head", "multi-head": "four heads", block: "a transformer block" };
const FRAME = 250; // ms that an epoch is shown
const FRAME_STILL = 1000; // where less motion is asked for

export function Film({ state, change }: ViewProps) {
  const { training, runs, begin, stop, goOn } = useFilm(state.model);
  const done = training.epochs.length;
  const last = runs && stillness() ? 0 : done;
  const epoch = Math.min(state.epoch ?? last, done);
  const { look, wrong } = useLook(state.expression, epoch, training.start !== undefined);
  const [plays, play] = useState(false);

  useEffect(() => {
    if (!plays) return;
    if (epoch >= done) {
      if (!runs) play(false);
      return;
    }
    const wait = setTimeout(() => change({ epoch: epoch + 1 }), stillness() ? FRAME_STILL : FRAME);
    return () => clearTimeout(wait);
  }, [plays, epoch, done, runs]);

  const show = (n: number) => {
    play(false);
    change({ epoch: Math.max(0, Math.min(n, done)) });
  };
  const keys = (e: KeyboardEvent) => {
    if ((e.target as HTMLElement).closest("input[type=text]") || !["[", "]"].includes(e.key)) return;
    show(epoch + (e.key === "]" ? 1 : -1));
    e.preventDefault();
  };
  const { start } = training;
  if (!start) return <Waiting error={training.failed || undefined} />;
  return (
    <div class="film-view" onKeyDown={keys}>
      <div class="controls">
        <label>
          model
          <select value={state.model} onChange={(e) => change({ model: e.currentTarget.value, epoch: null })}>
            {options(MODELS.map((m) => [m, NAMES[m] ?? m]))}
          </select>
        </label>
        {runs ? (
          <button type="button" onClick={stop}>
            stop
          </button>
        ) : done < start.epochs ? (
          <button type="button" onClick={goOn}>
            train on
          </button>
        ) : null}
        <button type="button" onClick={() => (change({ epoch: null }), begin())}>
          train anew
        </button>
        <span class="progress" aria-live="polite" data-done={done} data-runs={runs}>
          {runs ? `epoch ${done} of ${training.until} …` : `${done} of ${start.epochs} epochs trained`}
        </span>
        {training.failed && <span class="wrong">{training.failed}</span>}
      </div>
      <div class="controls scrubber">
        <button
          type="button"
          aria-pressed={plays}
          disabled={done === 0}
          onClick={() => {
            if (!plays && epoch >= done) change({ epoch: 0 });
            play(!plays);
          }}
        >
          {plays ? "pause" : "play"}
        </button>
        <label>
          epoch {epoch}
          <input
            type="range"
            min={0}
            max={Math.max(done, 1)}
            value={epoch}
            onInput={(e) => show(Number(e.currentTarget.value))}
          />
        </label>
        <label>
          expression
          <input
            type="text"
            class="expression"
            maxLength={30}
            value={state.expression}
            aria-invalid={wrong !== ""}
            onInput={(e) => change({ expression: e.currentTarget.value })}
          />
        </label>
        {wrong && (
          <span class="wrong" role="alert">
            {wrong}
          </span>
        )}
      </div>
      {look && <Seen look={look} epoch={epoch} model={state.model} change={change} />}
      <Curves training={training} epoch={epoch} show={show} />
      <Parameters training={training} epoch={epoch} />
      <p class="hint">
        All 3000 expressions Max, Min and First of three digits; 2400 are trained on, {start.steps} steps an epoch, and 600 are
        held out. The {start.count} numbers of the model are moved against their gradients. Its answer is read at the first
        position, so only what that position looks at counts: the other rows of ∂L/∂S are 0.
      </p>
    </div>
  );
}

interface SeenProps {
  look: FilmLook;
  epoch: number;
  model: string;
  change: ViewProps["change"];
}

function Seen({ look, epoch, model, change }: SeenProps) {
  const given = look.probabilities[look.given] ?? 0;
  const right = look.given === look.answer;
  const [failed, fail] = useState("");
  /// To the board, which has the same numbers as a derivation.
  const trace = (head: number | undefined, cell = "") =>
    film.ask("film_proof", { expression: look.expression, epoch, ...(head === undefined ? {} : { head }) }).then(
      ({ text }) => change({ ...UNCHOSEN, view: "board", example: "own", text, path: cell ? [short(cell)] : [] }),
      (e) => fail(e.message),
    );
  return (
    <section class="seen" data-expression={look.expression} data-epoch={epoch}>
      <h2>
        {look.expression} after epoch {epoch}: the model answers {look.given} with {(100 * given).toFixed(1)} %,{" "}
        <span class={right ? "right" : "wrong"}>{right ? "✓ which is right" : `✗ right is ${look.answer}`}</span>
      </h2>
      <Heads look={look} trace={trace} />
      <p class="hint">
        {TRACED[model]}{" "}
        {model === "single-head" && (
          <button type="button" onClick={() => trace(0)}>
            every number of it on the board
          </button>
        )}
        {failed && <span class="wrong">{failed}</span>}
      </p>
    </section>
  );
}

const CLICK = "Click a number, or press Enter on it: the board shows what it is the sum of";
const TRACED: Record<string, string> = {
  "single-head": `${CLICK}.`,
  "multi-head": `${CLICK}, head by head; what the other heads add to the answer is a given number there.`,
  block: `${CLICK}, head by head; what follows a head in the block stands there as the gradient of its output.`,
};

const by = (epochs: FilmEpoch[], of: (e: FilmEpoch) => Num): Point[] => epochs.map((e) => [e.epoch, of(e)]);

interface OfEpoch {
  training: Training;
  epoch: number;
}

function Curves({ training, epoch, show }: OfEpoch & { show: (n: number) => void }) {
  const { start, epochs } = training;
  const at = epochs[epoch - 1];
  const plots = useMemo(() => {
    if (!start) return [];
    const from = (of: "loss" | "accuracy" | "entropy"): Point[] => [
      [0, start.validation[of]],
      ...by(epochs, (e) => e.validation[of]),
    ];
    return [
      {
        name: "loss",
        label: "the loss, held out and (dashed) in training",
        curves: [
          { points: from("loss"), kind: "loss" },
          { points: by(epochs, (e) => e.loss), kind: "tangent" },
        ],
      },
      { name: "accuracy", label: "the share of right answers, held out", curves: [{ points: from("accuracy"), kind: "loss" }] },
      {
        name: "entropy of A",
        label: "the mean entropy of the rows of A, of the largest possible",
        curves: [{ points: from("entropy"), kind: "loss" }],
      },
      {
        name: "norm of the gradient",
        label: "the norm of all gradients together, at the last step of each epoch",
        curves: [{ points: by(epochs, (e) => e.gradient_norm), kind: "loss" }],
      },
    ];
  }, [start, epochs]);
  if (!start) return null;
  const v = at?.validation ?? start.validation;
  return (
    <section class="curves">
      <p class="numbers" aria-live="off">
        <b>Held out:</b> loss <span data-exact={String(v.loss)}>{shown(v.loss)}</span>, right{" "}
        <span data-exact={String(v.accuracy)}>{typeof v.accuracy === "number" ? (100 * v.accuracy).toFixed(1) : "?"} %</span>,
        entropy of A {shown(v.entropy)} of 1.
        {at && ` In training (dashed): loss ${shown(at.loss)}; all gradients together have the norm ${shown(at.gradient_norm)}.`}
      </p>
      <div class="plots">
        {plots.map((p) => (
          <figure key={p.name}>
            <figcaption>{p.name}</figcaption>
            <Plot {...p} up="" across="epoch" mark={epoch} drag={(x) => show(Math.round(x))} />
          </figure>
        ))}
      </div>
    </section>
  );
}

function Parameters({ training, epoch }: OfEpoch) {
  const { start, epochs } = training;
  const at = epochs[epoch - 1];
  return (
    <section class="parameters">
      <h2>The gradient of each parameter, its norm at the last step of the epoch</h2>
      <div class="sideways">
        {(start?.parameters ?? []).map((p, i) => (
          <div class="parameter" key={p.name} data-parameter={p.name}>
            <span>
              {p.name} <small>{p.shape.join(" × ")}</small>
            </span>
            <b data-exact={String(at?.gradients[i]?.norm ?? "")}>{at ? shown(at.gradients[i]?.norm ?? 0) : "–"}</b>
            <Spark values={epochs.map((e) => e.gradients[i]?.norm ?? 0)} at={epoch - 1} across={training.until} />
          </div>
        ))}
      </div>
    </section>
  );
}
