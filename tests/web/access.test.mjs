// Every view for everybody: axe-core, light and dark, phone width, touch, one view in a frame, print.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { axeSource, board, cell, closed, SIZES, withPage } from "./support.mjs";

after(closed);
const VIEWS = {
  board: "#v=1&view=board&cell=dS[0,1]",
  nudge: "#v=1&view=nudge&entry=K[2,1]",
  lens: "#v=1&view=lens",
  path: "#v=1&view=path&step=5",
  exercises: "#v=1&view=exercises&exercise=values",
  lab: "#v=1&view=lab&slip=hidden",
  training: "#v=1&view=lab&slip=upstream&trains=1",
  film: "#v=1&view=film&model=multi-head&epoch=1",
  desk: "#v=1&view=desk",
  sheet: "#v=1&view=sheet",
  notes: "#v=1&view=notes",
};
const READY = {
  board: ".inspector h2",
  nudge: ".along .compared",
  lens: ".jacobian",
  path: ".shown figure",
  exercises: ".exercise",
  lab: ".shown figure",
  training: ".descent .ending",
  film: ".seen[data-epoch='1']",
  desk: ".findings li",
  sheet: ".link-to-sheet",
  notes: ".passages",
};

async function findings(page) {
  await page.addScriptTag({ path: axeSource });
  const found = await page.evaluate(() => window.axe.run());
  return found.violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map(
      (v) =>
        `${v.id}: ${v.nodes
          .slice(0, 3)
          .map((n) => n.html.slice(0, 120))
          .join(" | ")}`,
    );
}

for (const [view, fragment] of Object.entries(VIEWS))
  for (const colorScheme of ["light", "dark"])
    test(`axe-core finds nothing serious: ${view}, ${colorScheme}`, () =>
      withPage(
        fragment,
        async (page) => {
          await page.locator(READY[view]).first().waitFor();
          assert.deepEqual(await findings(page), []);
        },
        { colorScheme, bypassCSP: true },
      ));

for (const [view, fragment] of Object.entries(VIEWS))
  test(`a phone shows ${view} without scrolling sideways`, () =>
    withPage(
      fragment,
      async (page) => {
        await page.locator(READY[view]).first().waitFor();
        const [wide, there] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= there, `${wide} px of ${there}`);
      },
      { viewport: SIZES.phone, hasTouch: true, isMobile: true },
    ));

test("touch opens an entry and a factor", () =>
  withPage(
    "",
    async (page) => {
      await board(page);
      await cell(page, "∂L/∂K[2,1]").tap();
      await page.locator(".inspector h2", { hasText: "∂L/∂K[2,1] =" }).waitFor();
      await page.locator("[data-factor='∂L/∂S[1,2]']").tap();
      await page.locator(".inspector h2", { hasText: "∂L/∂S[1,2] =" }).waitFor();
    },
    { viewport: SIZES.phone, hasTouch: true, isMobile: true },
  ));

test("embedded, there is no menu", () =>
  withPage("#v=1&view=board&cell=dK[2,1]&embed=1", async (page) => {
    await board(page);
    assert.equal(await page.locator("header").count(), 0);
  }));

/// The texts whose signs are smaller than 18 pixels of the screen; scripts of formulas are.
const smallSigns = () => {
  const seen = new Set();
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (node.textContent.trim() === "" || e.closest("math, option, .unseen") || e.getClientRects().length === 0) continue;
    const size = parseFloat(getComputedStyle(e).fontSize);
    const scale = e instanceof SVGElement ? e.getScreenCTM().a : e.currentCSSZoom;
    if (size * scale < 17.95) seen.add(`${e.tagName}.${e.getAttribute("class")}: ${(size * scale).toFixed(1)}`);
  }
  return [...seen];
};
for (const [view, fragment] of Object.entries(VIEWS))
  test(`signs of 18 px on a slide of 960 × 540: ${view}`, () =>
    withPage(
      `${fragment}&embed=1`,
      async (page) => {
        await page.locator(READY[view]).first().waitFor();
        assert.deepEqual(await page.evaluate(smallSigns), []);
        const [wide, there] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= there, `${wide} px of ${there}`);
      },
      { viewport: SIZES.slide },
    ));

test("prints to PDF", () =>
  withPage("#v=1&view=exercises&exercise=values", async (page) => {
    await page.locator(".exercise").waitFor();
    assert.ok((await page.pdf({ format: "A4" })).length > 5000);
  }));
