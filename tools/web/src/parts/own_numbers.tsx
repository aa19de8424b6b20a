// Numbers of the reader's own for the board: typed, pasted, or from NumPy's files.
import { unzipSync } from "fflate";
import { useRef, useState } from "preact/hooks";
import { board } from "../engine/client";
import { UNCHOSEN, type State } from "../state";
import { fits, LARGEST, OpenFile, useDropped } from "./open_file";

const NAMES = ["Q", "K", "V"];
const MOST = 16; // rows and columns
const NUMBER = /^[-+−]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const FIRST: Record<string, string> = { Q: "1 0\n0 1", K: "1 1\n0 1\n1 0", V: "1 2\n3 4\n5 6" };

/// What was typed as a derivation states a matrix: rows by lines or semicolons, numbers by blanks or commas, or with brackets.
/// Errors: Error in one sentence.
function literalOf(name: string, typed: string): string {
  const text = typed
    .trim()
    .replace(/^(array|tensor)\(|\)$/g, "")
    .replace(/\]\s*,?\s*\[/g, "\n")
    .replace(/[[\]]/g, "");
  const rows = text
    .split(/[\n;]+/)
    .map((row) => row.split(/[\s,]+/).filter((x) => x !== ""))
    .filter((row) => row.length > 0);
  if (rows.length === 0) throw new Error(`${name}: there are no numbers`);
  const bad = rows.flat().find((x) => !NUMBER.test(x));
  if (bad !== undefined) throw new Error(`${name}: “${bad.slice(0, 30)}” is not a finite number`);
  const width = rows[0]?.length ?? 0;
  const ragged = rows.findIndex((r) => r.length !== width);
  if (ragged > 0)
    throw new Error(
      `${name}: the row “${rows[ragged]?.join(" ").slice(0, 30)}” has ${rows[ragged]?.length}, the first has ${width}`,
    );
  if (rows.length > MOST || width > MOST)
    throw new Error(`${name}: it is ${rows.length} × ${width}; the board shows at most ${MOST} × ${MOST}`);
  return `[${rows.map((r) => `[${r.map((x) => x.replace("−", "-").replace(/^\+/, "")).join(", ")}]`).join(", ")}]`;
}

/// Attention of these matrices, each as literalOf gives it.
function derivation(of: Record<string, string>): string {
  const width = of["Q"]?.split("]")[0]?.split(",").length; // of its first row
  return `title "Your numbers"
${NAMES.map((n) => `input ${n} = ${of[n]}`).join("\n")}
forward
  S = Q K^T / sqrt(${width})
  A = softmax(S)
  O = A V
  loss L = sum(O ⊙ O) / 2
`;
}

/// The rows as one types them.
const typedOf = (literal: string) => literal.slice(1, -1).replaceAll("], [", "\n").replace(/[[\]]/g, "").replaceAll(",", "");

/// NumPy's arrays of a file by their names. Errors: Error in one sentence.
function arraysOf(file: string, bytes: Uint8Array): [string, Uint8Array][] {
  if (!file.endsWith(".npz")) return [[file, bytes]];
  try {
    return Object.entries(unzipSync(bytes, { filter: (f) => f.originalSize <= LARGEST }));
  } catch {
    throw new Error(`${file}: not a .npz file, which is a zip archive of .npy files`);
  }
}

/// "q.npy" -> Q
const arrayName = (file: string) => file.replace(/\.npy$/, "").toUpperCase();

export function OwnNumbers({ change }: { change: (by: Partial<State>) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, type] = useState(FIRST);
  const [problem, tell] = useState("");

  const readAll = async (files: Iterable<File>) => {
    const problems: string[] = [];
    for (const file of files) {
      const why = await read(file);
      if (why) problems.push(why);
    }
    tell(problems.join("; "));
  };
  /// What is wrong with it, in one sentence; "" once its numbers stand in their fields.
  const read = async (file: File): Promise<string> => {
    try {
      const why = fits(file);
      if (why) return why;
      const found = arraysOf(file.name, new Uint8Array(await file.arrayBuffer()));
      const ours = found.filter(([name]) => NAMES.includes(arrayName(name)));
      if (ours.length === 0) throw new Error(`${file.name}: it is not called Q.npy, K.npy or V.npy, nor holds such arrays`);
      for (const [name, bytes] of ours) {
        const { text } = await board.ask("npy", { name, bytes: [...bytes] });
        const of = arrayName(name);
        literalOf(of, text); // refuses what is too large for the board
        type((now) => ({ ...now, [of]: typedOf(text) }));
      }
      return "";
    } catch (e) {
      return e instanceof DOMException ? `${file.name}: it cannot be read` : (e as Error).message;
    }
  };
  useDropped((files) => {
    if (!dialog.current?.open) dialog.current?.showModal();
    readAll(files);
  });
  const show = async () => {
    try {
      const text = derivation(Object.fromEntries(NAMES.map((n) => [n, literalOf(n, typed[n] ?? "")])));
      await board.ask("explain", { text });
      change({ ...UNCHOSEN, example: "own", text });
      tell("");
      dialog.current?.close();
    } catch (e) {
      tell((e as Error).message.split("\n")[0] ?? "");
    }
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        your numbers
      </button>
      <dialog ref={dialog} class="own-numbers" aria-label="your numbers">
        <h2>Your numbers</h2>
        <p>
          A row a line; paste them, type them, or drop Q.npy, K.npy, V.npy or a .npz file here. The scores are Q K^T by the root
          of the width, the loss is half the sum of the squares of O.
        </p>
        <div class="three">
          {NAMES.map((n) => (
            <label key={n}>
              {n}
              <textarea
                rows={6}
                value={typed[n]}
                spellcheck={false}
                onInput={(e) => type({ ...typed, [n]: e.currentTarget.value })}
              />
            </label>
          ))}
        </div>
        {problem && (
          <p class="warning" role="alert">
            {problem}
          </p>
        )}
        <div class="controls">
          <button type="button" onClick={show}>
            show them
          </button>
          <OpenFile name="open a file" accept=".npy,.npz" opened={readAll} multiple />
          <button type="button" onClick={() => dialog.current?.close()}>
            close
          </button>
        </div>
      </dialog>
    </>
  );
}
