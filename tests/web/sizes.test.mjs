// Every view on a phone and on a slide: nothing runs over the edge, signs are large enough, what matters is seen.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { READY, VIEWS } from "./all_views.mjs";
import { board, closed, SIZES, withPage } from "./support.mjs";

after(closed);
/// A phone widens its window to what runs over the edge, so this is held to its own width.
const width = (page) => page.evaluate(() => document.documentElement.scrollWidth);
const ON_PHONE = {
  ...VIEWS,
  arrows: "#v=1&view=lens&example=students&row=2",
  "a block": "#v=1&view=board&example=block&cell=dX[0,1]",
};

for (const [view, fragment] of Object.entries(ON_PHONE))
  test(`a phone shows ${view} without scrolling sideways`, () =>
    withPage(
      fragment,
      async (page) => {
        await page
          .locator(READY[view] ?? "main h2")
          .first()
          .waitFor();
        assert.ok((await width(page)) <= SIZES.phone.width);
      },
      { viewport: SIZES.phone, hasTouch: true, isMobile: true },
    ));

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
        assert.ok((await width(page)) <= SIZES.slide.width);
      },
      { viewport: SIZES.slide },
    ));

test("on a slide the entry stands beside the board: it is seen, with what it is the sum of", () =>
  withPage(
    "#v=1&view=board&cell=dK[2,1]&embed=1",
    async (page) => {
      await page.locator(".inspector h2").waitFor();
      const seen = await page.evaluate(() => {
        const at = (e) => {
          const box = e.getBoundingClientRect();
          const x = box.left + box.width / 2;
          const y = box.top + box.height / 2;
          return document.elementFromPoint(x, y)?.closest("[data-cell], tr") === e;
        };
        const panel = document.querySelector(".side-panel").getBoundingClientRect();
        return {
          cell: at(document.querySelector("[data-cell='∂L/∂K[2,1]']")),
          product: at(document.querySelector(".products tbody tr")),
          share: panel.width / innerWidth,
          scrolls: document.documentElement.scrollHeight > innerHeight,
        };
      });
      assert.ok(seen.cell, "the entry");
      assert.ok(seen.product, "its first product");
      assert.ok(seen.share < 0.4, `the panel takes ${seen.share} of the width`);
      assert.ok(!seen.scrolls, "the slide itself does not scroll");
    },
    { viewport: SIZES.slide },
  ));

for (const model of ["single-head", "multi-head", "block"])
  test(`on a phone the film shows all columns of ${model} at once`, () =>
    withPage(
      `#v=1&view=film&model=${model}&epoch=1`,
      async (page) => {
        await page.locator(READY.film).waitFor();
        const wide = await page.$$eval(".seen > .scrolled", (all) => all.map((e) => e.scrollWidth - e.clientWidth));
        assert.deepEqual(wide, [0]);
        const cut = await page.$$eval(".seen > .scrolled .cell", (all) =>
          all.filter((c) => c.scrollWidth > c.clientWidth + 1).map((c) => c.innerText),
        );
        assert.deepEqual(cut, []);
        assert.match(await page.locator(".beneath").innerText(), /Entropy of the rows?: \.?\d/);
      },
      { viewport: SIZES.phone, hasTouch: true, isMobile: true },
    ));

for (const example of ["multi_head", "block"])
  for (const size of ["laptop", "slide", "phone"])
    test(`${example} on a ${size}: the board scrolls in its own box, and words stand beside tokens alone`, () =>
      withPage(
        `#v=1&view=board&example=${example}`,
        async (page) => {
          await board(page);
          assert.ok((await width(page)) <= SIZES[size].width);
          const worded = await page.$$eval(".grid:has(.head)", (all) => all.map((g) => g.dataset.value));
          const strange = worded.filter((name) => /^(∂L\/∂)?W/.test(name));
          assert.deepEqual(strange, []);
        },
        { viewport: SIZES[size] },
      ));
