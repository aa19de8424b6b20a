// Files of the reader's own: a button that opens them, and the page they are dropped on. Nothing of them leaves the page.
import { useEffect, useRef } from "preact/hooks";

export const LARGEST = 1 << 18; // bytes

interface Props {
  name: string;
  accept: string;
  opened: (files: File[]) => void;
  multiple?: boolean;
}

export function fits(file: File): string {
  return file.size <= LARGEST ? "" : `${file.name}: it has ${file.size} bytes, more than the ${LARGEST} that this page takes`;
}

export function OpenFile({ name, accept, opened, multiple = false }: Props) {
  return (
    <label class="button">
      {name}
      <input
        type="file"
        class="unseen"
        accept={accept}
        multiple={multiple}
        onChange={(e) => {
          opened([...(e.currentTarget.files ?? [])]);
          e.currentTarget.value = "";
        }}
      />
    </label>
  );
}

/// What takes the files that are dropped on the page. Where nothing does, the page stays all the same.
let taker: ((files: File[]) => void) | undefined;
const holdsFiles = (e: DragEvent) => e.dataTransfer?.types.includes("Files");
const outline = (on: boolean) => document.body.classList.toggle("dragged-over", on);
addEventListener("dragover", (e) => {
  if (!holdsFiles(e)) return;
  e.preventDefault();
  outline(taker !== undefined);
});
addEventListener("dragleave", (e) => e.relatedTarget === null && outline(false));
addEventListener("drop", (e) => {
  outline(false);
  if (!holdsFiles(e) || e.defaultPrevented) return;
  e.preventDefault();
  taker?.([...(e.dataTransfer?.files ?? [])]);
});

/// Files dropped anywhere in the page go to `take` as long as the part that calls this is shown.
export function useDropped(take: (files: File[]) => void) {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const mine = (files: File[]) => latest.current(files);
    taker = mine;
    return () => {
      if (taker === mine) taker = undefined;
    };
  }, []);
}

/// Hands a text to the reader as a file.
export function save(name: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
