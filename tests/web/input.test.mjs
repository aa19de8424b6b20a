// Bad input: one clear sentence, nothing lost, nothing executed.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { address, board, closed, hash, withPage } from "./support.mjs";

after(closed);
const notice = (page) => page.locator(".notice").innerText();
const quiet = async (page) => assert.equal(await page.evaluate(() => window.hacked), undefined);

const FRAGMENTS = {
  "a script": ["#v=1&view=<script>window.hacked=1</script>&cell=<img src=x onerror=hacked=1>", /cannot read: view, cell/],
  "a script, encoded": ["#v=1&view=board&cell=" + encodeURIComponent('x[0]"><svg onload=hacked=1>'), /cannot read: cell/],
  "another version": ["#v=9&view=board", /another version/],
  "no version": ["#hello", /another version/],
  "a text that is no deflate": ["#v=1&view=desk&desk=AAAA_BBBB", /cannot read: desk/],
  "numbers that are none": ["#v=1&view=nudge&at=NaN&h=-99&row=1e9", /cannot read: at, h, row/],
  "names of nothing": ["#v=1&view=board&example=__proto__&exercise=../../etc", /cannot read: example, exercise/],
  "a film of nothing": [
    "#v=1&view=film&model=__proto__&epoch=999&expression=" + encodeURIComponent("<img src=x onerror=hacked=1>"),
    /cannot read: model, epoch, expression/,
  ],
  "sheets and notes that are no deflate": [
    "#v=1&view=sheet&sheet=AAAA_&notes=%00&solved=../x",
    /cannot read: sheet, solved, notes/,
  ],
};
for (const [name, [fragment, told]] of Object.entries(FRAGMENTS))
  test(`a fragment with ${name}`, () =>
    withPage(fragment, async (page) => {
      assert.match(await notice(page), told);
      await page.locator("main").waitFor();
      await quiet(page);
    }));

test("a fragment of 1 MB", () =>
  withPage("", async (page) => {
    await board(page);
    await page.evaluate(() => (location.hash = `#v=1&view=board&cell=${"x".repeat(1 << 20)}`));
    await page.locator(".notice").waitFor();
    assert.match(await notice(page), /more than 4096/);
    await board(page);
  }));

test("a fragment that unpacks to more than a text may have", () =>
  withPage("", async (page) => {
    await board(page);
    const bomb = await page.evaluate(async () => {
      const stream = new Blob([new Uint8Array(5 << 19)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      return btoa(String.fromCharCode(...bytes))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", "");
    });
    assert.ok(bomb.length < 4090, "it is short enough to be read");
    await page.goto(`${address}#v=1&view=desk&desk=${bomb}`);
    await page.locator(".notice").waitFor();
    assert.match(await notice(page), /cannot read: desk/);
  }));

test("markup in a derivation is text", () =>
  withPage("#v=1&view=desk", async (page) => {
    await page.locator(".findings h2", { hasText: "1 of 4" }).waitFor();
    await page
      .locator(".cm-content")
      .fill('title "<img src=x onerror=hacked=1>"\ninput X = [[1, 2]]\nforward\n  Y = X ⊙ X\nclaim\n  dX = <b>2</b>');
    await page.locator(".findings li.not-read, .findings .wrong").first().waitFor();
    await page.locator("button", { hasText: "show on the board" }).click();
    await page.waitForTimeout(300);
    await quiet(page);
  }));

const TEXTS = {
  "is no derivation": ["hello world", /expected title, dims/],
  "has rows of different lengths": ["input Q = [[1, 2], [3]]\nforward\n  Y = Q Q", /its parts differ/],
  "has NaN in it": ["input Q = [[1, NaN]]\nforward\n  Y = Q ⊙ Q", /unknown name NaN/],
  "is empty": ["\n", /no statements/],
  "asks for 10^10 entries": ["dims n=100000\ninput X [n, n]\nforward\n  Y = X ⊙ X", /at most 1048576 elements/],
};
for (const [name, [text, told]] of Object.entries(TEXTS))
  test(`a text that ${name}`, () =>
    withPage("#v=1&view=desk", async (page) => {
      await page.locator(".findings h2", { hasText: "1 of 4" }).waitFor();
      await page.locator(".cm-content").fill(text);
      await page.waitForFunction(() => !document.querySelector(".findings h2").innerText.includes("1 of 4"));
      await page.locator("button", { hasText: "show on the board" }).click();
      const refused = page.locator(".refused p");
      await refused.waitFor();
      const said = await refused.innerText();
      assert.match(said, told);
      assert.ok(!said.includes("\n") && said.length < 400, said);
      await page.locator("button", { hasText: "Mend the text" }).click();
      assert.ok((await page.locator(".cm-content").innerText()).includes(text.trim().split("\n")[0]), "nothing is lost");
    }));

test("a text of 10^6 numbers is refused in a sentence", () =>
  withPage("#v=1&view=desk", async (page) => {
    await page.locator(".findings h2", { hasText: "1 of 4" }).waitFor();
    await page.evaluate(() => {
      const row = `[${Array(1000).fill(1).join(",")}]`;
      const text = `input X = [${Array(1000).fill(row).join(",")}]`;
      const at = document.querySelector(".cm-content");
      const data = new DataTransfer();
      data.setData("text/plain", text);
      at.focus();
      document.execCommand("selectAll");
      at.dispatchEvent(
        new ClipboardEvent("paste", {
          clipboardData: data,
          bubbles: true,
          cancelable: true,
        }),
      );
    });
    await page.locator(".findings .warning").waitFor({ timeout: 30000 });
    assert.match(await page.locator(".findings .warning").innerText(), /more than the \d+ that this page takes/);
    assert.ok((await hash(page)).toString().length < 5000);
  }));

/// As such a browser does: in the workers of the page nothing is compiled.
const withoutExceptions = () => {
  const whole = Blob;
  window.Blob = class extends whole {
    constructor(parts, options) {
      super(["WebAssembly.compile = () => Promise.reject(new Error('no exceptions'));", ...parts], options);
    }
  };
};
test("a browser without WebAssembly exceptions is told so", () =>
  withPage(
    "",
    async (page) => {
      await page.locator(".refused p").waitFor();
      assert.match(await page.locator(".refused p").innerText(), /lacks WebAssembly exceptions/);
    },
    { before: withoutExceptions },
  ));

for (const view of ["nudge", "path", "lens", "exercises", "lab", "lab&slip=hidden", "film", "sheet", "notes"])
  test(`it is told so in ${view}`, () =>
    withPage(
      `#v=1&view=${view}`,
      async (page) => {
        await page.locator("[role=alert]", { hasText: "lacks WebAssembly exceptions" }).waitFor();
        assert.equal(await page.locator(".waiting").count(), 0);
      },
      { before: withoutExceptions },
    ));

test("a call that runs away is ended by the next one, and the page goes on", () =>
  withPage("#v=1&view=desk", async (page) => {
    await page.locator(".findings h2", { hasText: "1 of 4" }).waitFor();
    const steps = Array.from({ length: 60 }, (_, i) => `  Y${i + 1} = softmax(Y${i} Y${i}^T Y${i})`).join("\n");
    await page.locator(".cm-content").fill(`dims n=60\ninput Y0 [n, n]\nforward\n${steps}\nclaim\n  dY0 = Y0`);
    await page.waitForTimeout(700);
    await page.locator(".cm-content").fill("dims n d\ninput X [n, d]\nforward\n  Y = X ⊙ X\nclaim\n  dX = 2 X ⊙ dY");
    await page.locator(".findings h2", { hasText: "The line is right" }).waitFor();
  }));

test("what one sees is in the address, there and back", () =>
  withPage("#v=1&view=nudge&example=causal&entry=V[1,0]&at=0.25&h=-6", async (page) => {
    await page.locator(".along .compared dd").first().waitFor();
    assert.equal(await page.locator(".along input[type=number]").inputValue(), "0.25");
    const before = (await hash(page)).toString();
    await page.locator("button", { hasText: "Proof desk" }).click();
    await page.locator(".cm-content").waitFor();
    assert.equal((await hash(page)).get("view"), "desk");
    await page.goto(`${address}#${before}`);
    await page.locator(".along .compared dd").first().waitFor();
    assert.equal((await hash(page)).toString(), before);
  }));
