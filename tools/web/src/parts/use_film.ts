// A training in its worker, an epoch a question, for as long as the view is open and nobody stops it.
import { useEffect, useRef, useState } from "preact/hooks";
import { film } from "../engine/client";
import type { FilmEpoch, FilmLook, FilmStart } from "../engine/types";
import { useAsked } from "./use_asked";

/// Epochs of each model until it answers nearly all right; further ones when they are asked for.
const FIRST: Record<string, number> = { "single-head": 30, "multi-head": 12, block: 8 };

export interface Training {
  start?: FilmStart;
  epochs: FilmEpoch[];
  until: number;
  failed: string;
}
const NOTHING: Training = { epochs: [], until: 0, failed: "" };

export function useFilm(model: string) {
  const [training, set] = useState(NOTHING);
  const [runs, setRuns] = useState(false);
  const turn = useRef(0); // counts what was begun: what is not the last one of it is dropped
  const stopped = useRef(false); // after the epoch that runs, which still counts

  /// What `work` does until something else is begun, and what went wrong with it.
  const run = async (work: (here: () => boolean) => Promise<void>) => {
    const mine = ++turn.current;
    const here = () => turn.current === mine;
    stopped.current = false;
    setRuns(true);
    try {
      await work(here);
    } catch (e) {
      if (here()) set((t) => ({ ...t, failed: (e as Error).message }));
    }
    if (here()) setRuns(false);
  };
  const train = async (from: number, until: number, here: () => boolean) => {
    for (let n = from; n < until && here() && !stopped.current; ++n) {
      const next = await film.ask("film_epoch", {});
      if (here()) set((t) => ({ ...t, epochs: [...t.epochs, next] }));
    }
  };
  const begin = () =>
    run(async (here) => {
      set(NOTHING);
      const start = await film.ask("film_start", { model });
      if (!here()) return;
      const until = FIRST[model] ?? start.epochs;
      set({ start, epochs: [], until, failed: "" });
      await train(0, until, here);
    });
  const stop = () => {
    stopped.current = true;
  };
  /// To where it was to go, or to the last epoch that there is.
  const goOn = () => {
    const most = training.start?.epochs ?? 0;
    const until = training.epochs.length < training.until ? training.until : most;
    set((t) => ({ ...t, until, failed: "" }));
    run((here) => train(training.epochs.length, until, here));
  };
  useEffect(() => {
    begin();
    return () => {
      ++turn.current;
    };
  }, [model]);
  return { training, runs, begin, stop, goOn };
}

/// One expression with the parameters of an epoch that is trained; what is wrong with it in a sentence.
export function useLook(expression: string, epoch: number, ready: boolean): { look?: FilmLook; wrong: string } {
  const [found, set] = useState<{ look?: FilmLook; wrong: string }>({ wrong: "" });
  useAsked(
    () => (ready ? film.ask("film_look", { expression, epoch }, "look") : undefined),
    [expression, epoch, ready],
    (look) => set({ look, wrong: "" }),
    (wrong) => set((now) => ({ ...now, wrong })),
  );
  return found;
}
