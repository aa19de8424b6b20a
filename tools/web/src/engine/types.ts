// What the page reads of the reports of the engine: the JSON of `gradproof explain`, `check` and `exercise`.

/// A number; "nan", "inf" or "-inf" for what JSON has no number for.
export type Num = number | "nan" | "inf" | "-inf";
export type Nested = Num | Nested[];

/// A derivation or a document that comes with the program.
export interface Titled {
  name: string;
  title: string;
}

export interface Span {
  utf16_offset: number;
  utf16_length: number;
}

export interface Step {
  name: string;
  entry?: string; // of a value stated entry by entry, q[i,c] = ...: its left side
  formula?: string;
  derived?: string;
  claim?: { line: number; formula: string; agrees: boolean };
  shape: number[];
  value: Nested;
}

export interface Explanation {
  given: Step[];
  forward: Step[];
  backward: Step[];
}

export interface Factor {
  name: string;
  index?: number[];
  value: Num;
  divides?: boolean;
}
export interface Product {
  factors: Factor[];
  minus: boolean;
  product: Num;
  share: Num | null;
}
interface Opened {
  factor: string;
  products: Product[];
  sum: Num;
}
export interface CellReport {
  cell: string;
  formula: string;
  products: Product[];
  opened?: Opened[];
  sum: Num;
  used_in?: string;
  true?: Num;
  difference?: Num;
  doubt?: string;
}

export interface Values {
  forward: Step[];
  backward: Step[];
}

export type Point = [Num, Num];
interface NudgeStep {
  h: number;
  slope: Num;
  error: Num;
  secant: [Point, Point];
}
export interface Nudge {
  entry: string;
  at: number;
  before: number;
  loss: Num;
  gradient: Num;
  curve: Point[];
  tangent: [Point, Point];
  steps: NudgeStep[];
}

/// The parts of a layer of attention for a few words and for many, and over the number of words.
export interface Words {
  few: number;
  words: number;
  rows: { what: string; few: number; many: number; times: number }[];
  curves: Record<string, Point[]>;
}

export type Verdict = "right" | "wrong" | "cannot tell" | "not read" | "skipped";
export interface Line {
  line: number;
  span: Span;
  text: string;
  verdict: Verdict;
  worst?: { index: number[]; claimed: Num; true: Num };
  reason?: string;
  read_as?: string;
  proved?: unknown;
  diagnosis?: { text: string; repair?: string };
  derived?: string;
  at?: Span;
}
export interface ProofReport {
  lines: Line[];
  right: number;
  wrong: number;
  cannot_tell: number;
  not_read: number;
  error?: { line: number; text: string; span?: Span };
}
/// A file of several derivations has them in a list.
export type CheckReport = ProofReport & { proofs?: ProofReport[] };

export interface Exercise {
  name: string;
  title: string;
  difficulty: number;
  numeric: boolean;
  statement: string;
  forward: string;
  asked: string;
  names: string[];
  gradients: string[];
}
/// What a training begins with, what it says after each epoch, and one expression seen with the parameters of an epoch.
interface Evaluated {
  loss: Num;
  accuracy: Num;
  entropy: Num;
}
export interface FilmStart {
  epochs: number;
  steps: number;
  count: number;
  parameters: { name: string; shape: number[] }[];
  validation: Evaluated;
}
export interface FilmEpoch {
  epoch: number;
  loss: Num;
  validation: Evaluated;
  gradient_norm: Num;
  gradients: { name: string; norm: Num }[];
}
export interface FilmLook {
  expression: string;
  tokens: string[];
  answer: number;
  given: number;
  probabilities: number[];
  weights: Step;
  score_gradient: Step;
  entropy: Num[];
}

/// The numbers of notes beside those that the engine computes: the lines that are not right, as printed and as they should be.
export interface Replayed {
  title: string;
  agree: number;
  rounding: number;
  wrong: number;
  corrected: { line: number; step: string; numbers: { index: number[]; printed: string; right: string }[] }[];
}
export interface Replay {
  examples: Replayed[];
}

export type Judged = CheckReport & {
  read_as: string;
  latex?: string;
  question?: { text: string };
  why?: string;
  repair?: string;
};
