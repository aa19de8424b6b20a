// A question of a view, asked anew whenever what it is about changes.
import { useLayoutEffect } from "preact/hooks";
import { Superseded } from "../engine/client";

/// `ask` gives the question, or nothing where there is none to ask; `about` are the values it depends on. Only the last question
/// is heard: an answer that comes after a change, or after the view is closed, is dropped. `wait`: ms in which a further change
/// takes its place.
export function useAsked<T>(
  ask: () => Promise<T> | undefined,
  about: unknown[],
  told: (answer: T) => void,
  failed: (why: string) => void = () => {},
  wait = 0,
) {
  // The question goes out before what is known already is painted.
  useLayoutEffect(() => {
    let here = true;
    const begin = () =>
      ask()?.then(
        (answer) => here && told(answer),
        (e) => here && !(e instanceof Superseded) && failed(e.message),
      );
    const timer = wait > 0 ? setTimeout(begin, wait) : undefined;
    if (wait === 0) begin();
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, about);
}
