// What readers bring along: worksheets, notes, and numbers of their own.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { address, board, closed, hash, withPage } from "./support.mjs";

after(closed);
const { zipSync } = createRequire(new URL("../../tools/web/package.json", import.meta.url))("fflate");
const link = async (page) => {
  await page.locator(".handing .right").waitFor();
  return page.locator(".link-to-sheet").inputValue();
};
const proof = (claim) => `title "The values"\ndims n m d\ninput B [n, m], U [m, d]\nforward\n  O = B U\nclaim\n  ${claim}`;
const put = (page, claim) => page.locator(".cm-content").fill(proof(claim));

test("worksheet: a link made, opened by a student, judged live, kept in the address", () =>
  withPage("#v=1&view=sheet", async (page) => {
    await page.locator(".form textarea").first().fill("What is the gradient of the values?");
    await put(page, "∂L/∂U = B^T ∂L/∂O");
    await page.waitForTimeout(500);
    const made = await link(page);
    assert.ok(made.split("#")[1].length < 4096);
    await page.goto("about:blank");
    await page.goto(made);
    await page.locator(".exercise p", { hasText: "What is the gradient of the values?" }).waitFor();
    assert.equal(await page.locator(".form, .cm-editor").count(), 0, "no editor for a student");
    const hidden = async (when) => assert.ok(!/B\^T|B\.T|B\^\\top/.test(await page.content()), when);
    await hidden("before");
    await page.locator(".answer input").fill("B dO");
    await page.locator(".verdict .wrong").waitFor();
    assert.equal(await page.locator("button", { hasText: "what would make it right?" }).count(), 0);
    await page.locator("button", { hasText: "show me in numbers" }).click();
    await page.locator(".why").waitFor();
    await page.locator("button", { hasText: "a hint" }).click();
    await page.locator(".hints li", { hasText: "To which entries of O" }).waitFor();
    assert.equal(await page.locator(".hints button", { hasText: "hint" }).isDisabled(), true, "the teacher's hints alone");
    await hidden("after everything that a student can ask for");
    await page.locator(".answer input").fill("B.T @ dO");
    await page.locator(".verdict .right").waitFor();
    assert.equal((await hash(page)).get("solved"), "values");
    await page.locator("button", { hasText: "next exercise" }).click();
    await page.locator(".answer input").fill("[2.00, 2.00]");
    await page.locator(".verdict .right").waitFor();
    assert.equal((await hash(page)).get("solved"), "values.scores");
  }));

test("worksheet: a wrong claim is refused with its name, and not handed on", () =>
  withPage("#v=1&view=sheet", async (page) => {
    await link(page);
    await put(page, "∂L/∂U = 2 B^T ∂L/∂O");
    await page.locator(".handing .warning", { hasText: "Exercise 1, line 7: ∂L/∂U = 2 B^T ∂L/∂O is wrong" }).waitFor();
    assert.equal(await page.locator(".link-to-sheet").count(), 0);
    for (const name of ["as a student sees it", "save as a file"])
      assert.equal(await page.locator("button", { hasText: name }).isDisabled(), true, name);
    await put(page, "∂L/∂B = ∂L/∂O U^T");
    await link(page);
    await page.locator(".form textarea").first().fill("");
    await page.locator(".handing .warning", { hasText: "statement" }).waitFor();
  }));

test("worksheet: another one in the address takes the place of what was written", () =>
  withPage("#v=1&view=sheet", async (page) => {
    const statement = page.locator(".form textarea").first();
    await statement.fill("The first one.");
    const first = `#${await hash(page)}`;
    await statement.fill("The second one. ");
    assert.equal(await statement.inputValue(), "The second one. ", "as it is typed");
    assert.notEqual(`#${await hash(page)}`, first);
    await page.evaluate((h) => (location.hash = h), first);
    await page.waitForFunction(() => document.querySelector(".form textarea")?.value === "The first one.");
  }));

test("worksheet: too long for a link, it goes by a file and comes back", () =>
  withPage("#v=1&view=sheet", async (page) => {
    await link(page);
    let seed = 7;
    const letters = Array.from({ length: 9000 }, () => {
      seed = (seed * 48271) % 2147483647;
      return String.fromCharCode(97 + (seed % 26));
    }).join("");
    await page.locator(".form textarea").first().fill(letters);
    await page.locator(".too-long").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("button", { hasText: "save as a file" }).click(),
    ]);
    const file = await download.path();
    await page.goto("about:blank");
    await page.goto(`${address}#v=1&view=sheet`);
    await link(page);
    const choose = (path) => page.locator("input[type=file]").setInputFiles(path);
    await choose({ name: "cut.worksheet", mimeType: "text/plain", buffer: Buffer.from("gradproof worksheet 1\nAAAA_") });
    await page.locator(".handing .warning", { hasText: "cut.worksheet: it is cut short or changed" }).waitFor();
    await choose({ name: "large.proof", mimeType: "text/plain", buffer: Buffer.alloc(1 << 20, 65) });
    await page.locator(".handing .warning", { hasText: "large.proof: it has 1048576 bytes" }).waitFor();
    await choose(file);
    await page.waitForFunction((t) => document.querySelector(".form textarea")?.value === t, letters);
    await page.locator("button", { hasText: "as a student sees it" }).click();
    await page.locator(".exercise").waitFor();
    await page.locator("button", { hasText: "back to the editor" }).click();
    await page.locator(".form").waitFor();
  }));

test("notes: each wrong number with what it should be, line by line, as one types", () =>
  withPage("#v=1&view=notes", async (page) => {
    await page.locator(".passages").first().waitFor();
    assert.deepEqual(await page.locator(".passages del").allInnerTexts(), ["2.21", "1.34"]);
    assert.deepEqual(await page.locator(".passages ins").allInnerTexts(), ["2.12", "1.44"]);
    assert.match(await page.locator(".passages td").first().innerText(), /line 9\s+s = \[0\.71, 1\.41, 2\.21\]/);
    await page.locator(".cm-content").fill('title "T"\ninput q = [1, 2]\nforward\n  s = 2 q\nexpect\n  s = [2, 4]');
    await page.locator(".replayed .right", { hasText: "all 2 numbers agree" }).waitFor();
    assert.equal(await page.locator(".passages").count(), 0);
    assert.ok((await hash(page)).get("notes"));
    await page.locator("select").selectOption("students");
    await page.locator(".replayed h2", { hasText: "Query projection" }).waitFor();
    assert.ok((await page.locator(".passages ins").count()) > 3, "misprints of a teaching text");
    await page.locator(".cm-content").fill("hello");
    await page.locator(".replayed .warning", { hasText: "expected title" }).waitFor();
  }));

/// A .npy file of doubles.
function npy(rows, width, values) {
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows}, ${width}), }`;
  const text = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + "\n";
  const out = Buffer.alloc(10 + text.length + 8 * values.length);
  out.write("\x93NUMPY\x01\x00", 0, "latin1");
  out.writeUInt16LE(text.length, 8);
  out.write(text, 10, "latin1");
  values.forEach((v, i) => out.writeDoubleLE(v, 10 + text.length + 8 * i));
  return out;
}
const file = (name, buffer) => ({ name, mimeType: "application/octet-stream", buffer });

test("numbers: typed, pasted with brackets, from .npy and .npz, to the board", () =>
  withPage("", async (page) => {
    await board(page);
    const open = () => page.locator("button", { hasText: "your numbers" }).click();
    const area = (n) => page.locator(".own-numbers textarea").nth(n);
    await open();
    await area(0).fill("1 2\n-3, 4.5");
    await area(1).fill("[[1, 0],\n [0.5, 2]]");
    const choose = (...files) => page.locator(".own-numbers input[type=file]").setInputFiles(files);
    await choose(file("V.npy", npy(2, 3, [1, 2, 3, 0.125, -5, 6e-3])));
    await page.waitForFunction(() => document.querySelectorAll(".own-numbers textarea")[2].value === "1 2 3\n0.125 -5 0.006");
    await page.locator("button", { hasText: "show them" }).click();
    await page.locator("[data-cell='Q[1,0]'][data-exact='-3']").waitFor();
    assert.equal(await page.locator("[data-cell='V[1,2]']").getAttribute("data-exact"), "0.006");
    assert.equal(await page.locator("[data-cell^='S[']").count(), 4);
    assert.ok((await hash(page)).get("text"));
    await open();
    await choose(file("all.npz", Buffer.from(zipSync({ "q.npy": npy(1, 2, [7, 8]), "K.npy": npy(1, 2, [9, 1]) }))));
    await page.waitForFunction(() => document.querySelectorAll(".own-numbers textarea")[0].value === "7 8");
    assert.equal(await area(1).inputValue(), "9 1");
  }));

/// Drops files on what a selector finds, as a hand would: dragged over it first. Whether the page took them.
async function drop(page, selector, files) {
  const data = await page.evaluateHandle((all) => {
    const made = new DataTransfer();
    for (const [name, bytes] of all) made.items.add(new File([new Uint8Array(bytes)], name));
    return made;
  }, files);
  return page.locator(selector).evaluate((at, dataTransfer) => {
    const send = (type) => !at.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    return send("dragover") && send("drop");
  }, data);
}

test("numbers: files dropped on the dialog, on a field of it, on the page, and where no view wants them", () =>
  withPage("", async (page) => {
    await board(page);
    const value = (n, text) =>
      page.waitForFunction(([at, t]) => document.querySelectorAll(".own-numbers textarea")[at].value === t, [n, text]);
    const told = (text) => page.locator(".own-numbers .warning", { hasText: text }).waitFor();
    await page.locator("button", { hasText: "your numbers" }).click();
    const both = [
      ["Q.npy", [...npy(1, 2, [7, 8])]],
      ["V.npy", [...npy(2, 1, [-3, 0.5])]],
    ];
    assert.ok(await drop(page, ".own-numbers", both));
    await value(0, "7 8");
    await value(2, "-3\n0.5");
    assert.ok(
      await drop(page, ".own-numbers textarea >> nth=1", [["all.npz", [...zipSync({ "K.npy": npy(2, 2, [1, 2, 3, 4]) })]]]),
    );
    await value(1, "1 2\n3 4");
    assert.ok(
      await drop(page, ".own-numbers", [
        ["X.npy", [...npy(1, 1, [1])]],
        ["Q.npy", [...npy(1, 2, [5, 6])]],
      ]),
    );
    await told("X.npy: it is not called Q.npy, K.npy or V.npy");
    await value(0, "5 6");
    assert.ok(await drop(page, ".own-numbers", [["Q.npy", new Array((1 << 18) + 1).fill(0)]]));
    await told("Q.npy: it has 262145 bytes, more than the 262144 that this page takes");
    await page.locator("button", { hasText: "show them" }).click();
    await page.locator("[data-cell='Q[0,1]'][data-exact='6']").waitFor();
    assert.ok(await drop(page, ".board", [["Q.npy", [...npy(1, 2, [9, 9])]]]));
    await page.locator(".own-numbers[open]").waitFor();
    await value(0, "9 9");
    await page.locator(".own-numbers button", { hasText: "close" }).click();
    await page.locator("nav button", { hasText: "Bug lab" }).click();
    await page.locator(".lab-table").waitFor();
    assert.ok(await drop(page, "main", both), "the browser does not leave the page for them");
    assert.equal(await page.locator("body.dragged-over").count(), 0);
  }));

test("worksheet: a file dropped on it is opened", () =>
  withPage("#v=1&view=sheet", async (page) => {
    await link(page);
    const text = '#! name one\n#! statement Dropped.\ntitle "T"\ninput X [2, 3]\nforward\n  Y = 2 X\nclaim\n  ∂L/∂X = 2 ∂L/∂Y\n';
    assert.ok(await drop(page, "main", [["a.proof", [...Buffer.from(text)]]]));
    await page.waitForFunction(() => document.querySelector(".form textarea")?.value === "Dropped.");
    await link(page);
  }));

test("numbers: what is none is told in one sentence, and nothing is lost", () =>
  withPage("", async (page) => {
    await board(page);
    await page.locator("button", { hasText: "your numbers" }).click();
    const area = page.locator(".own-numbers textarea").first();
    const told = (text) => page.locator(".own-numbers .warning", { hasText: text }).waitFor();
    const show = () => page.locator("button", { hasText: "show them" }).click();
    for (const [typed, text] of [
      ["1 2\n3", "Q: the row “3” has 1, the first has 2"],
      ["1 nan", "Q: “nan” is not a finite number"],
      ["<b>", "Q: “<b>” is not a finite number"],
      ["", "Q: there are no numbers"],
      ["1 ".repeat(1000000), "Q: it is 1 × 1000000; the board shows at most 16 × 16"],
      ["1 2 3", "shapes do not fit"],
    ]) {
      await area.fill(typed);
      await show();
      await told(text);
    }
    const choose = (f) => page.locator(".own-numbers input[type=file]").setInputFiles(f);
    for (const [f, text] of [
      [file("Q.npy", Buffer.from("hello")), "Q.npy: not a .npy file"],
      [file("Q.npy", npy(2, 2, [1, 2, 3, 4]).subarray(0, 100)), "Q.npy: "],
      [file("Q.npy", npy(1, 2, [1, Number.POSITIVE_INFINITY])), "Q.npy: it holds inf, expected finite numbers"],
      [file("X.npy", npy(1, 1, [1])), "X.npy: it is not called Q.npy, K.npy or V.npy"],
      [file("all.npz", Buffer.from("PK no")), "all.npz: not a .npz file"],
      [file("Q.npy", npy(100, 2, new Array(200).fill(1))), "Q: it is 100 × 2; the board shows at most 16 × 16"],
    ]) {
      await choose(f);
      await told(text);
    }
    assert.equal(await area.inputValue(), "1 2 3", "what was typed stands");
  }));

test("film: what one expression looks like goes to the board with the same numbers", () =>
  withPage("#v=1&view=film&epoch=3", async (page) => {
    await page.locator("[data-runs=false][data-done='30']").waitFor({ timeout: 60000 });
    await page.locator(".seen[data-epoch='3']").waitFor();
    const seen = await page.$$eval(".weights .cell", (all) => all.map((c) => Number(c.dataset.exact)));
    await page.locator("button", { hasText: "every number of it on the board" }).click();
    await board(page);
    const there = await page.$$eval("[data-cell^='A[0,']", (all) => all.map((c) => Number(c.dataset.exact)));
    assert.equal(there.length, 8);
    there.forEach((x, i) => assert.ok(Math.abs(x - seen[i]) < 2e-3, `${x} ${seen[i]}`)); // Q and K in four digits
    assert.ok((await hash(page)).get("text"), "the address can hold it");
  }));
