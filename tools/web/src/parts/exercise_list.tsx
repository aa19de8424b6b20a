// The exercises of a set, of which one is open: how many are done, and which.
import type { ComponentChildren } from "preact";
import type { Exercise } from "../engine/types";

interface Props {
  label: string;
  all: Exercise[];
  chosen: Exercise | undefined;
  done: string[]; // their names
  choose: (e: Exercise) => void;
  shown: (e: Exercise) => ComponentChildren;
}

export function ExerciseList({ label, all, chosen, done, choose, shown }: Props) {
  return (
    <nav class="exercise-list" aria-label={label}>
      <h2>
        {done.length} of {all.length} done
      </h2>
      <ol>
        {all.map((e) => (
          <li key={e.name}>
            <button type="button" aria-current={e === chosen} onClick={() => choose(e)}>
              {shown(e)}
              {done.includes(e.name) && <small> done</small>}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
