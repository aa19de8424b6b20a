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

/// Scrolls the area, and nothing around it, so that the cell is seen in it.
export function bring(area: HTMLElement | null, cell: string) {
  const to = area?.querySelector<HTMLElement>(`[data-cell="${CSS.escape(cell)}"]`);
  if (!area || !to) return;
  const [a, b] = [area.getBoundingClientRect(), to.getBoundingClientRect()];
  const zoom = a.width / area.offsetWidth || 1;
  if (b.top < a.top || b.bottom > a.bottom) area.scrollTop += (b.top - a.top - a.height / 2) / zoom;
  if (b.left < a.left || b.right > a.right) area.scrollLeft += (b.left - a.left - a.width / 2) / zoom;
}

/// To the first cell of the next column of the board, or the one before.
export function toColumn(area: HTMLElement | null, by: number) {
  const all = [...(area?.querySelectorAll<HTMLElement>(".column .lane") ?? [])].filter((l) => l.querySelector("[data-cell]"));
  const forward = all.filter((l) => !l.classList.contains("below"));
  const order = [...forward, ...all.filter((l) => l.classList.contains("below")).reverse()];
  const now = order.findIndex((l) => l.contains(document.activeElement));
  order[(now + by + order.length) % order.length]?.querySelector<HTMLElement>("[data-cell]")?.focus();
}
