// What the page holds of memory as it is used on and on: printed, and judged by a wide bound.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { board, cell, closed, launched, withPage } from "./support.mjs";

after(closed);
const ROUNDS = Number(process.env.ROUNDS ?? 4); // at least, and for so long:
const MINUTES = Number(process.env.MINUTES ?? 0);
const MOST = 300; // MB of the process of the page and its workers

/// MB that the processes of pages hold, without what they share with others.
async function held() {
  const session = await (await launched()).newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const own = (id) => {
    const text = readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
    return [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].reduce((sum, m) => sum + Number(m[1]), 0) / 1000;
  };
  return processInfo.filter((p) => p.type === "renderer").reduce((sum, p) => sum + own(p.id), 0);
}

const go = (page, view) => page.locator("nav button", { hasText: view }).click();

/// Every view, each used a little.
async function round(page) {
  await go(page, "Board");
  await board(page);
  for (const c of ["∂L/∂K[2,1]", "∂L/∂S[0,1]", "∂L/∂Q[1,1]", "Q[0,0]"]) await cell(page, c).click();
  await page.locator(".words summary").click(); // open in one round, closed in the next
  await go(page, "Nudge");
  for (let i = 0; i < 10; ++i) await page.locator(".along input[type=number]").fill((0.1 * i).toFixed(1));
  await go(page, "Softmax lens");
  for (const scale of [-2, 0, 3, 6]) await page.locator(".lens-view label.wide input").first().fill(String(scale));
  for (const noise of [-4, 2, -1]) await page.locator(".information input").fill(String(noise));
  await go(page, "Guided path");
  await page.locator(".prediction button").first().waitFor();
  const asks = page.locator(".prediction:enabled button"); // what was predicted before stands
  if ((await asks.count()) > 0) await asks.first().click();
  await go(page, "Exercises");
  for (const answer of ["A dO", "A^T dO", "dO A", ""]) {
    await page.locator(".answer input").fill(answer);
    await page.waitForTimeout(300);
  }
  await go(page, "Bug lab");
  for (const slip of ["sign", "row", "mask"]) {
    await page.locator("label.wide select").selectOption(slip);
    await page.locator(`.lab-table[data-slip="${slip}"]`).waitFor();
  }
  await go(page, "Training film");
  await page.locator("[data-runs=false][data-done='30']").waitFor({ timeout: 60000 });
  for (let epoch = 0; epoch <= 30; epoch += 3) await page.locator(".scrubber input[type=range]").fill(String(epoch));
  await go(page, "Proof desk");
  await page.locator(".findings li").first().waitFor();
  for (const line of ["O - T", "T - O", "O"]) {
    await page
      .locator(".cm-content")
      .fill(`title "T"\ninput O [2, 3], T [2, 3]\nforward\n  loss L = sum((O - T)^2) / 2\nclaim\n  ∂L/∂O = ${line}`);
    await page.waitForTimeout(400);
  }
  await go(page, "Worksheet");
  await page.locator(".handing .right").waitFor();
  await go(page, "Own notes");
  await page.locator(".passages").first().waitFor();
}

test("memory stays bounded, round by round through all views", { timeout: 900000 }, () =>
  withPage("", async (page) => {
    const all = [];
    const start = Date.now();
    while (all.length < ROUNDS || Date.now() - start < MINUTES * 60000) {
      await round(page);
      all.push(await held());
    }
    const minutes = ((Date.now() - start) / 60000).toFixed(1);
    console.log(`memory after each of ${all.length} rounds, ${minutes} minutes: ${all.map((m) => m.toFixed(0)).join(", ")} MB`);
    assert.ok(Math.max(...all) < MOST, `${all}`);
  }),
);
