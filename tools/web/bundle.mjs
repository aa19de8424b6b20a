// Bundles the page: node bundle.mjs WASM_FOLDER OUT.html
// The worker, the WebAssembly (zstd, base64: a third smaller than with gzip), the style, the font of the formulas and the licences
// go into one file. Its policy allows no request at all and no script but the one whose hash it names.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { mathsFont } from "./font.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [wasmFolder, out] = process.argv.slice(2).map((path) => resolve(path));
const common = {
  bundle: true,
  write: false,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  absWorkingDir: here,
  loader: { ".proof": "text" },
};

const bundled = async (entry, options) => (await build({ ...common, entryPoints: [entry], ...options })).outputFiles[0].text;

/// The texts of the licences of all packages that are bundled.
function licences() {
  const lock = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
  const packages = Object.entries(lock.packages).filter(([path, p]) => path !== "" && !p.dev);
  return packages.map(([path, p]) => {
    const folder = join(here, path);
    const file = existsSync(folder) && readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${p.license}`;
    return `${path.replace("node_modules/", "")} ${p.version}\n\n${text}`;
  });
}

const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const worker = await bundled("src/engine/worker.ts", { alias: { "engine-glue": join(wasmFolder, "gradproof.js") } });
const script = (await bundled("src/main.tsx", { jsx: "automatic", jsxImportSource: "preact" })).replaceAll(
  "</script",
  "<\\/script",
);
const style = (await mathsFont()) + (await bundled("src/style.css", { loader: { ".css": "css" } }));
const wasmFile = join(wasmFolder, "gradproof.wasm");
const wasm = execFileSync("zstd", ["--ultra", "-22", "-q", "-c", wasmFile], { maxBuffer: 1 << 26 });
const notices = base64(gzipSync(licences().join("\n\n----\n\n"), { level: 9 }));
const hash = createHash("sha256").update(script).digest("base64");
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${hash}' 'wasm-unsafe-eval' blob:`,
  "worker-src blob:",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "font-src data:",
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");

mkdirSync(dirname(out), { recursive: true });
writeFileSync(
  out,
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Backprop through attention: every gradient with what it is made of, and a checker for yours.">
<title>gradproof: backprop through attention</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="page"><noscript>This page needs JavaScript.</noscript></div>
<script type="application/json" id="start"></script>
<script type="text/plain" id="engine-wasm">${base64(wasm)}</script>
<script type="text/plain" id="engine-worker">${base64(gzipSync(worker, { level: 9 }))}</script>
<script type="text/plain" id="licences">${notices}</script>
<script>${script}</script>
</body>
</html>
`,
);
const megabytes = (bytes) => `${(bytes.length / 1e6).toFixed(2)} MB`;
const page = readFileSync(out);
console.log(`${out}: ${megabytes(page)}, ${megabytes(gzipSync(page))} gzip`);
console.log(`WebAssembly in it: ${megabytes(readFileSync(wasmFile))}, ${megabytes(wasm)} zstd`);
