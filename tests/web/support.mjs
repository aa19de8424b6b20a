// What the browser tests share: the page in Debian's Chromium, with everything that it asks of a network kept; and the program.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(join(root, "tools/web/package.json"));
const { chromium } = require("playwright-core");
export const axeSource = require.resolve("axe-core");

const file = process.env.GRADPROOF_PAGE ?? join(root, "build/web/gradproof.html");
export const address = pathToFileURL(file).href;

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
let browser;
export async function launched() {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ARGUMENTS,
  });
  return browser;
}
export const closed = async () => browser?.close();

export const SIZES = {
  laptop: { width: 1280, height: 800 },
  slide: { width: 960, height: 540 },
  phone: { width: 360, height: 740 },
};

/// A page at a fragment. `requests` are those beside the file itself, `errors` what the console and scripts complained of.
/// `before` runs in the page before its own script; `at` is the page where it is another file.
export async function opened(fragment = "", { before, at = address, ...options } = {}) {
  const context = await (await launched()).newContext({ viewport: SIZES.laptop, ...options });
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  page.setDefaultTimeout(8000);
  const requests = [];
  const errors = [];
  page.on("request", (r) => {
    if (!r.url().startsWith(at.split("#")[0]) && !/^(blob|data):/.test(r.url())) requests.push(r.url());
  });
  page.on("pageerror", (e) => errors.push(String(e)));
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  await page.goto(at + fragment);
  return { page, context, requests, errors };
}

/// Runs `body` with a page and closes it; afterwards there must be no request and no error.
export async function withPage(fragment, body, options) {
  const { page, context, requests, errors } = await opened(fragment, options);
  try {
    await body(page);
  } finally {
    await context.close();
  }
  if (requests.length > 0) throw new Error(`the page asked a network for ${requests.join(", ")}`);
  if (errors.length > 0) throw new Error(`the page complained: ${errors.join("; ")}`);
}

export const board = (page) => page.waitForSelector(".board [data-cell]");
export const cell = (page, name) => page.locator(`[data-cell="${name}"]`);
export const hash = async (page) => {
  await page.waitForTimeout(250);
  return new URLSearchParams(new URL(page.url()).hash.slice(1));
};

/// The native program, where it is built.
const program = process.env.GRADPROOF ?? join(root, "build/release/gradproof");
export const hasProgram = existsSync(program);
export const ran = (...words) => execFileSync(program, words, { encoding: "utf8", stdio: "pipe" });
export const native = (...words) => JSON.parse(execFileSync(program, [...words, "--json"], { encoding: "utf8" }));
export const source = (name) => join(root, "tools/web", name);
export const example = (name) => join(root, `tools/web/examples/${name}.proof`);

export const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
