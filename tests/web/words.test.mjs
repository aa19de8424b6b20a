// What grows with the number of words: counted as the formulas say, on the way that the board opens it, and timed.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { address, board, closed, hash, SIZES, withPage } from "./support.mjs";

after(closed);
const row = (page, what) =>
  page.$$eval(`.counted [data-what=${what}] [data-exact]`, (all) => all.map((c) => Number(c.dataset.exact)));
const ready = (page) => page.locator(".counted [data-what=all] [data-exact]").first().waitFor();

test("words: the board opens it by keyboard, 100 words are ten times the arithmetic and a hundred times the weights", () =>
  withPage("", async (page) => {
    await board(page);
    assert.equal(await page.locator(".counted").count(), 0);
    await page.locator(".words summary").focus();
    await page.keyboard.press("Enter");
    await ready(page);
    const [n, d, h] = [100, 512, 8];
    assert.deepEqual(await row(page, "parameters"), [4 * d * d, 4 * d * d, 1]);
    assert.deepEqual(await row(page, "entries"), [4 * 10 * d, 4 * n * d, 10]);
    assert.deepEqual(await row(page, "weights"), [h * 100, h * n * n, 100]);
    assert.deepEqual(await row(page, "projecting"), [4 * 10 * d * d, 4 * n * d * d, 10]);
    assert.deepEqual(await row(page, "attending"), [2 * 100 * d, 2 * n * n * d, 100]);
    const [, , times] = await row(page, "all");
    assert.ok(times > 10.8 && times < 10.9, `${times}`);
    assert.equal((await hash(page)).get("words"), "100");
    await page.locator(".words summary").press("Enter");
    await page.waitForFunction(() => !document.querySelector(".words").open);
    assert.equal((await hash(page)).get("words"), null);
  }));

test("words: the slider goes on to where the scores outweigh the projections; the address keeps it", () =>
  withPage("#v=1&view=board&words=1000", async (page) => {
    await ready(page);
    const of = async (what) => (await row(page, what))[1];
    assert.ok((await of("projecting")) > (await of("attending")));
    await page.locator(".words input[type=range]").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".counted th", { hasText: "2000 words" }).waitFor();
    assert.ok((await of("projecting")) < (await of("attending")));
    assert.equal((await hash(page)).get("words"), "2000");
    await page.goto("about:blank");
    await page.goto(`${address}#v=1&view=board&words=37`);
    await page.locator(".notice", { hasText: "words" }).waitFor();
  }));

test("words: a forward is timed when asked for", () =>
  withPage("#v=1&view=board&words=50", async (page) => {
    await ready(page);
    await page.locator("button", { hasText: "measure" }).click();
    await page.waitForFunction(() => /^\d/.test(document.querySelector("[data-what=time] td:nth-child(4)").innerText));
    const [few, many] = (await page.locator("[data-what=time] td").allInnerTexts()).slice(1, 3).map(Number);
    assert.ok(few > 0 && many > 0, `${few} ms and ${many} ms`); // which is larger, a busy machine may turn round
  }));

test("words: alone on a slide", () =>
  withPage(
    "#v=1&view=board&words=100&embed=1",
    async (page) => {
      await ready(page);
      assert.equal(await page.locator(".board").count(), 0);
    },
    { viewport: SIZES.slide },
  ));
