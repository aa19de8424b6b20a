// The exercises of the library, and which of them are done.
import { useEffect, useState } from "preact/hooks";
import { judge } from "../engine/client";
import type { Exercise } from "../engine/types";
import { Answer } from "../parts/answer";
import { Waiting } from "../parts/waiting";
import type { ViewProps } from "../state";

export function Exercises({ state, change }: ViewProps) {
  const [all, set] = useState<Exercise[]>([]);
  const [error, setError] = useState("");
  useEffect(() => {
    judge.ask("exercises", {}).then(set, (e) => setError(e.message));
  }, []);
  if (all.length === 0) return <Waiting error={error} />;
  const chosen = all.find((e) => e.name === state.exercise) ?? all.find((e) => !state.done.includes(e.name)) ?? all[0];
  return (
    <div class="exercises-view">
      <nav class="exercise-list" aria-label="exercises">
        <h2>
          {state.done.length} of {all.length} done
        </h2>
        <ol>
          {all.map((e) => (
            <li key={e.name}>
              <button
                type="button"
                aria-current={e === chosen}
                class={state.done.includes(e.name) ? "done" : ""}
                onClick={() => change({ exercise: e.name })}
              >
                <span>{e.title}</span> <small aria-label={`difficulty ${e.difficulty} of 4`}>{"●".repeat(e.difficulty)}</small>
                {state.done.includes(e.name) && <small> done</small>}
              </button>
            </li>
          ))}
        </ol>
      </nav>
      {chosen && (
        <Answer
          key={chosen.name}
          exercise={chosen}
          right={() => !state.done.includes(chosen.name) && change({ done: [...state.done, chosen.name] })}
          next={() => change({ exercise: all[(all.indexOf(chosen) + 1) % all.length]?.name ?? "" })}
        />
      )}
    </div>
  );
}
