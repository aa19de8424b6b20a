// The other views: nudge, lens, exercises, desk, bug lab.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { address, board, cell, closed, hash, withPage } from "./support.mjs";

after(closed);
const OWN = `title "own"
input X = [[1, 2], [3, 4]], c = 2
forward
  Y = c X
  loss L = sum(Y ⊙ Y) / 2`;
const exact = async (page, selector) => Number(await page.locator(selector).first().getAttribute("data-exact"));

test("nudge: the secant comes near the tangent as h shrinks, then rounding takes over", () =>
  withPage("#v=1&view=nudge&entry=K[2,1]", async (page) => {
    await page.locator(".along .compared dd").first().waitFor();
    const gradient = await exact(page, ".compared dd");
    assert.ok(Math.abs(gradient - 0.17943274) < 1e-7);
    const error = async (h) => {
      await page.locator(".along label.wide input").fill(String(h));
      await page.locator("dt", { hasText: `h = 1e${h}` }).waitFor();
      return exact(page, ".compared dd:nth-of-type(3)");
    };
    const [large, middle, tiny] = [await error(-1), await error(-5), await error(-12)];
    assert.ok(large > 1e-6 && middle < 1e-9 && tiny > middle, `${large} ${middle} ${tiny}`);
  }));

test("nudge: moving the entry moves the numbers; the address keeps it; as it was", () =>
  withPage("#v=1&view=nudge&entry=K[2,1]", async (page) => {
    const number = page.locator(".along input[type=number]");
    await number.waitFor();
    const before = await exact(page, ".compared dd");
    await number.fill("1.5");
    await page.waitForFunction((b) => Number(document.querySelector(".compared dd").dataset.exact) !== b, before);
    assert.equal((await hash(page)).get("at"), "1.5");
    await page.locator("button", { hasText: "as it was" }).click();
    await page.waitForFunction((b) => Number(document.querySelector(".compared dd").dataset.exact) === b, before);
    await cell(page, "V[1,2]").click();
    await page.locator("h2", { hasText: "when V[1,2] moves" }).waitFor();
  }));

test("nudge: n on the board takes the cell along", () =>
  withPage("", async (page) => {
    await board(page);
    await page.evaluate(() => document.querySelector("[data-cell='Q[1,1]']").focus());
    await page.keyboard.press("n");
    await page.locator("h2", { hasText: "when Q[1,1] moves" }).waitFor();
  }));

test("nudge: an own text begins at an entry that it has; its scalar moves as well, and the address keeps it", () =>
  withPage("#v=1&view=desk", async (page) => {
    await page.locator(".findings h2", { hasText: "1 of 4" }).waitFor();
    await page.locator(".cm-content").fill(OWN);
    await page.locator(".findings h2", { hasText: "No claim to judge yet" }).waitFor();
    await page.locator("button", { hasText: "show on the board" }).click();
    await page.locator("nav button", { hasText: "Nudge" }).click();
    await page.locator("h2", { hasText: "when X[1,1] moves" }).waitFor();
    await cell(page, "c").click();
    await page.locator("h2", { hasText: "when c moves" }).waitFor();
    assert.equal(await exact(page, ".compared dd"), 60);
    const fragment = await hash(page);
    assert.equal(fragment.get("entry"), "c");
    await page.goto("about:blank");
    await page.goto(`${address}#${fragment}`);
    await page.locator("h2", { hasText: "when c moves" }).waitFor();
    assert.equal(await page.locator(".notice").count(), 0);
  }));

test("lens: rows of J sum to 0, entropy and dq fall as the scores grow", () =>
  withPage("#v=1&view=lens&row=0", async (page) => {
    await page.locator(".jacobian td.sum").first().waitFor();
    assert.deepEqual(await page.locator(".jacobian td.sum").allInnerTexts(), ["0", "0", "0"]);
    const weights = () =>
      page.$$eval("[aria-label^=own] .lens-table tbody td:nth-child(2)", (all) =>
        all.map((c) => Number(c.dataset.exact)).filter((x) => !Number.isNaN(x)),
      );
    const even = Math.max(...(await weights()));
    await page.locator(".lens-view > .controls label.wide input").fill("6");
    await page.locator("label", { hasText: "scores × 64" }).waitFor();
    assert.ok(Math.max(...(await weights())) > even);
    assert.equal((await hash(page)).get("scale"), "6");
    const plots = await page.$$eval("[aria-label='as the scores grow'] .plot", (all) =>
      all.map((p) => ({
        label: p.getAttribute("aria-label"),
        down: [...p.querySelectorAll(".dot")].map((d) => d.cy.baseVal.value),
      })),
    );
    assert.equal(plots.length, 3);
    for (const name of ["entropy", "largest entry of dq"]) {
      const { down } = plots.find((p) => p.label.startsWith(name));
      assert.equal(down.length, 9, name);
      assert.ok(
        down.slice(0, -1).every((y) => y < down.at(-1)),
        `${name} is lowest at the largest scores: ${down}`,
      );
    }
    await page.locator("input[type=checkbox]").uncheck();
    assert.equal((await hash(page)).get("root"), "0");
  }));

test("lens: arrows in the plane, the output where the board has it; a sentence where there are more components", () =>
  withPage("#v=1&view=board&example=three_paths", async (page) => {
    await board(page);
    const row = [await cell(page, "O[2,0]").innerText(), await cell(page, "O[2,1]").innerText()].map((t) =>
      t.replace("−.", "−0."),
    );
    await page.goto(`${address}#v=1&view=lens&example=three_paths&row=2`);
    await page.locator(".plane").nth(1).waitFor();
    const told = await page.locator(".plane svg").nth(1).getAttribute("aria-label");
    assert.ok(told.endsWith(`output (${row.join(", ")})`), `${told}; ${row}`);
    const names = await page.$$eval(".plane:first-of-type [data-arrow]", (all) => all.map((a) => a.dataset.arrow));
    assert.deepEqual(names.slice(0, 4), ["The", "cat", "sat", "query"]);
    await page.goto(`${address}#v=1&view=lens`);
    await page.locator(".hint", { hasText: "of two components are drawn as arrows" }).waitFor();
    assert.equal(await page.locator(".plane").count(), 0);
  }));

test("lens: positions are points on a circle, and how much one looks at another depends on how far it is", () =>
  withPage("#v=1&view=lens&example=positions&row=2", async (page) => {
    await page.locator(".plane").first().waitFor();
    const ends = await page.$$eval(".plane:first-of-type [data-arrow]", (all) =>
      all.map((a) => [a.x2.baseVal.value - a.x1.baseVal.value, a.y2.baseVal.value - a.y1.baseVal.value]),
    );
    const length = ends.map(([x, y]) => Math.hypot(x, y));
    assert.equal(ends.length, 7);
    for (const l of length) assert.ok(Math.abs(l - length[0]) < 1e-6 * length[0], `${length}`);
    const weights = await page.$$eval("[aria-label^=own] tbody td:nth-child(2)", (all) =>
      all.map((c) => Number(c.dataset.exact)),
    );
    assert.ok(Math.abs(weights[1] - weights[3]) < 1e-12 && Math.abs(weights[0] - weights[4]) < 1e-12, `${weights}`);
    assert.ok(weights[2] > weights[1] && weights[1] > weights[0]);
  }));

const open = async (page, name) => {
  await page.goto(page.url().split("#")[0] + `#v=1&view=exercises&exercise=${name}`);
  await page.locator(".exercise").waitFor();
};
const type = (page, answer) => page.locator(".answer input").fill(answer);

test("exercises: a wrong answer gets a question, numbers and the repair when asked; a right one is kept", () =>
  withPage("#v=1&view=exercises&exercise=values", async (page) => {
    await page.locator(".exercise").waitFor();
    await type(page, "A dO");
    await page.locator(".verdict .wrong").waitFor();
    assert.equal(await page.locator(".repair, .why").count(), 0, "not before it is asked for");
    await page.locator("button", { hasText: "show me in numbers" }).click();
    await page.locator(".why").waitFor();
    await page.locator("button", { hasText: "what would make it right?" }).click();
    await page.locator(".repair").waitFor();
    assert.match(await page.locator(".repair").innerText(), /A\^T/);
    for (const answer of ["A^T dO", "A.T @ dO", "A^\\top dO", "dV[j,c] = Σ_i A[i,j] dO[i,c]"]) {
      await type(page, answer);
      await page.locator(".verdict .right").waitFor();
      await page.locator(".read-as math").first().waitFor();
      await type(page, "");
      await page.waitForFunction(() => !document.querySelector(".verdict .right"));
    }
    assert.equal((await hash(page)).get("done"), "values");
    await type(page, "A^T (");
    await page.locator(".not-read").waitFor();
  }));

test("exercises: hints, numbers by hand, the next one", () =>
  withPage("#v=1&view=exercises&exercise=values", async (page) => {
    await page.locator("button", { hasText: "a hint" }).click();
    await page.locator(".hints li").waitFor();
    await page.locator("button", { hasText: "next exercise" }).click();
    assert.notEqual((await hash(page)).get("exercise"), "values");
    await open(page, "softmax_by_hand");
    await type(page, "[0.665, 0.245, 0.090]");
    await page.locator(".verdict .right").waitFor();
  }));

test("desk: verdicts as one types, the repair by a click, everything right in the end", () =>
  withPage("#v=1&view=desk", async (page) => {
    await page.locator(".findings h2", { hasText: "1 of 4 lines are right" }).waitFor();
    assert.deepEqual(await page.locator(".verdicts .mark").allInnerTexts(), ["✓", "✗", "✗", "✗"]);
    for (let left = 3; left > 0; --left) {
      await page.locator(".findings li.wrong button").first().click();
      await page
        .locator(".findings h2", {
          hasText: left > 1 ? `${5 - left} of 4` : "All 4 lines are right",
        })
        .waitFor();
    }
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\n  ∂L/∂K = ∂L/∂S^T Q");
    await page.locator(".findings li.wrong", { hasText: "sqrt(d_k)" }).waitFor();
    assert.match(await page.locator(".cm-content").innerText(), /∂L\/∂K = ∂L\/∂S\^T Q\s*$/, "no key is lost");
    assert.ok((await hash(page)).get("desk"));
  }));

test("desk: derive, other notations, the library, and to the board", () =>
  withPage("#v=1&view=desk", async (page) => {
    await page.locator(".findings h2", { hasText: "1 of 4" }).waitFor();
    await page.locator("button", { hasText: "derive the gradients" }).click();
    await page.waitForFunction(() =>
      /∂L\/∂Q = ∂L\/∂S K \/ sqrt\(d_k\)/.test(document.querySelector(".written textarea")?.value ?? ""),
    );
    await page.locator("select").nth(1).selectOption("latex");
    await page.waitForFunction(() => /\\frac\{\\partial L\}/.test(document.querySelector(".written textarea")?.value ?? ""));
    await page.locator("option[value=softmax]").waitFor({ state: "attached" });
    await page.locator("select").first().selectOption("softmax");
    await page.locator(".findings h2", { hasText: "lines are right" }).waitFor();
    await page.locator("button", { hasText: "show on the board" }).click();
    await board(page);
    assert.equal((await hash(page)).get("example"), "own");
  }));

test("desk: what cannot be derived is told, and not offered as a text", () =>
  withPage("#v=1&view=desk", async (page) => {
    await page.locator(".findings h2", { hasText: "1 of 4" }).waitFor();
    await page.locator("button", { hasText: "derive the gradients" }).click();
    await page.locator("button", { hasText: "put it into the editor" }).waitFor();
    await page.locator(".cm-content").fill("hello");
    await page.locator("button", { hasText: "derive the gradients" }).click();
    await page.locator(".written h2", { hasText: "not written" }).waitFor();
    assert.match(await page.locator(".written textarea").inputValue(), /expected title, dims/);
    assert.equal(await page.locator("button", { hasText: "put it into the editor" }).count(), 0);
  }));

const SLIPS = ["transpose", "sign", "row", "scale", "path", "mask", "mean", "diagonal", "upstream"];
test("lab: each of nine slips is found by the checker, in one line by itself and further ones along the chain", () =>
  withPage("#v=1&view=lab", async (page) => {
    for (const slip of SLIPS) {
      await page.locator("select").first().selectOption(slip);
      await page.locator(`.lab-table[data-slip=${slip}]`).waitFor();
      assert.equal(await page.locator(".lab-table tbody tr").count(), 7, slip);
      assert.equal(await page.locator(".lab-table td:nth-child(3):has(.verdict-word)").count(), 7, slip);
      assert.equal(await page.locator(".lab-table tr.slipped").count(), 1, slip);
      assert.ok((await page.locator(".lab-table tr.slipped th p").innerText()).length > 5, `${slip} has a diagnosis`);
      assert.ok((await page.locator(".lab-table td:nth-child(3) .wrong").count()) >= 1, slip);
    }
    await page.locator("select").first().selectOption("sign");
    await page.waitForFunction(() => document.querySelectorAll(".lab-table td:nth-child(3) .wrong").length === 7);
    assert.equal((await hash(page)).get("slip"), "sign");
  }));

test("lab: a hidden slip shows where line and nudge differ, and is told when it is named", () =>
  withPage("#v=1&view=lab&slip=hidden", async (page) => {
    await page.locator(".shown [data-cell]").first().waitFor();
    const cells = await page.$$eval(".shown [data-cell]", (all) => all.map((c) => c.dataset.cell));
    for (const c of cells) {
      await cell(page, c).click();
      await page.locator(".nudged", { hasText: c.replace("∂L/∂", "d") }).waitFor();
      if ((await page.locator(".cell.wrong").count()) > 0) break;
    }
    assert.equal(await page.locator(".cell.wrong").count(), 1);
    for (const slip of SLIPS) {
      await page.locator("label select").selectOption(slip);
      if ((await page.locator("section .right").count()) > 0) break;
    }
    assert.match(await page.locator("section .right").innerText(), /Found with \d+ nudge/);
  }));
