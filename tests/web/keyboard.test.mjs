// A walk through all ten views without a pointer: by Tab to what one wants, then by the keys of what it is.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { board, closed, hash, withPage } from "./support.mjs";

after(closed);
/// Presses `key` until what has the focus fits the selector and holds the text.
async function go(page, selector, text = "", key = "Tab") {
  for (let i = 0; i < 250; ++i) {
    await page.keyboard.press(key);
    const there = ([s, t]) => {
      const e = document.activeElement;
      return e?.matches(s) && (e.innerText ?? "").includes(t);
    };
    if (await page.evaluate(there, [selector, text])) return;
  }
  assert.fail(`${selector} “${text}” is not reached by ${key}`);
}
const enter = async (page, selector, text, key) => {
  await go(page, selector, text, key);
  await page.keyboard.press("Enter");
};

/// What one does in each view, from its menu on, and what is then seen.
const WALK = {
  Board: async (page) => {
    await board(page);
    await go(page, "[data-cell]");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator(".inspector.pinned").waitFor();
    await enter(page, ".messages summary");
    await page.locator(".sums").waitFor();
    await go(page, "[data-arrow]");
    await enter(page, ".words summary");
    await page.locator(".counted").waitFor();
  },
  Nudge: async (page) => {
    await go(page, ".along input[type=range]");
    await page.keyboard.press("ArrowRight");
    await page.locator("button:enabled", { hasText: "as it was" }).waitFor();
  },
  "Softmax lens": async (page) => {
    await page.locator(".bits td").first().waitFor();
    await go(page, ".lens-view label.wide input");
    await page.keyboard.press("ArrowRight");
    await page.locator("label", { hasText: "scores × 2" }).waitFor();
    await go(page, ".information input");
    await page.keyboard.press("ArrowLeft");
    await page.locator("label", { hasText: "noise of size 1/4" }).waitFor();
  },
  "Guided path": async (page) => {
    await enter(page, ".prediction button", "sat");
    await page.locator(".reveal").waitFor();
    await go(page, ".answer input");
    await page.keyboard.type("O - T");
    await page.locator(".verdict .right").waitFor();
    await enter(page, "button", "next step");
    await page.locator(".guided h2", { hasText: "2. " }).waitFor();
  },
  Exercises: async (page) => {
    await enter(page, ".exercise-list button", "Attention: the values");
    await go(page, ".answer input");
    await page.keyboard.type("A dO");
    await page.locator(".verdict .wrong").waitFor();
    await enter(page, "button", "show me in numbers");
    await page.locator(".why").waitFor();
  },
  "Bug lab": async (page) => {
    await enter(page, "button", "find a hidden one");
    await page.locator(".shown [data-cell]").first().waitFor();
    await go(page, ".shown [data-cell]");
    await page.keyboard.press("Enter");
    await page.locator(".nudged").waitFor();
  },
  "Training film": async (page) => {
    await page.locator("[data-runs=false]").waitFor({ timeout: 60000 });
    await go(page, ".scrubber input[type=range]");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => location.hash.includes("epoch=29"));
  },
  "Proof desk": async (page) => {
    await page.locator(".findings li.wrong").first().waitFor();
    await enter(page, "button", "repair"); // behind the editor, which lets Tab go on
    await page.locator(".findings h2", { hasText: "2 of 4" }).waitFor();
  },
  Worksheet: async (page) => {
    await page.locator(".handing .right").waitFor();
    await go(page, ".form input, .form textarea");
    await page.keyboard.type("x");
    await page.waitForFunction(() => location.hash.includes("sheet="));
  },
  "Own notes": async (page) => {
    await page.locator(".passages").first().waitFor();
    await go(page, "[contenteditable]");
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" ");
    await page.waitForFunction(() => location.hash.includes("notes="));
  },
};

test("every view is reached and used by the keyboard alone", { timeout: 180000 }, () =>
  withPage("", async (page) => {
    await board(page);
    for (const [view, use] of Object.entries(WALK)) {
      await enter(page, "header nav button", view, "Shift+Tab");
      await page.locator(`main[aria-label="${view}"]`).waitFor();
      await use(page);
    }
    await page.keyboard.press("Escape");
    await go(page, "header button", "?", "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor();
    await page.keyboard.press("Escape");
    assert.equal((await hash(page)).get("view"), "notes");
  }),
);
