// An entry opened in the place where it stands: what it is the sum of, without the formula that is still to be found.
import { useMemo } from "preact/hooks";
import { tokensOf } from "../examples";
import { short } from "../values";
import { Inspector } from "./inspector";
import { useCell } from "./use_explanation";

interface Props {
  text: string;
  cell: string;
  hidden: boolean; // its sum is what the line below asks for
  open: (cell: string) => void;
  onBoard: () => void;
}

export function Opened({ text, cell, hidden, open, onBoard }: Props) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  const found = useCell(text, hidden ? "" : cell);
  return (
    <aside class="opened" aria-label={`the entry ${short(cell)}`}>
      {hidden ? (
        <p>What makes up {short(cell)} is for you to find: it opens once your line is right.</p>
      ) : typeof found === "object" ? (
        <Inspector report={found} text={text} tokens={tokens} pinned bare descend={open} />
      ) : (
        <p class="waiting">{found ?? "…"}</p>
      )}
      <div class="controls">
        <button type="button" onClick={() => open("")}>
          close
        </button>
        {!hidden && (
          <button type="button" onClick={onBoard}>
            look at it on the board
          </button>
        )}
      </div>
    </aside>
  );
}
