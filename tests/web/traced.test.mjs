// From a number of the training film to its sum on the board, by pointer and by keys.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { row, shows, trained } from "./film.mjs";
import { closed, hash, withPage } from "./support.mjs";

after(closed);

for (const [model, epochs] of [
  ["multi-head", 12],
  ["block", 8],
])
  test(`film: every number of ${model} leads to its sum on the board`, () =>
    withPage(`#v=1&view=film&model=${model}&epoch=2`, async (page) => {
      const seen = async () => {
        await trained(page, epochs);
        await shows(page, 2);
      };
      await seen();
      const number = (c) => page.locator(`.seen > .scrolled [data-cell="${c}"]`);
      for (const [clicked, on] of [
        ["A[2,0,4]", "A[0,4]"],
        ["∂L/∂S[3,0,2]", "∂L/∂S[0,2]"],
        ["P[0,6]", "P[0,6]"],
      ]) {
        const film = Number(await number(clicked).getAttribute("data-exact"));
        const rows = on[0] === "∂" ? await row(page, 3, "score-gradient") : [1];
        await number(clicked).click();
        await page.mouse.move(2, 2); // what it now points at on the board would be told instead
        await page.locator(".inspector.pinned .products").first().waitFor();
        const shown = Number(await page.locator(".inspector h2 [data-exact]").getAttribute("data-exact"));
        const most = Math.max(...rows.map(Math.abs));
        assert.ok(Math.abs(shown - film) < 5e-3 * most, `${clicked}: ${film} in the film, ${shown} on the board`);
        assert.match(await page.locator(".inspector h2").innerText(), new RegExp(`^${on.replace(/[[\]]/g, "\\$&")} =`));
        assert.ok((await hash(page)).get("text"), "the address can hold it");
        await page.goBack();
        await seen();
      }
      await page.locator("summary", { hasText: "all rows" }).click();
      await page.locator("details [data-cell='A[1,3,5]']").click();
      await page.locator(".inspector h2", { hasText: "A[3,5] =" }).waitFor();
    }));

test("film: a number is reached and opened by keys", () =>
  withPage("#v=1&view=film&model=multi-head&epoch=1", async (page) => {
    await shows(page, 1);
    const inTable = ".seen > .scrolled [data-cell][tabindex='0']";
    assert.equal(await page.locator(inTable).count(), 2, "one for the heads, one for the answers");
    await page.locator(inTable).first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), "∂L/∂S[0,0,1]");
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), "∂L/∂S[0,0,7]");
    await page.keyboard.press("Enter");
    await page.locator(".inspector h2", { hasText: "∂L/∂S[0,7] =" }).waitFor();
  }));
