// Runs the browser tests, one file after the other: node tests/web/run.mjs [NAME ...]. Ends with "N passed, N failed".
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const names = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs") && (names.length === 0 || names.some((n) => name.startsWith(n))))
  .map((name) => join(here, name));
const count = { pass: 0, fail: 0, skip: 0 };
const isFile = (data) => data.name === data.file || files.includes(data.name);
const tests = run({ files, concurrency: 1, timeout: 300000 });
tests.on("test:pass", (data) => !isFile(data) && (data.skip !== undefined ? ++count.skip : ++count.pass));
// Of a file that fails, its tests have been counted, but where it met the limit of time: then it counts itself.
const isLate = (data) =>
  data.details?.error?.failureType === "testTimeoutFailure" || /timed out/.test(data.details?.error?.message ?? "");
tests.on("test:fail", (data) => (!isFile(data) || isLate(data)) && ++count.fail);
tests.compose(new spec()).pipe(process.stdout);
tests.on("end", () => {
  process.exitCode = count.fail > 0 ? 1 : 0;
  setImmediate(() => console.log(`${count.pass} passed, ${count.fail} failed${count.skip ? `, ${count.skip} skipped` : ""}`));
});
