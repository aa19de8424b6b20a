// Where the keyboard is: whether it was used last, to a cell by its name, from column to column.
let byKeyboard = false;
addEventListener("keydown", () => (byKeyboard = true), true);
addEventListener("pointerdown", () => (byKeyboard = false), true);
export const keyboardFocus = () => byKeyboard;

export function focusCell(area: HTMLElement | null, cell: string, quiet = false) {
  requestAnimationFrame(() => {
    const to = area?.querySelector<HTMLElement>(`[data-cell="${CSS.escape(cell)}"]`);
    if (to && (quiet || byKeyboard)) to.focus({ preventScroll: quiet });
    else to?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

/// To the first cell of the next column of the board, or the one before.
export function toColumn(area: HTMLElement | null, by: number) {
  const all = [...(area?.querySelectorAll<HTMLElement>(".column .lane") ?? [])].filter((l) => l.querySelector("[data-cell]"));
  const forward = all.filter((l) => !l.classList.contains("below"));
  const order = [...forward, ...all.filter((l) => l.classList.contains("below")).reverse()];
  const now = order.findIndex((l) => l.contains(document.activeElement));
  order[(now + by + order.length) % order.length]?.querySelector<HTMLElement>("[data-cell]")?.focus();
}
