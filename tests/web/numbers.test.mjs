// The numbers in the page are those of the native program, to 1e-12.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { address, board, closed, example, hasProgram, native, source, withPage } from "./support.mjs";

after(closed);
const skip = hasProgram ? false : "the native program is not built";
const NUMBERS = { inf: Infinity, "-inf": -Infinity, nan: NaN };
const number = (x) => NUMBERS[x] ?? Number(x);

function agree(shown, true_, where) {
  const [a, b] = [number(shown), number(true_)];
  if (Object.is(a, b)) return;
  assert.ok(Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b)), `${where}: ${a} in the page, ${b} in the program`);
}

function entries(name, value, index = []) {
  if (!Array.isArray(value)) return [[index.length ? `${name}[${index.join(",")}]` : name, value]];
  return value.flatMap((v, i) => entries(name, v, [...index, i]));
}

let compared = 0;
for (const name of [
  "cat_sat",
  "causal",
  "three_paths",
  "saturated",
  "two_heads",
  "multi_head",
  "block",
  "students",
  "three_layers",
  "positions",
  "animal",
])
  test(`every cell of ${name}`, { skip }, async () => {
    const e = native("explain", example(name));
    await withPage(`#v=1&view=board&example=${name}`, async (page) => {
      await board(page);
      const shown = new Map(await page.$$eval("[data-cell]", (all) => all.map((c) => [c.dataset.cell, c.dataset.exact])));
      for (const step of [...e.given, ...e.forward, ...e.backward])
        for (const [cell, value] of entries(step.name, step.value)) {
          assert.ok(shown.has(cell), `${cell} is not on the board`);
          agree(shown.get(cell), value, cell);
          ++compared;
        }
    });
  });

test("entries taken apart", { skip }, async () => {
  await withPage("", async (page) => {
    await board(page);
    for (const cell of ["dK[2,1]", "dS[0,1]", "dQ[1,3]", "dV[2,0]", "dA[1,2]", "A[0,1]", "S[2,2]", "L"]) {
      const told = native("explain", example("cat_sat"), "--cell", cell).cell;
      await page.goto(`${address}#v=1&view=board&cell=${encodeURIComponent(cell)}`);
      await page.locator(".inspector h2", { hasText: `${told.cell} =` }).waitFor();
      const products = await page.$$eval(".inspector > .products tbody tr:not(.sum) td.number", (all) =>
        all.map((c) => c.dataset.exact),
      );
      assert.equal(products.length, Math.min(40, told.products.length), cell);
      told.products.slice(0, 40).forEach((p, i) => agree(products[i], p.product, `product ${i} of ${cell}`));
      const compare = await page.$$eval(".inspector .compared dd", (all) => all.map((c) => c.dataset.exact));
      if (told.true !== undefined) agree(compare[0], told.true, `true ${cell}`);
      if (told.difference !== undefined) agree(compare[1], told.difference, `difference of ${cell}`);
      compared += products.length + compare.length;
    }
  });
});

/// Every number of a derivation.
function numbersOf(file) {
  const e = native("explain", file);
  return [...e.given, ...e.forward, ...e.backward].flatMap((step) => entries(step.name, step.value).map(([, v]) => Number(v)));
}
test("what the guided path says in numbers", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "gradproof-"));
  const undivided = join(folder, "undivided.proof");
  writeFileSync(
    undivided,
    readFileSync(example("cat_sat"), "utf8")
      .replace("S = Q K^T / 2", "S = Q K^T")
      .replace(/^claim[^]*/m, ""),
  );
  const known = [example("cat_sat"), example("saturated"), undivided].flatMap(numbersOf);
  rmSync(folder, { recursive: true });
  const told = readFileSync(source("src/parts/steps.ts"), "utf8");
  const sums = [...told.matchAll(/([(\d](?:[\d×+/() ]|\.\d)*) = (\d\.\d{4})/g)].map(([, sum, result]) => {
    assert.ok(Math.abs(eval(sum.replaceAll("×", "*")) - result) < 2e-4, `${sum} is not ${result}`);
    return result;
  });
  assert.equal(sums.length, 3);
  const all = [...told.matchAll(/\d\.\d{4}/g)].map(([n]) => n);
  assert.ok(all.length >= 20, `${all.length} numbers`);
  for (const n of all)
    assert.ok(
      sums.includes(n) || known.some((k) => Math.abs(k - n) <= 0.5001e-4),
      `${n} stands in a step and in no example of it`,
    );
});

test("that was many numbers", { skip }, () => {
  console.log(`${compared} numbers compared`);
  assert.ok(compared >= 200);
});
