// Attention as messages between words: what arrives is what the board has, forward and backward; arrows by pointer and by keys.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { address, board, cell, closed, hash, SIZES, withPage } from "./support.mjs";

after(closed);
const arrow = (page, from, to) => page.locator(`[data-arrow="${from}-${to}"]`);
const at = (page, node) => page.locator(`.sums[data-node="${node}"]`).waitFor();
const numbers = (page, selector) => page.$$eval(selector, (all) => all.map((e) => Number(e.dataset.exact)));
const total = (page) => numbers(page, ".sums .total [data-exact]");
const onBoard = (page, row) => numbers(page, `.board [data-cell^="${row},"]`);
const near = (a, b, what) => {
  assert.equal(a.length, b.length, what);
  a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) <= 1e-12, `${what}: ${a}; ${b}`));
};
const told = (page) => page.locator(".arrived .sentence").innerText();

for (const [example, [O, V]] of Object.entries({ cat_sat: ["O", "V"], causal: ["O", "V"], positions: ["O", "V"] }))
  test(`messages: of ${example}, what arrives at each word is its row of ${O}, and backward of d${V}`, () =>
    withPage(`#v=1&view=board&example=${example}&messages=forward`, async (page) => {
      await page.locator(".sums").waitFor();
      const words = await page.locator("[data-node].node").count();
      for (const [way, name] of [
        ["forward", O],
        ["backward", `∂L/∂${V}`],
      ]) {
        await page.locator(".messages button", { hasText: way }).click();
        for (let node = 0; node < words; ++node) {
          await page.locator(`.node[data-node="${node}"]`).click();
          await at(page, node);
          const sum = await total(page);
          near(sum, await onBoard(page, `${name}[${node}`), `${way} ${node}`);
          const parts = await page.$$eval(".sums tbody tr:not(.total)", (rows) =>
            rows.map((r) => [...r.querySelectorAll("td[data-exact]")].map((c) => Number(c.dataset.exact))),
          );
          const added = sum.map((_, c) => parts.reduce((s, p) => s + (p[c] ?? 0), 0));
          near(added, sum, `the messages of ${way} ${node}`);
        }
      }
    }));

test("messages: arrows are as wide as their weights; behind a mask there are none, either way", () =>
  withPage("#v=1&view=board&example=causal&messages=forward", async (page) => {
    await page.locator(".sums").waitFor();
    const arrows = () => page.$$eval("[data-arrow]", (all) => all.map((a) => a.dataset.arrow).sort());
    assert.deepEqual(await arrows(), ["0-0", "0-1", "0-2", "1-1", "1-2", "2-2"]);
    const widths = await page.$$eval("[data-arrow]", (all) =>
      all.map((a) => parseFloat(a.querySelector(".line").style.strokeWidth) / Number(a.dataset.exact)),
    );
    for (const w of widths) assert.ok(Math.abs(w - widths[0]) < 0.02 * widths[0], `${widths}`);
    await page.locator(".node[data-node='0']").click();
    await at(page, 0);
    assert.equal(await page.locator(".sums td", { hasText: "no arrow" }).count(), 2);
    await page.locator(".messages button", { hasText: "backward" }).click();
    await page.locator(".graph.back").waitFor();
    assert.deepEqual(await arrows(), ["0-0", "1-0", "1-1", "2-0", "2-1", "2-2"], "the same arrows reversed");
  }));

test("messages: told when pointed at, kept when clicked, and in the address", () =>
  withPage("#v=1&view=board&example=causal&messages=forward", async (page) => {
    await page.locator(".sums").waitFor();
    assert.match(await told(page), /^Point at an arrow/);
    await arrow(page, 0, 1).dispatchEvent("pointerenter", { pointerType: "mouse" });
    assert.match(
      await told(page),
      /^From The to cat: weight 0\.5 × V \(0\.1, 0\.2, 0\.3, 0\.4\) = \(0\.05, 0\.1, 0\.15, 0\.2\)$/,
    );
    await arrow(page, 0, 1).dispatchEvent("pointerleave", { pointerType: "mouse" });
    assert.match(await told(page), /^Point at an arrow/);
    await arrow(page, 0, 1).dispatchEvent("click");
    await at(page, 1);
    const fragment = await hash(page);
    assert.deepEqual(
      ["messages", "node", "other"].map((k) => fragment.get(k)),
      ["forward", "1", "0"],
    );
    await page.goto("about:blank");
    await page.goto(`${address}#${fragment}`);
    await page.locator(".sums tr.chosen[data-from='0']").waitFor();
    assert.match(await told(page), /^From The to cat/);
    await page.goto("about:blank");
    await page.goto(`${address}#v=1&view=board&messages=sideways`);
    await page.locator(".notice", { hasText: "messages" }).waitFor();
  }));

test("messages: opened, walked and turned round by keys alone", () =>
  withPage("#v=1&view=board&example=causal", async (page) => {
    await board(page);
    await page.locator(".messages summary").focus();
    await page.keyboard.press("Enter");
    await page.locator(".sums").waitFor();
    const focused = () => page.evaluate(() => document.activeElement.dataset.arrow ?? document.activeElement.dataset.node);
    const tab = async (until) => {
      for (let i = 0; i < 8 && (await focused()) !== until; ++i) await page.keyboard.press("Tab");
      assert.equal(await focused(), until);
    };
    await tab("0-2");
    assert.match(await told(page), /^From The to sat/);
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "1-2");
    assert.match(await told(page), /^From cat to sat/);
    await page.keyboard.press("Enter");
    await page.locator(".sums tr.chosen[data-from='1']").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "2", "the word whose sum is shown");
    await page.keyboard.press("ArrowLeft");
    await at(page, 1);
    assert.equal(await focused(), "1");
    assert.equal(await page.locator("[data-arrow][tabindex='0'], .node[tabindex='0']").count(), 2);
  }));

test("messages: a number of the sum leads to the board, also from a slide", () =>
  withPage(
    "#v=1&view=board&example=causal&messages=backward&node=1&embed=1",
    async (page) => {
      await page.locator(".sums").waitFor();
      assert.equal(await page.locator(".board").count(), 0, "alone on a slide");
      await page.locator(".sums .total button").nth(2).click();
      await page.locator(".inspector h2", { hasText: "∂L/∂V[1,2] =" }).waitFor();
      assert.equal((await hash(page)).get("cell"), "dV[1,2]");
      await page.goto("about:blank");
      await page.goto(`${address}#v=1&view=board&messages=forward&node=0`);
      await page.locator(".sums tr[data-from='2'] button").click();
      await page.locator(".inspector h2", { hasText: "A[0,2] = 0.4519" }).waitFor();
    },
    { viewport: SIZES.slide },
  ));

test("messages: of several heads and layers one is chosen; where words do not attend to one another, a sentence", () =>
  withPage("#v=1&view=board&example=two_heads&messages=forward", async (page) => {
    await page.locator(".sums").waitFor();
    near(await total(page), await onBoard(page, "H_1[2"), "the first head");
    await page.locator(".messages select").selectOption("H_2");
    await page.locator(".sums td", { hasText: "H_2[2]" }).waitFor();
    near(await total(page), await onBoard(page, "H_2[2"), "the second head");
    assert.equal((await hash(page)).get("sum"), "H_2");
    await page.locator("header select").selectOption("animal");
    await page.locator(".messages .hint", { hasText: "needs words that attend to one another" }).waitFor();
    await page.locator("header select").selectOption("three_layers");
    await page.locator(".sums").waitFor();
    assert.equal(await page.locator(".messages option").count(), 3);
  }));

test("messages: no label lies upon another or upon a word, and none is cut", () =>
  withPage("#v=1&view=board&example=positions&messages=forward", async (page) => {
    for (const example of ["cat_sat", "causal", "students", "positions"]) {
      await page.goto("about:blank");
      await page.goto(`${address}#v=1&view=board&example=${example}&messages=forward`);
      await page.locator(".sums").waitFor();
      for (let node = 0; node < (await page.locator(".node").count()); ++node) {
        await page.locator(`.node[data-node="${node}"]`).click();
        await at(page, node);
        const clashes = await page.evaluate(() => {
          const box = (e) => e.getBoundingClientRect();
          const frame = box(document.querySelector(".graph"));
          const all = [...document.querySelectorAll(".graph .weight, .graph .node circle")];
          const over = (a, b) => a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
          const out = [];
          all.forEach((e, i) => {
            const a = box(e);
            if (a.left < frame.left || a.right > frame.right || a.top < frame.top || a.bottom > frame.bottom) out.push("cut");
            for (const o of all.slice(i + 1)) if (over(a, box(o))) out.push(`${e.textContent} on ${o.textContent || "a word"}`);
          });
          return out;
        });
        assert.deepEqual(clashes, [], `${example}, word ${node}`);
      }
    }
  }));

test("messages: printed with the graph and the sum, without the buttons", () =>
  withPage("#v=1&view=board&messages=backward&node=1&other=2", async (page) => {
    await page.locator(".sums").waitFor();
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator(".graph").isVisible());
    assert.ok(await page.locator(".sums").isVisible());
    assert.ok(!(await page.locator(".messages .controls").isVisible()));
  }));
