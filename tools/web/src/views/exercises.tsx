// The exercises of the library, and which of them are done.
import { useEffect, useState } from "preact/hooks";
import { judge } from "../engine/client";
import type { Exercise } from "../engine/types";
import { Answer } from "../parts/answer";
import { ExerciseList } from "../parts/exercise_list";
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
      <ExerciseList
        label="exercises"
        all={all}
        chosen={chosen}
        done={state.done}
        choose={(e) => change({ exercise: e.name })}
        shown={(e) => (
          <>
            <span>{e.title}</span> <small aria-label={`difficulty ${e.difficulty} of 4`}>{"●".repeat(e.difficulty)}</small>
          </>
        )}
      />
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
