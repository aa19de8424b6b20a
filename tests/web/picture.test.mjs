// The picture of the READMEs: shown in both, small, and of the size that picture.mjs makes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const read = (file) => readFileSync(join(root, file));
/// Width and height of a PNG.
const size = (bytes) => {
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
};

test("the picture of the READMEs can be made anew, and is shown", () => {
  const kept = read("tools/web/board.png");
  assert.ok(kept.length < 150_000, `${kept.length} bytes`);
  const out = join(mkdtempSync(join(tmpdir(), "gradproof-picture-")), "board.png");
  execFileSync("node", [join(here, "picture.mjs"), out]);
  assert.deepEqual(size(kept), size(readFileSync(out)));
  assert.match(read("README.md").toString(), /!\[[^\]]+\]\(tools\/web\/board\.png\)/);
  assert.match(read("tools/web/README.md").toString(), /!\[[^\]]+\]\(board\.png\)/);
});
