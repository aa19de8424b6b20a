// The board: what is outlined, what opens, the way back; with the pointer, by keyboard alone, by touch.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { board, cell, closed, hash, withPage } from "./support.mjs";

after(closed);
const outlined = (page, mark) => page.$$eval(`[data-cell].${mark}`, (all) => all.map((c) => c.dataset.cell).sort());
const active = (page) =>
  page.evaluate(() => document.activeElement?.dataset.cell ?? document.activeElement?.dataset.factor ?? "");
const title = (page) => page.locator(".inspector h2").innerText();

test("pointing at an entry outlines what it is made of", () =>
  withPage("", async (page) => {
    await board(page);
    await cell(page, "∂L/∂K[2,1]").hover();
    await page.locator("[data-cell='∂L/∂S[1,2]'].factor").waitFor();
    const factors = await outlined(page, "factor");
    assert.deepEqual(factors, ["Q[0,1]", "Q[1,1]", "Q[2,1]", "∂L/∂S[0,2]", "∂L/∂S[1,2]", "∂L/∂S[2,2]"]);
    assert.match(
      await page.locator(".sentence").innerText(),
      /key sat, component 1: 0\.1794, the sum of 3 products, 2 of them not 0, through queries cat and sat/,
    );
    await page.mouse.move(2, 2);
    await page.waitForFunction(() => document.querySelectorAll("[data-cell].factor").length === 0);
  }));

test("no percentages where terms cancel, bars to both sides", () =>
  withPage("#v=1&view=board&cell=dS[0,1]", async (page) => {
    await page.locator(".inspector details .products").waitFor();
    const inner = page.locator(".inspector details .products");
    assert.doesNotMatch(await inner.innerText(), /%/);
    assert.ok((await inner.locator(".bar .minus").count()) > 0);
    assert.ok((await inner.locator(".bar .plus").count()) > 0);
    assert.equal(await page.locator(".inspector details summary").innerText(), "where (∂L/∂A - rowsum(∂L/∂A ⊙ A))[0,1] is");
  }));

test("a click descends, the breadcrumb leads back, the address keeps the way", () =>
  withPage("", async (page) => {
    await board(page);
    await cell(page, "∂L/∂K[2,1]").click();
    await page.locator("[data-factor='∂L/∂S[1,2]']").click();
    await page.locator(".inspector h2", { hasText: "∂L/∂S[1,2] =" }).waitFor();
    await page.locator("details [data-factor='∂L/∂A[1,2]']").first().click();
    await page.locator(".inspector h2", { hasText: "∂L/∂A[1,2] =" }).waitFor();
    assert.equal((await hash(page)).get("cell"), "dK[2,1]~dS[1,2]~dA[1,2]");
    await page.locator(".crumbs button", { hasText: "dK[2,1]" }).click();
    await page.locator(".inspector h2", { hasText: "∂L/∂K[2,1] =" }).waitFor();
    assert.equal((await hash(page)).get("cell"), "dK[2,1]");
  }));

test("by keyboard alone: to a cell, into its factors down to the loss, and back", () =>
  withPage("", async (page) => {
    await board(page);
    await page.evaluate(() => document.querySelector(".board [tabindex='0']").focus());
    assert.equal(await active(page), "Q[0,0]");
    await page.keyboard.press("ArrowRight");
    assert.equal(await active(page), "Q[0,1]");
    await page.keyboard.press("ArrowDown");
    assert.equal(await active(page), "Q[1,1]");
    await page.keyboard.press("End");
    assert.equal(await active(page), "Q[1,3]");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(await active(page), "K[0,3]", "over the edge into the next matrix");
    await page.keyboard.press("]");
    assert.equal(await active(page), "S[0,0]");
    for (let i = 0; i < 4; ++i) await page.keyboard.press("]");
    assert.match(await active(page), /^∂L\/∂/, "after the loss come the gradients");
    await page.evaluate(() => document.querySelector("[data-cell='∂L/∂K[2,1]']").focus());
    await page.keyboard.press("Enter");
    await page.locator(".inspector.pinned h2", { hasText: "∂L/∂K[2,1] =" }).waitFor();
    const seen = [];
    for (let i = 0; i < 3; ++i) {
      const before = await title(page);
      await page.keyboard.press("Enter");
      await page.waitForFunction((t) => document.querySelector(".inspector h2")?.innerText !== t, before);
      await page.waitForTimeout(60);
      seen.push((await title(page)).split(" ")[0]);
    }
    assert.deepEqual(seen, ["∂L/∂S[2,2]", "∂L/∂A[2,2]", "∂L/∂O[2,3]"]);
    for (let i = 0; i < 3; ++i) await page.keyboard.press("Backspace");
    await page.locator(".inspector h2", { hasText: "∂L/∂K[2,1] =" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForTimeout(100);
    assert.equal((await hash(page)).get("cell"), null);
  }));

test("roles: grids, rows, cells with words, one stop for Tab, a live sentence", () =>
  withPage("#v=1&view=board&cell=dK[2,1]", async (page) => {
    await board(page);
    assert.ok((await page.locator("[role=grid]").count()) >= 12);
    assert.equal(await page.locator(".board [data-cell][tabindex='0']").count(), 1);
    const label = await cell(page, "∂L/∂K[2,1]").getAttribute("aria-label");
    assert.equal(label, "gradient of K[2,1]: 0.1794");
    assert.equal(await page.locator(".sentence").getAttribute("aria-live"), "polite");
    assert.equal(await cell(page, "∂L/∂K[2,1]").getAttribute("aria-selected"), "true");
  }));

test("a masked entry, a zero and a number look different", () =>
  withPage("#v=1&view=board&example=causal", async (page) => {
    await board(page);
    const kind = async (c) => (await cell(page, c).getAttribute("class")).split(" ")[1];
    assert.deepEqual(
      [await kind("M[0,1]"), await kind("A[0,1]"), await kind("A[1,0]"), await kind("∂L/∂S[0,2]")],
      ["none", "zero", "plus", "zero"],
    );
    assert.equal(await cell(page, "M[0,1]").innerText(), "−∞");
  }));

test("numbers between −1 and 0 are written alike", () =>
  withPage("", async (page) => {
    await board(page);
    assert.deepEqual(await page.locator("[data-cell^='∂L/∂S[']").allInnerTexts(), [
      ...["−.0367", "−.0055", "0.0423"],
      ...["−.177", "0.0315", "0.1455"],
      ...["−.2133", "0", "0.2133"],
    ]);
  }));

test("layers without a way past them: the weights become even, and of their gradients only rounding is left, shown as 0", () =>
  withPage("#v=1&view=board&example=three_layers", async (page) => {
    await board(page);
    assert.equal(await cell(page, "A_3[0,1]").innerText(), "0.3333");
    const kept = Number(await cell(page, "∂L/∂K_3[0,0]").getAttribute("data-exact"));
    assert.ok(kept !== 0 && Math.abs(kept) < 1e-14, `the number itself is kept: ${kept}`);
    assert.equal(await cell(page, "∂L/∂K_3[0,0]").innerText(), "0");
    assert.match(await cell(page, "∂L/∂K_3[0,0]").getAttribute("class"), /zero/);
  }));

test("formulas are MathML", () =>
  withPage("", async (page) => {
    await board(page);
    await page.locator("figcaption math").first().waitFor();
    assert.ok((await page.locator("figcaption math").count()) >= 8);
  }));

test("help tells the keys and the licences", () =>
  withPage("", async (page) => {
    await board(page);
    await page.keyboard.press("?");
    await page.locator("dialog[open]").waitFor();
    await page.locator("dialog button.link").click();
    const text = await page.locator(".licences").innerText();
    for (const name of ["preact", "codemirror", "d3-scale", "temml", "fflate", "stix-two-math", "OPEN FONT LICENSE"])
      assert.ok(text.includes(name), name);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog[open]"));
  }));
