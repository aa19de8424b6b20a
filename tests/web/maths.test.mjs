// Formulas are set in the font that the page brings along, down to their last sign. ALL_FORMULAS=1 looks at those of the whole
// library.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { address, board, closed, opened, withPage } from "./support.mjs";

after(closed);
const { deflateSync, strToU8 } = createRequire(new URL("../../tools/web/package.json", import.meta.url))("fflate");
const library = join(dirname(fileURLToPath(import.meta.url)), "../../core/proof/library");
const onBoard = (text) => {
  const packed = Buffer.from(deflateSync(strToU8(text), { level: 9 })).toString("base64url");
  return `#v=1&view=board&example=own&text=${packed}`;
};
const LEAVES = ".maths mi, .maths mo, .maths mn, .maths mtext";

/// The signs of formulas that are drawn in another font than the page's own, each with that font; and how many are in it.
async function fontsOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument");
  const { nodeIds } = await session.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector: LEAVES });
  const texts = await page.$$eval(LEAVES, (all) => all.map((e) => e.textContent));
  const strange = new Set();
  let ours = 0;
  for (const [i, nodeId] of nodeIds.entries()) {
    const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
    for (const f of fonts) f.isCustomFont ? (ours += f.glyphCount) : strange.add(`${texts[i]} in ${f.familyName}`);
  }
  return { strange: [...strange], ours };
}

/// The captions of the board that reach over the edge of their column.
const overlong = (page) =>
  page.$$eval(".board .maths", (all) =>
    all
      .filter((m) => m.getBoundingClientRect().right > m.closest(".column").getBoundingClientRect().right + 1)
      .map((m) => m.innerText),
  );

const MANY = ["transformer_block", "layer_norm", "rope", "sinusoidal_positions", "gelu_tanh", "cross_entropy", "multi_head"];
const all = () => readdirSync(library).flatMap((f) => (f.endsWith(".proof") ? [f.slice(0, -6)] : []));
for (const name of process.env.ALL_FORMULAS ? all() : MANY)
  test(`every sign of the formulas of ${name} is of the page's own font`, () =>
    withPage(onBoard(readFileSync(join(library, `${name}.proof`), "utf8")), async (page) => {
      await board(page);
      await page.locator(".board .maths math").first().waitFor();
      await page.evaluate(() => document.fonts.ready);
      const { strange, ours } = await fontsOf(page);
      assert.deepEqual(strange, []);
      assert.ok(ours > 5, `${ours} signs`);
      assert.deepEqual(await overlong(page), []);
    }));

for (const name of ["three_layers", "multi_head", "block", "students", "two_heads"])
  test(`formulas stay within their columns: ${name}`, () =>
    withPage(`#v=1&view=board&example=${name}`, async (page) => {
      await page.locator(".board .maths math").first().waitFor();
      await page.evaluate(() => document.fonts.ready);
      assert.deepEqual(await overlong(page), []);
    }));

test("brackets grow with what they hold: the MATH table and its larger signs are there", () =>
  withPage("", async (page) => {
    await board(page);
    await page.evaluate(() => document.fonts.ready);
    const grown = await page.evaluate(() => {
      const row = document.createElement("div");
      row.innerHTML =
        '<math style="font-size: 50px"><mo stretchy="true">(</mo><mspace height="2em" depth="2em"/><mo stretchy="true">)</mo></math>';
      document.body.append(row);
      return [...row.querySelectorAll("mo")].map((mo) => mo.getBoundingClientRect().height / 50);
    });
    for (const height of grown) assert.ok(height > 3.5, `${height} of 4`);
  }));

test("the policy lets fonts come from the page alone", async () => {
  const { page, context } = await opened();
  await board(page);
  const refused = await page.evaluate(
    () =>
      new Promise((found) => {
        addEventListener("securitypolicyviolation", (e) => found(`${e.effectiveDirective} ${e.blockedURI}`));
        new FontFace("other", "url(https://example.org/a.woff2)")
          .load()
          .catch(() => setTimeout(() => found("it was asked for"), 500));
      }),
  );
  assert.equal(refused, "font-src https://example.org/a.woff2");
  await context.close();
});

test("a value that is stated entry by entry has a name, and its entries open", () =>
  withPage(`${onBoard(readFileSync(join(library, "rope.proof"), "utf8"))}&cell=dq[0,1,1]`, async (page) => {
    await page.locator(".inspector h2", { hasText: "∂L/∂q[0,1,1] =" }).waitFor();
    await page.locator("[data-cell='k[3,1,1]'].factor").waitFor();
    const names = await page.locator("figcaption b").allInnerTexts();
    for (const name of ["q[i,a,b]", "k[j,a,b]", "dq[i,a,b]", "S[i,j]"]) assert.ok(names.includes(name), `${name} in ${names}`);
  }));

test("formulas count entries from 0, as cells do: on the board, and of an answer in LaTeX", () =>
  withPage(`${onBoard(readFileSync(join(library, "rope.proof"), "utf8"))}`, async (page) => {
    await board(page);
    const formula = page.locator("figure:has([data-value='q']) figcaption .maths math").first();
    await formula.waitFor();
    const digits = (await page.locator("figure:has([data-value='q']) figcaption .maths mn").allTextContents()).join("");
    assert.match(digits, /^[01]+$/);
    assert.ok(digits.includes("0") && digits.includes("1"), digits);
    await page.goto(`${address}#v=1&view=exercises&exercise=values`);
    await page.locator(".answer input").fill("\\sum_i A_{ij} \\frac{\\partial L}{\\partial O_{ic}} + A_{0,1}");
    await page.locator(".verdict .wrong").waitFor();
    await page.locator(".read-as math").first().waitFor();
    assert.deepEqual(await page.locator(".read-as mn").allTextContents(), ["0,1"]);
  }));
