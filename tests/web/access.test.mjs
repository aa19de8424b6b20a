// Every view for everybody: axe-core, light and dark, touch, one view in a frame, print.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { READY, VIEWS } from "./all_views.mjs";
import { address, axeSource, board, cell, closed, opened, SIZES, withPage } from "./support.mjs";

after(closed);
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

test("a page that holds one view in a frame", async () => {
  const slide = join(mkdtempSync(join(tmpdir(), "gradproof-slide-")), "slide.html");
  writeFileSync(slide, `<iframe width="900" height="500" src="${address}#v=1&view=board&cell=dK[2,1]&embed=1"></iframe>`);
  const { page, context, errors } = await opened("", { at: pathToFileURL(slide).href });
  const frame = page.frameLocator("iframe");
  await frame.locator(".inspector h2", { hasText: "∂L/∂K[2,1] = 0.1794" }).waitFor();
  assert.equal(await frame.locator("header").count(), 0);
  await frame.locator("[data-factor='∂L/∂S[1,2]']").click();
  await frame.locator(".inspector h2", { hasText: "∂L/∂S[1,2] =" }).waitFor();
  assert.equal(page.url(), pathToFileURL(slide).href, "the slide stays where it is");
  assert.deepEqual(errors, []);
  await context.close();
});

test("prints to PDF", () =>
  withPage("#v=1&view=exercises&exercise=values", async (page) => {
    await page.locator(".exercise").waitFor();
    assert.ok((await page.pdf({ format: "A4" })).length > 5000);
  }));
