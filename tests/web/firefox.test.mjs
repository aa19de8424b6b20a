// A walk through the page in Debian's Firefox, by WebDriver BiDi. Skipped where Firefox is not installed.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { address } from "./support.mjs";

const require = createRequire(new URL("../../tools/web/package.json", import.meta.url));
const executablePath = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
const skip = existsSync(executablePath) ? false : `${executablePath} is not there`;
let browser;
after(() => browser?.close());

/// A page at a fragment; afterwards no script may have failed.
async function withFirefox(fragment, body) {
  browser ??= await require("puppeteer-core").launch({ browser: "firefox", executablePath, headless: true });
  const page = await browser.newPage();
  page.setDefaultTimeout(20000);
  const errors = [];
  page.on("pageerror", (e) => errors.push(String(e)));
  try {
    await page.goto(address + fragment);
    await body(page);
  } finally {
    await page.close();
  }
  assert.deepEqual(errors, []);
}
const has = (page, selector, text) =>
  page.waitForFunction((s, t) => [...document.querySelectorAll(s)].some((e) => e.innerText.includes(t)), {}, selector, text);

test("firefox: the board, and an entry of it taken apart", { skip }, () =>
  withFirefox("#v=1&view=board&cell=dK[2,1]", async (page) => {
    await has(page, ".inspector h2", "∂L/∂K[2,1] = 0.1794");
    assert.equal(await page.$$eval("[data-cell].factor", (all) => all.length), 6);
    await page.click("[data-factor='∂L/∂S[1,2]']");
    await has(page, ".inspector h2", "∂L/∂S[1,2] =");
  }),
);

test("firefox: an answer is judged", { skip }, () =>
  withFirefox("#v=1&view=exercises&exercise=values", async (page) => {
    await page.waitForSelector(".answer input");
    await page.type(".answer input", "A dO");
    await page.waitForSelector(".verdict .wrong");
    await page.$eval(".answer input", (e) => e.select());
    await page.type(".answer input", "A^T dO");
    await page.waitForSelector(".verdict .right");
  }),
);

test("firefox: the film learns", { skip }, () =>
  withFirefox("#v=1&view=film&epoch=12", async (page) => {
    await page.waitForSelector("[data-runs=false][data-done='30']", { timeout: 60000 });
    await has(page, ".seen h2", "Max(1,6,2) after epoch 12: the model answers 6");
  }),
);

test("firefox: the bug lab, the desk, a worksheet and notes", { skip }, () =>
  withFirefox("#v=1&view=lab&slip=sign&trains=1", async (page) => {
    await has(page, ".ending", "It does not fall");
    for (const [view, selector, text] of [
      ["desk", ".findings h2", "1 of 4 lines are right"],
      ["sheet", ".handing .right", "every claim right"],
      ["notes", ".passages ins", "2.12"],
      ["nudge", ".along h2", "The loss when K[2,1] moves"],
      ["lens", ".jacobian td.sum", "0"],
      ["path", ".guided h2", "1. "],
    ]) {
      await page.evaluate((v) => (location.hash = `#v=1&view=${v}`), view);
      await has(page, selector, text);
    }
  }),
);
