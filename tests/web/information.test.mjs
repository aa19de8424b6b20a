// The lens on information: the numbers are those of the closed form, worked out here anew; the sliders, the address, the board.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { address, board, closed, hash, withPage } from "./support.mjs";

after(closed);
const READY = ".information [data-bits=others]";
const exact = (page, selector) => page.$$eval(selector, (all) => all.map((c) => Number(c.dataset.exact)));
const told = async (page) => {
  await page.locator(READY).waitFor();
  const sums = await page.$$eval("[data-bits]", (all) => all.map((c) => [c.dataset.bits, Number(c.dataset.exact)]));
  return { ...Object.fromEntries(sums), bits: await exact(page, ".bits td") };
};
/// Of a slider of the view; then the numbers are others.
async function slide(page, label, value) {
  const before = JSON.stringify(await told(page));
  const slider = page.locator("label.wide", { hasText: label }).locator("input");
  await slider.fill(String(value));
  for (let i = 0; i < 100 && JSON.stringify(await told(page)) === before; ++i) await page.waitForTimeout(20);
  return told(page);
}
const det = (m) =>
  m.length === 1 ? m[0][0] : m[0].reduce((sum, x, j) => sum + (-1) ** j * x * det(m.slice(1).map((r) => r.toSpliced(j, 1))), 0);
const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b)), `${what}: ${a} and ${b}`);

for (const [example, noise] of [
  ["cat_sat", -1],
  ["causal", -3],
  ["students", 1],
])
  test(`information: ${example} by the closed form, from the weights that the board shows`, () =>
    withPage(`#v=1&view=lens&example=${example}&scale=1&noise=${noise}`, async (page) => {
      const { bits, together, apart, own, others } = await told(page);
      await page.locator(".information button", { hasText: "on the board" }).click();
      await board(page);
      const entries = await exact(page, "[data-cell^='A[']");
      const n = Math.sqrt(entries.length);
      const A = Array.from({ length: n }, (_, i) => entries.slice(i * n, i * n + n));
      const s2 = 4 ** noise;
      const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
      const expected = A.map((row) => row.map((x) => -Math.log2(1 - x ** 2 / (dot(row, row) + s2)) / 2));
      bits.forEach((b, k) => near(b, expected.flat()[k], `bits ${k}`));
      near(together, Math.log2(det(A.map((a, i) => A.map((b, j) => (i === j ? 1 : 0) + dot(a, b) / s2)))) / 2, "together");
      near(apart, (n * Math.log2(1 + 1 / s2)) / 2, "apart");
      near(own, expected.reduce((sum, row, i) => sum + row[i], 0) / n, "own");
      near(own + others, expected.flat().reduce((sum, x) => sum + x, 0) / n, "own and others");
      assert.deepEqual(await exact(page, "[data-cell='together']"), [together]);
    }));

test("information: attention never makes any; noise takes some away; the address keeps the noise", () =>
  withPage("#v=1&view=lens", async (page) => {
    const first = await told(page);
    assert.ok(first.others > 0.1, "outputs tell of other inputs");
    for (const scale of [-2, 2, 6]) {
      const { together, apart } = await slide(page, "scores ×", scale);
      assert.ok(together > 0 && together < apart, `${together} of ${apart}`);
    }
    const quiet = await slide(page, "noise of size", -4);
    const loud = await slide(page, "noise of size", 2);
    assert.ok(loud.together < first.together && first.together < quiet.together);
    assert.equal((await hash(page)).get("noise"), "2");
    await page.goto("about:blank");
    await page.goto(`${address}#v=1&view=lens&scale=6&noise=2`);
    assert.deepEqual(await told(page), loud);
    assert.equal(await page.locator(".notice").count(), 0);
  }));

test("information: a mask counts: a word that sees itself alone tells of itself alone", () =>
  withPage("#v=1&view=lens&example=causal", async (page) => {
    const { bits } = await told(page);
    assert.ok(bits[0] > 1);
    assert.deepEqual(bits.slice(1, 3), [0, 0]);
    assert.deepEqual(await exact(page, "[aria-label^=own] tbody td:nth-child(2)"), [1, 0, 0]);
  }));

test("information: by keyboard, and nothing where there are not as many queries as keys", () =>
  withPage("#v=1&view=lens", async (page) => {
    const before = await told(page);
    await page.locator("label.wide", { hasText: "noise of size" }).locator("input").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator("label", { hasText: "noise of size 1" }).waitFor();
    await page.waitForFunction((b) => Number(document.querySelector("[data-bits=together]").dataset.exact) < b, before.together);
    await page.locator("button", { hasText: "your numbers" }).click();
    await page.locator(".own-numbers button", { hasText: "show them" }).click(); // 2 queries, 3 keys
    await page.locator(".information").waitFor({ state: "detached" });
    await page.locator(".jacobian td.sum").first().waitFor();
  }));
