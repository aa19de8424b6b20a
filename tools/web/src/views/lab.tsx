// The bug lab: a slip planted in the backward, and how far it spreads; or a hidden one, to be found with few nudges.
import { useMemo, useState } from "preact/hooks";
import lab from "../../examples/lab.proof";
import { board, judge } from "../engine/client";
import type { CellReport, CheckReport, Line } from "../engine/types";
import { tokensOf } from "../examples";
import { Descent } from "../parts/descent";
import { Matrix, walk, type CellEvents, type Mark } from "../parts/matrix";
import { options } from "../parts/options";
import { SLIPS, type Slip } from "../parts/slips";
import { useAsked } from "../parts/use_asked";
import { useExplanation } from "../parts/use_explanation";
import { Waiting } from "../parts/waiting";
import type { ViewProps } from "../state";
import { parsed, short, shown } from "../values";

const planted = (slip: Slip | undefined): string => (slip ? lab.replace(slip.right, slip.wrong) : lab);
const tokens = tokensOf(lab);
const NAMES = options(SLIPS.map((s) => [s.key, s.name]));

export function Lab({ state, change }: ViewProps) {
  const hidden = state.slip === "hidden";
  return (
    <div class="lab-view">
      <div class="controls" role="group" aria-label="what to do">
        <button type="button" aria-pressed={!hidden} onClick={() => change({ slip: "row" })}>
          plant a slip
        </button>
        <button type="button" aria-pressed={hidden} onClick={() => change({ slip: "hidden" })}>
          find a hidden one
        </button>
      </div>
      {hidden ? <Find /> : <Plant state={state} change={change} />}
    </div>
  );
}

function Plant({ state, change }: ViewProps) {
  const slip = SLIPS.find((s) => s.key === state.slip);
  const text = planted(slip);
  const found = useChecks(state.slip, text);
  const checks = typeof found === "object" ? found : undefined;
  const verdict = (line: Line | undefined) => {
    if (!line) return null;
    const fine = line.verdict === "right";
    return <b class={`verdict-word ${line.verdict.replace(" ", "-")}`}>{fine ? "✓ right" : `✗ ${line.verdict}`}</b>;
  };
  return (
    <section>
      <label class="wide">
        planted:
        <select value={slip?.key ?? ""} onChange={(e) => change({ slip: e.currentTarget.value })}>
          <option value="">nothing</option>
          {NAMES}
        </select>
      </label>
      {typeof found === "string" && <Waiting error={found} />}
      <table class="lens-table lab-table" data-slip={checks?.slip}>
        <thead>
          <tr>
            <th scope="col">the backward, line by line</th>
            <th scope="col">by itself</th>
            <th scope="col">with what stands above it</th>
          </tr>
        </thead>
        <tbody>
          {(checks?.alone.lines ?? []).map((l, i) => (
            <tr key={l.line} class={l.verdict === "right" ? "" : "slipped"}>
              <th scope="row">
                <code>{l.text}</code>
                {l.diagnosis && <p class="wrong">{l.diagnosis.text}</p>}
              </th>
              <td>{verdict(l)}</td>
              <td>{verdict(checks?.chained.lines[i])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        By itself, a line is judged with the true gradients on its right side: one slip spoils one line. In a program each line is
        given what the lines above it made, and all that is computed from a wrong gradient is wrong as well. Which lines stay
        right, and why?
      </p>
      <div class="controls">
        <button type="button" aria-pressed={state.trains} onClick={() => change({ trains: !state.trains })}>
          train with it: does the loss still fall?
        </button>
      </div>
      {state.trains && <Descent slip={slip?.key ?? ""} text={text} right={lab} />}
      <button type="button" onClick={() => change({ view: "desk", desk: text })}>
        edit these lines at the proof desk
      </button>
    </section>
  );
}

interface Checks {
  slip: string;
  alone: CheckReport;
  chained: CheckReport;
}

/// Both judgements of one slip, which belong together; a text where the engine refuses.
function useChecks(slip: string, text: string): Checks | string | undefined {
  const [found, set] = useState<Checks | string>();
  const asked = (chain: boolean) => judge.ask("check", { file: "lab.proof", text, chain }, `lab ${chain}`);
  useAsked(
    () => Promise.all([asked(false), asked(true)]),
    [slip, text],
    ([alone, chained]) => set({ slip, alone, chained }),
    set,
  );
  return found;
}

/// Any but the one that was just looked for.
const another = (not: number): number => {
  const n = Math.floor(Math.random() * (SLIPS.length - 1));
  return n >= not ? n + 1 : n;
};

interface Nudged {
  cell: string;
  claimed: string;
  measured: string;
}

function Find() {
  const [secret, hide] = useState(() => Math.floor(Math.random() * SLIPS.length));
  const [nudged, setNudged] = useState<Nudged[]>([]);
  const [guess, setGuess] = useState("");
  const [failed, fail] = useState("");
  const slip = SLIPS[secret];
  const text = planted(slip);
  const { explanation, error } = useExplanation(lab);
  const marks = useMemo(
    () => new Map<string, Mark>(nudged.map((n) => [n.cell, n.claimed === n.measured ? "factor" : "wrong"])),
    [nudged],
  );
  const events: CellEvents = useMemo(
    () => ({
      pick: (cell) =>
        board.ask("cell", { text, cell }).then(
          (r: CellReport) => {
            const one = { cell, claimed: shown(r.sum, 1), measured: shown(r.true ?? r.sum, 1) };
            fail("");
            setNudged((now) => (now.some((n) => n.cell === cell) ? now : [...now, one]));
          },
          (e) => fail(e.message),
        ),
    }),
    [text],
  );
  if (!explanation || !slip) return <Waiting error={error} />;
  const gradients = explanation.backward.filter((s) => !s.name.includes("W_"));
  const found = guess === slip.key;
  const last = nudged.at(-1);
  return (
    <section>
      <p>
        One line of the backward has a slip; you do not see which. Choose an entry of a gradient: it is nudged, and what the line
        claims stands beside what the nudge says. {nudged.length === 0 ? "" : `${nudged.length} nudged so far.`}
      </p>
      <div class="cells shown" onKeyDown={walk}>
        {gradients.map((s, i) => (
          <Matrix
            key={s.name}
            step={s}
            title={<b>{short(s.name)}</b>}
            current={i === 0 ? `${s.name}[0,0]` : ""}
            {...{ tokens, marks, events }}
          />
        ))}
      </div>
      {failed && <Waiting error={failed} />}
      <p class="nudged" aria-live="polite">
        {last &&
          `${short(last.cell)}: the line of ${short(parsed(last.cell).name)} claims ${last.claimed}, ` +
            `the nudge says ${last.measured}: ${last.claimed === last.measured ? "they agree" : "they differ"}.`}
      </p>
      <label class="wide">
        It is
        <select value={guess} onChange={(e) => setGuess(e.currentTarget.value)}>
          <option value="">… which?</option>
          {NAMES}
        </select>
      </label>
      <p aria-live="polite">
        {guess !== "" && !found && <span class="wrong">✗ Not that one: look at which entries agree.</span>}
        {found && (
          <span class="right">
            ✓ Found with {nudged.length} {nudged.length === 1 ? "nudge" : "nudges"}: <code>{slip.wrong}</code> should be{" "}
            <code>{slip.right}</code>.
          </span>
        )}
      </p>
      <button
        type="button"
        onClick={() => {
          hide(another(secret));
          setNudged([]);
          setGuess("");
        }}
      >
        another one
      </button>
    </section>
  );
}
