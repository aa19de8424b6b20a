// `gradproof explain --html` and `check --html`: the page opened at the board and at the proof desk.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { board, closed, example, hash, hasProgram, ran, withPage } from "./support.mjs";

after(closed);
const folder = mkdtempSync(join(tmpdir(), "gradproof-html-"));
const skip = hasProgram ? false : "the program is not built";
const proof = (claim) => `title "A </script><script>window.hacked=1</script>"
input X = [[1, 2], [3, 4]], c = 7
forward
  Y = c X
  loss L = sum(Y ⊙ Y) / 2
claim
  ∂L/∂Y = ${claim}
`;
const written = (name, text) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const at = (file) => pathToFileURL(file).href;
const refused = (...words) => {
  try {
    ran(...words);
  } catch (e) {
    return `${e.status}: ${e.stderr}`;
  }
  return "not refused";
};

test("explain --html opens the board with the derivation, and the address need not hold it", { skip }, () => {
  const out = join(folder, "board.html");
  assert.match(ran("explain", written("a.proof", proof("Y")), "--html", out), /opened at its board with .*a\.proof/);
  return withPage(
    "",
    async (page) => {
      await board(page);
      assert.equal(await page.locator("[data-cell=c]").getAttribute("data-exact"), "7");
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      await page.locator("nav button", { hasText: "Nudge" }).click();
      await page.locator(".along .compared").waitFor();
      const fragment = await hash(page);
      assert.equal(fragment.get("text"), null);
      await page.reload();
      await page.locator(".along .compared").waitFor();
      assert.equal(await page.locator("[data-cell=c]").getAttribute("data-exact"), "7");
    },
    { at: at(out) },
  );
});

test("check --html tells the verdict and opens the proof desk", { skip }, () => {
  const out = join(folder, "desk.html");
  const told = refused("check", written("b.proof", proof("2 Y")), "--html", out);
  assert.match(told, /^1: /, "the status is still that of the check");
  return withPage(
    "",
    async (page) => {
      await page.locator(".findings h2", { hasText: "0 of 1" }).waitFor();
      assert.match(await page.locator(".cm-content").innerText(), /∂L\/∂Y = 2 Y/);
      await page.locator(".findings li.wrong button").first().click();
      await page.locator(".findings li.right").first().waitFor();
    },
    { at: at(out) },
  );
});

test("check --html of a Markdown file has its derivation in the notation", { skip }, () => {
  const out = join(folder, "notes.html");
  ran("check", written("notes.md", `# Notes\n\n\`\`\`proof\n${proof("Y")}\`\`\`\n`), "--html", out);
  return withPage("", (page) => page.locator(".findings li.right").first().waitFor(), { at: at(out) });
});

test("what cannot be written is told in one line", { skip }, () => {
  const file = written("c.proof", proof("Y"));
  const out = join(folder, "no.html");
  assert.match(refused("explain", file, "--html", out, "--json"), /^2: .*--html stands alone/);
  assert.match(refused("check", file, file, "--html", out), /^2: .*--html takes one derivation/);
  assert.match(refused("check", "--op", "softmax", "--html", out), /^2: .*--html goes with derivations/);
  assert.match(refused("explain", file, "--html", "/no/such/folder/x.html"), /^2: /);
  assert.match(refused("explain", written("d.proof", "hello"), "--html", out), /^2: /);
  assert.throws(() => readFileSync(out), /ENOENT/);
});
