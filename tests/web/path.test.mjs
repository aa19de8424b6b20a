// The guided path: its steps, what they give away and what not, and the way from them and back.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { address, board, cell, closed, hash, withPage } from "./support.mjs";

after(closed);
const type = (page, answer) => page.locator(".answer input").fill(answer);

/// What is right of each step, and a line that is not, with what the question about it asks.
const PATH = [
  ["sat", "O - T", "T - O", /sign/],
  ["column sat of A", "A^T dO", "A dO", /columns on the left/],
  ["row The of dO and row sat of V", "dO V^T", "dO V", /columns on the left/],
  ["they fall", "A[i,j] (δ[j,k] - A[i,k])", "A[i,j] (1 - A[i,k])", /right where j = k/],
  ["no, they sum to 0", "A ⊙ (dA - rowsum(dA ⊙ A))", "A ⊙ dA", /row/],
  ["column sat: one for each query", "dS^T Q / 2", "dS^T Q", /constant factors/],
  ["no, since A changes too", "dS K / sqrt(d_k)", "dS K", /constant factors/],
  ["they add up", "dQ W_Q^T + dK W_K^T + dV W_V^T", "dV W_V^T", /is X used/],
  ["exactly 0", "A ⊙ (dA - rowsum(A ⊙ dA)) K / sqrt(d_k)", "A ⊙ dA K / sqrt(d_k)", /row/],
  ["nearly 0", "16 dS", "dS", /constant factors/],
  ["all of it", "A_1^T dO W_1^T", "A_1^T dO W_1^T / 2", /constant factors/],
];
test("path: in each step a wrong prediction is told kindly, and a wrong line gets a question that is true of it", () =>
  withPage("", async (page) => {
    for (const [i, [choice, , line, question]] of PATH.entries()) {
      await page.goto(`${address}#v=1&view=path&step=${i + 1}`);
      await page.locator(".guided h2", { hasText: `${i + 1}. ` }).waitFor();
      const choices = await page.locator(".prediction button").allInnerTexts();
      await page
        .locator(".prediction button")
        .nth(choices.findIndex((c) => c !== choice))
        .click();
      assert.ok((await page.locator(".reveal").innerText()).startsWith(`Not quite; the answer is “${choice}`));
      await type(page, line);
      const told = page.locator(".verdict .wrong");
      await told.waitFor();
      assert.match(await told.innerText(), question, `step ${i + 1}`);
      assert.equal(await page.locator(".because").count(), 0);
    }
  }));

test("path: eleven steps, each predicted, revealed and ended by a right line", () =>
  withPage("#v=1&view=path", async (page) => {
    for (const [i, [choice, line]] of PATH.entries()) {
      await page.locator(".guided h2", { hasText: `${i + 1}. ` }).waitFor();
      await page.locator(".shown [data-cell]").first().waitFor();
      const before = await page.locator(".shown figure").count();
      assert.equal(await page.locator(".reveal").count(), 0, "nothing is told before the prediction");
      await page
        .locator(".prediction button", {
          hasText: new RegExp(`^${choice.replace(/[()]/g, "\\$&")}$`),
        })
        .click();
      assert.match(await page.locator(".reveal").innerText(), /^Yes\./);
      assert.ok((await page.locator(".shown figure").count()) >= before);
      assert.equal(await page.locator(".because").count(), 0, "why it is so is not told before the line");
      await type(page, line);
      await page.locator(".verdict .right").waitFor();
      await page.locator(".because math").first().waitFor();
      if (i + 1 < PATH.length) await page.locator("button", { hasText: "next step" }).click();
    }
    assert.equal((await hash(page)).get("walked").split(".").length, 11);
    await page.locator(".because button", { hasText: "all of it on the board" }).click();
    await board(page);
  }));

test("path: the steps fit the numbers of the example; 2 and the root of the width are both right for a width of 4", () =>
  withPage("#v=1&view=path&step=6", async (page) => {
    await page.locator(".prediction button").first().click();
    for (const line of ["dS^T Q / 2", "dS^T Q / sqrt(d_k)"]) {
      await type(page, line);
      await page.locator(".verdict .right").waitFor();
      await type(page, "");
      await page.waitForFunction(() => !document.querySelector(".verdict .right"));
    }
  }));

test("path: nothing in a step gives away the line of it or of another", () =>
  withPage("#v=1&view=path", async (page) => {
    const bare = (text) => text.replace(/\s/g, "").replaceAll("∂L/∂", "d").replaceAll("@", "").replaceAll(".T", "^T");
    for (const [i, [choice]] of PATH.entries()) {
      await page.goto(`${address}#v=1&view=path&step=${i + 1}`);
      await page.locator(".prediction button", { hasText: choice }).first().click();
      await page.locator(".answer input").waitFor();
      const said = bare(await page.locator(".guided").innerText());
      // The first stands in the loss itself.
      for (const [, line] of PATH.slice(1)) assert.ok(!said.includes(bare(line)), `${line} stands in step ${i + 1}`);
    }
  }));

test("path: an entry opens where it stands, but not the one that the line asks for", () =>
  withPage("#v=1&view=path&step=3", async (page) => {
    await page.locator(".prediction button").first().click();
    await cell(page, "∂L/∂A[0,2]").click();
    await page.locator(".opened", { hasText: "is for you to find" }).waitFor();
    assert.equal(await page.locator(".opened .products").count(), 0);
    await type(page, "dO V^T");
    await page.locator(".opened .products").waitFor();
    assert.equal(await page.locator(".opened .products tbody tr:not(.sum)").count(), 4);
    await page.locator(".opened button", { hasText: "board" }).click();
    await board(page);
    assert.equal((await hash(page)).get("cell"), "dA[0,2]");
    await page.goBack();
    await page.locator(".guided h2", { hasText: "3. " }).waitFor();
    assert.equal(await page.locator(".answer input").inputValue(), "dO V^T", "what was typed is there again");
    assert.equal(await page.locator(".prediction button[aria-pressed=true]").count(), 1, "and what was predicted");
  }));

test("path: a verdict and a hint are seen, wherever the page is scrolled to", () =>
  withPage("#v=1&view=path&step=6", async (page) => {
    await page.locator(".prediction button").first().click();
    const inWindow = (selector) =>
      page.waitForFunction((s) => {
        const box = document.querySelector(s)?.getBoundingClientRect();
        return box && box.top >= 0 && box.bottom <= innerHeight;
      }, selector);
    await page.locator(".answer input").click();
    await page.evaluate(() => {
      const box = document.querySelector(".answer").getBoundingClientRect();
      scrollBy(0, box.bottom - innerHeight + 5); // the line at the lower edge of the window
    });
    await page.keyboard.type("dS Q");
    await inWindow(".verdict .wrong");
    await page.locator("button", { hasText: "a hint" }).click();
    await inWindow(".hints li");
  }));

test("path: a wrong prediction is told kindly, a wrong line gets a question", () =>
  withPage("#v=1&view=path&step=6", async (page) => {
    await page.locator(".prediction button").nth(1).click();
    assert.match(await page.locator(".reveal").innerText(), /^Not quite; the answer is “column sat/);
    await type(page, "dS Q");
    await page.locator(".verdict .wrong").waitFor();
    assert.equal(await page.locator("button", { hasText: "what would make it right?" }).count(), 0, "not before the numbers");
  }));
