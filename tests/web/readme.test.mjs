// What the READMEs show and name: the picture is shown in both, small, and of the size that picture.mjs makes; the exercises,
// derivations, experiments and examples of the table are there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { hasProgram, ran } from "./support.mjs";

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

test("what the table of the README names is there", () => {
  const readme = read("tools/web/README.md").toString();
  const table = readme.slice(readme.indexOf("<!-- the names"), readme.indexOf("<!-- end of the names"));
  const files = readdirSync(join(root, "core/proof/exercises")).map((f) => f.replace(/^\d+_|\.proof$/g, ""));
  const experiments = hasProgram ? ran("experiment", "list") : undefined;
  const is = {
    exercise: (name) => files.includes(name),
    proof: (name) => existsSync(join(root, `core/proof/library/${name}.proof`)),
    experiment: (name) => experiments === undefined || new RegExp(`^\\s*\\d+\\s+${name}\\s`, "m").test(experiments),
    example: (name) => existsSync(join(root, `tools/web/examples/${name}.proof`)),
  };
  const named = [...table.matchAll(/(exercise|proof|experiment|examples?) `([\w-]+)`(?: and `([\w-]+)`)?/g)];
  assert.ok(named.length > 20, `${named.length} names`);
  for (const [, kind, ...names] of named)
    for (const name of names.filter(Boolean)) assert.ok(is[kind.replace("examples", "example")](name), `${kind} ${name}`);
});

test("the views that the map of the questions names are there, and so are their steps and examples", async () => {
  const map = read("core/proof/exercises/README.md").toString();
  const table = map.slice(map.indexOf("<!-- the questions"), map.indexOf("<!-- end of the questions"));
  const views = /VIEWS = \[(.*)\]/.exec(read("tools/web/src/state.ts").toString())[1].match(/\w+/g);
  const steps = read("tools/web/src/parts/steps.ts")
    .toString()
    .match(/^ {4}title: /gm).length;
  const named = [...table.matchAll(/page `(\w+)`(?:, steps? ([\d, and]+)|, example `(\w+)`|, (100 words|messages))?/g)];
  assert.ok(named.length > 35, `${named.length} places`);
  const summaries = { "100 words": /What grows when a text has 100 words/, messages: /Attention as messages between the words/ };
  const opened = ["words", "messages"].map((part) => read(`tools/web/src/parts/${part}.tsx`)).join();
  for (const [place, view, of, example, part] of named) {
    assert.ok(views.includes(view), place);
    if (of) assert.ok(view === "path" && of.match(/\d+/g).every((n) => n >= 1 && n <= steps), place);
    if (example) assert.ok(existsSync(join(root, `tools/web/examples/${example}.proof`)), place);
    if (part) assert.ok(view === "board" && summaries[part].test(opened), place);
  }
});
