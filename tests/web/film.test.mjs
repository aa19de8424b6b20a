// The training film, and training with a planted slip.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { row, shows, trained } from "./film.mjs";
import { address, closed, hash, hasProgram, ran, withPage } from "./support.mjs";

after(closed);
const sum = (all) => all.reduce((a, b) => a + b, 0);
const exact = async (page, n) => Number(await page.locator(".numbers [data-exact]").nth(n).getAttribute("data-exact"));
const slide = (page, epoch) => page.locator(".scrubber input[type=range]").fill(String(epoch));

test("film: it learns, and every epoch of it can be seen again", () =>
  withPage("#v=1&view=film", async (page) => {
    await trained(page, 30);
    await shows(page, 30);
    assert.match(await page.locator(".seen h2").innerText(), /Max\(1,6,2\) after epoch 30: the model answers 6/);
    const [loss, right] = [await exact(page, 0), await exact(page, 1)];
    await slide(page, 0);
    await shows(page, 0);
    assert.ok((await exact(page, 0)) > 2 && loss < 0.1, "the loss falls from about ln 10");
    assert.ok((await exact(page, 1)) < 0.3 && right > 0.97, "from guesses to right answers");
    assert.equal((await hash(page)).get("epoch"), "0");
    const early = await row(page, 0, "weights");
    await slide(page, 12);
    await shows(page, 12);
    const late = await row(page, 0, "weights");
    assert.ok(Math.max(...early) < 0.6 && late[4] > 0.9, `the first position learns to look at the 6: ${early} ${late}`);
    assert.equal(await page.locator(".parameter b[data-exact]").count(), 6);
    for (const norm of await page.$$eval(".parameter b", (all) => all.map((b) => Number(b.dataset.exact))))
      assert.ok(norm > 0 && norm < 10, `a gradient has the norm ${norm}`);
    assert.equal((await hash(page)).get("epoch"), "12");
    await page.reload();
    await trained(page, 30);
    await shows(page, 12);
    assert.deepEqual(await row(page, 0, "weights"), late, "the same training again, at the epoch of the address");
  }));

test("film: its epochs are those of the program", { skip: hasProgram ? false : "the program is not built" }, () => {
  const out = join(mkdtempSync(join(tmpdir(), "gradproof-film-")), "run");
  const told = ran("train", "--model", "multi-head", "--epochs", "2", "--out", out, "--json");
  const epochs = told
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((e) => e.event === "interval");
  return withPage("#v=1&view=film&model=multi-head&epoch=1", async (page) => {
    for (const [i, e] of epochs.entries()) {
      if (i > 0) await slide(page, i + 1);
      await shows(page, i + 1);
      const [loss, right] = [await exact(page, 0), await exact(page, 1)];
      // Sums of floats in another order: 38 steps make of 1e-7 at most this.
      assert.ok(
        Math.abs(loss - e.val_loss) < 1e-3 * e.val_loss,
        `epoch ${i + 1}: ${loss} in the page, ${e.val_loss} in the program`,
      );
      assert.ok(
        Math.abs(right - e.val_accuracy) < 0.006,
        `epoch ${i + 1}: ${right} in the page, ${e.val_accuracy} in the program`,
      );
    }
  });
});

test("film: weights sum to 1, gradients of scores to 0, and those of the other positions are 0", () =>
  withPage("#v=1&view=film&model=multi-head&epoch=2", async (page) => {
    await shows(page, 2);
    const heads = [];
    for (let head = 0; head < 4; ++head) {
      const [weights, gradients] = [await row(page, head, "weights"), await row(page, head, "score-gradient")];
      assert.equal(weights.length, 8);
      assert.ok(Math.abs(sum(weights) - 1) < 1e-12);
      const largest = Math.max(...gradients.map(Math.abs));
      assert.ok(largest > 1e-6 && Math.abs(sum(gradients)) < 1e-12 * largest + 1e-15, `${gradients}`);
      heads.push(weights.join());
    }
    assert.equal(new Set(heads).size, 4, "each head looks elsewhere");
    await page.locator("summary", { hasText: "all rows" }).click();
    const others = await page.$$eval("details [data-cell^='∂L/∂S']", (all) =>
      all.filter((c) => !/\[\d,0,/.test(c.dataset.cell)).map((c) => Number(c.dataset.exact)),
    );
    assert.equal(others.length, 4 * 7 * 8);
    assert.ok(others.every((x) => x === 0));
  }));

test("film: an expression of one's own; what is none is told in a sentence and loses nothing", () =>
  withPage("#v=1&view=film&epoch=12", async (page) => {
    await trained(page, 30);
    await shows(page, 12);
    const type = (text) => page.locator(".expression").fill(text);
    await type("Min(4,9,7)");
    await page.locator(".seen[data-expression='Min(4,9,7)']").waitFor();
    assert.match(await page.locator(".seen h2").innerText(), /the model answers 4/);
    assert.equal((await hash(page)).get("expression"), "Min(4,9,7)");
    for (const [text, told] of [
      ["Mox(1,2,3)", /no function Mox: expected Max, Min or First; did you mean Max/],
      ["Max(1,2)", /expected three digits as in Max\(1,6,2\), got Max\(1,2\)/],
      ["", /no function : expected Max, Min or First|expected Max, Min or First/],
      ["<img src=x>", /no function/],
    ]) {
      await type(text);
      await page.waitForFunction((t) => new RegExp(t).test(document.querySelector(".scrubber .wrong")?.innerText), told.source);
    }
    await page.locator(".seen[data-expression='Min(4,9,7)']").waitFor();
    await type("First(3,0,8)");
    await page.locator(".seen[data-expression='First(3,0,8)']").waitFor();
    assert.equal(await page.locator(".scrubber .wrong").count(), 0);
  }));

test("film: stopped where one says so, and trained on from there", () =>
  withPage("#v=1&view=film&model=block", async (page) => {
    const twoDone = () => Number(document.querySelector(".progress")?.dataset.done) >= 2;
    await page.waitForFunction(twoDone, null, { timeout: 30000 });
    const before = await page.locator(".progress").getAttribute("data-done");
    await page.locator("button", { hasText: "stop" }).click();
    await page.waitForTimeout(1500);
    const done = Number(await page.locator(".progress").getAttribute("data-done"));
    assert.ok(done <= Number(before) + 1, `it stopped after ${done} epochs`);
    await page.locator("button", { hasText: "train on" }).click();
    await trained(page, 8);
    await page.locator("nav button", { hasText: "Board" }).click();
    await page.locator(".board [data-cell]").first().waitFor();
    assert.equal((await hash(page)).get("epoch"), null);
  }));

test("film: the epoch that runs when one stops is not lost", () =>
  withPage("#v=1&view=film", async (page) => {
    await page.waitForFunction(() => Number(document.querySelector(".progress")?.dataset.done) >= 2);
    await page.evaluate(() => [...document.querySelectorAll("button")].find((b) => b.innerText === "stop").click());
    await page.locator("button", { hasText: "train on" }).click();
    await trained(page, 30);
    assert.equal(await page.locator(".controls .wrong").count(), 0);
  }));

test("film: by keyboard, played and paused", () =>
  withPage("#v=1&view=film&epoch=20", async (page) => {
    await trained(page, 30);
    await shows(page, 20);
    await page.locator(".scrubber input[type=range]").focus();
    await page.keyboard.press("ArrowRight");
    await shows(page, 21);
    await page.keyboard.press("[");
    await page.keyboard.press("[");
    await shows(page, 19);
    await page.keyboard.press("Home");
    await shows(page, 0);
    await page.locator("button", { hasText: "play" }).click();
    await page.waitForFunction(() => Number(document.querySelector(".seen")?.dataset.epoch) >= 2);
    await page.locator("button", { hasText: "pause" }).click();
    const epoch = Number((await hash(page)).get("epoch"));
    await page.waitForTimeout(800);
    assert.equal(Number((await hash(page)).get("epoch")), epoch, "paused");
  }));

test("film: where less motion is asked for, nothing moves while it trains", () =>
  withPage(
    "#v=1&view=film",
    async (page) => {
      await shows(page, 0);
      const seen = await page.evaluate(
        () =>
          new Promise((resolve) => {
            const seen = new Set();
            const look = () => {
              const runs = document.querySelector("[data-runs=true]");
              if (!runs) return resolve([...seen]);
              seen.add(document.querySelector(".seen")?.dataset.epoch);
              setTimeout(look, 20);
            };
            look();
          }),
      );
      assert.deepEqual(seen, ["0"]);
      await shows(page, 30);
    },
    { reducedMotion: "reduce" },
  ));

test("lab: trained with a slip, the loss of most falls all the same, and of some it does not", () =>
  withPage("#v=1&view=lab&slip=row&trains=1", async (page) => {
    const ends = async (slip) => {
      await page.locator("label.wide select").selectOption(slip);
      await page.locator(`.descent[data-slip="${slip}"]`).waitFor();
      const at = async (n) => Number(await page.locator(".descent dd").nth(n).getAttribute("data-exact"));
      return { honest: await at(0), planted: await at(1), words: await page.locator(".ending").innerText() };
    };
    const nothing = await ends("");
    assert.equal(nothing.honest, nothing.planted);
    assert.ok(nothing.honest < 0.01, "the right lines train");
    for (const slip of ["transpose", "row", "scale", "mask", "mean", "diagonal"]) {
      const { honest, planted, words } = await ends(slip);
      assert.notEqual(honest, planted, slip);
      assert.ok(planted < 0.02, `${slip}: ${planted}`);
      assert.match(words, /falls all the same/);
    }
    for (const slip of ["sign", "path"]) assert.match((await ends(slip)).words, /does not fall/, slip);
    assert.match((await ends("upstream")).words, /ends at 0\.4/);
    assert.equal((await hash(page)).get("trains"), "1");
    await page.goto(`${address}#v=1&view=lab&slip=sign`);
    await page.locator(".lab-table[data-slip=sign]").waitFor();
    assert.equal(await page.locator(".descent").count(), 0, "only when asked for");
  }));
