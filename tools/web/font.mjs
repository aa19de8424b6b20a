// The font of the formulas: STIX Two Math, cut down to the signs that the formulas of derivations are set in. Its MATH table,
// by which a browser lays out fractions, roots and scripts, stays.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import subsetFont from "subset-font";

const FILE = "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2";

/// Code points, the first and the last of each range.
const RANGES = [
  [0x20, 0x7e], // words and numbers
  [0xa0, 0xff],
  [0x391, 0x3f6], // Greek
  [0x302, 0x304], // hats and bars
  [0x2080, 0x2089],
  [0x2061, 0x2064], // what is applied, multiplied and added without a sign
  [0x1d400, 0x1d433], // bold letters
  [0x1d434, 0x1d467], // italic letters, which a browser takes for a name of one letter
  [0x1d6e2, 0x1d71b],
  [0x1d7cf, 0x1d7cf], // the bold 1 of a vector of ones
];
const SIGNS = "ℎℓℒ′…∂∇∑∏√∞−·×÷⋅∘⊙⊗±∥∣‖⟨⟩≤≥≠≈∈→⊤∗";

/// A style that declares it under the name "page maths".
export async function mathsFont() {
  const whole = readFileSync(createRequire(import.meta.url).resolve(FILE));
  const letters = RANGES.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
  const cut = await subsetFont(whole, String.fromCodePoint(...letters) + SIGNS, { targetFormat: "woff2", noHinting: true });
  return `@font-face{font-family:"page maths";src:url(data:font/woff2;base64,${cut.toString("base64")}) format("woff2")}`;
}
