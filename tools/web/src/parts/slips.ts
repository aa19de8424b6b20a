// Nine slips that are often made in the backward of attention: each another line in the place of a right one of
// examples/lab.proof.
export interface Slip {
  key: string;
  name: string;
  right: string;
  wrong: string;
}

const SCORES = "∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))";

export const SLIPS: Slip[] = [
  { key: "transpose", name: "a transpose forgotten", right: "∂L/∂V = A^T ∂L/∂O", wrong: "∂L/∂V = A ∂L/∂O" },
  { key: "sign", name: "a sign", right: "∂L/∂O = O - T", wrong: "∂L/∂O = T - O" },
  { key: "row", name: "the row term left out", right: SCORES, wrong: "∂L/∂S = A ⊙ ∂L/∂A" },
  { key: "scale", name: "the scale left out", right: "∂L/∂Q = ∂L/∂S K / sqrt(2)", wrong: "∂L/∂Q = ∂L/∂S K" },
  {
    key: "path",
    name: "a path into X left out",
    right: "∂L/∂X = ∂L/∂Q W_Q^T + ∂L/∂K W_K^T + ∂L/∂V W_V^T",
    wrong: "∂L/∂X = ∂L/∂Q W_Q^T + ∂L/∂K W_K^T",
  },
  { key: "mask", name: "the mask forgotten", right: SCORES, wrong: "∂L/∂S = softmax(S) ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ softmax(S)))" },
  { key: "mean", name: "a mean in the place of a sum", right: SCORES, wrong: "∂L/∂S = A ⊙ (∂L/∂A - rowmean(∂L/∂A ⊙ A))" },
  { key: "diagonal", name: "only the diagonal of the Jacobian", right: SCORES, wrong: "∂L/∂S = A ⊙ (1 - A) ⊙ ∂L/∂A" },
  { key: "upstream", name: "the upstream gradient forgotten", right: "∂L/∂A = ∂L/∂O V^T", wrong: "∂L/∂A = ones(3, 2) V^T" },
];
