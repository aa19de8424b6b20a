// A button that opens a file of the reader's own. Nothing of it leaves the page.
export const LARGEST = 1 << 18; // bytes

interface Props {
  name: string;
  accept: string;
  opened: (file: File) => void;
  refused: (why: string) => void;
  multiple?: boolean;
}

export function fits(file: File): string {
  return file.size <= LARGEST ? "" : `${file.name}: it has ${file.size} bytes, more than the ${LARGEST} that this page takes`;
}

export function OpenFile({ name, accept, opened, refused, multiple = false }: Props) {
  return (
    <label class="button">
      {name}
      <input
        type="file"
        class="unseen"
        accept={accept}
        multiple={multiple}
        onChange={(e) => {
          for (const file of e.currentTarget.files ?? []) {
            const why = fits(file);
            if (why) refused(why);
            else opened(file);
          }
          e.currentTarget.value = "";
        }}
      />
    </label>
  );
}

/// Hands a text to the reader as a file.
export function save(name: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
