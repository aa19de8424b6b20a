// The derivations that the board shows.
import catSat from "../examples/cat_sat.proof";
import animal from "../examples/animal.proof";
import block from "../examples/block.proof";
import causal from "../examples/causal.proof";
import multiHead from "../examples/multi_head.proof";
import path from "../examples/path.proof";
import positions from "../examples/positions.proof";
import saturated from "../examples/saturated.proof";
import students from "../examples/students.proof";
import threeLayers from "../examples/three_layers.proof";
import threePaths from "../examples/three_paths.proof";
import twoHeads from "../examples/two_heads.proof";
import type { State } from "./state";

export interface Example {
  name: string;
  title: string;
  text: string;
}

const title = (text: string) => /^title\s+"([^"]*)"/m.exec(text)?.[1] ?? "";
const all = {
  cat_sat: catSat,
  causal,
  three_paths: threePaths,
  saturated,
  two_heads: twoHeads,
  multi_head: multiHead,
  block,
  students,
  three_layers: threeLayers,
  animal,
  positions,
};

/// The lines that the guided path asks for, as a set of exercises.
export const PATH_SET = path;

export const EXAMPLES: Example[] = Object.entries(all).map(([name, text]) => ({ name, text, title: title(text) }));
export const isExample = (name: string): boolean => EXAMPLES.some((e) => e.name === name);

export const textOf = (s: State): string => EXAMPLES.find((e) => e.name === s.example)?.text ?? s.text;
/// The words that rows of this text stand for: `# tokens: The cat sat`.
export const tokensOf = (text: string): string[] => /^# tokens:\s*(.+)$/m.exec(text)?.[1]?.trim().split(/\s+/).slice(0, 16) ?? [];
