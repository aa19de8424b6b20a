// The eleven steps of the guided path: what is looked at, what is predicted, what is revealed. The line that ends each is the
// exercise of the same place in examples/path.proof.
export interface GuidedStep {
  title: string;
  example: string;
  say: string;
  given: string[]; // values that are shown at once
  ask: string;
  choices: string[];
  right: number;
  shows: string[]; // values that are shown after the prediction
  cells: string[]; // entries outlined in them
  reveal: string;
}

export const STEPS: GuidedStep[] = [
  {
    title: "Where it begins: the output",
    example: "cat_sat",
    say: "O is what attention gives for each word, T what it should have given. The loss L is half the sum of (O − T)². Going backwards, we ask of every number: how much does L grow when this number grows a little? All these answers for O together are called dO.",
    given: ["O", "T"],
    ask: "Which row of dO has the largest numbers?",
    choices: ["The", "cat", "sat"],
    right: 2,
    shows: ["∂L/∂O"],
    cells: ["∂L/∂O[2,0]", "∂L/∂O[2,1]", "∂L/∂O[2,2]", "∂L/∂O[2,3]"],
    reveal:
      "The output of sat is off by 0.4 in every component, and dO is that difference, O − T. What misses its target more pulls harder.",
  },
  {
    title: "The values: who looked at me?",
    example: "cat_sat",
    say: "O = A V: the output of a word is a mixture of the rows of V, and its row of A says how much of each. Row i belongs to a query, column j to a key.",
    given: ["A", "∂L/∂O"],
    ask: "The value of sat gets a part of each row of dO. Which weights say how much?",
    choices: ["row sat of A", "column sat of A", "all rows alike"],
    right: 1,
    shows: ["∂L/∂V"],
    cells: ["A[0,2]", "A[1,2]", "A[2,2]"],
    reveal:
      "Column sat: what each query took of the value, it now gives back of its gradient. Rows have become columns, so a transpose stands in dV.",
  },
  {
    title: "The weights: which value would have helped?",
    example: "cat_sat",
    say: "If the weight A[The, sat] grows, more of the value of sat is added to the output of The.",
    given: ["∂L/∂O", "V"],
    ask: "dA[The, sat] is a sum of four products. Of which two rows?",
    choices: ["row The of dO and row sat of V", "row sat of dO and row The of V", "row The of O and row sat of V"],
    right: 0,
    shows: ["∂L/∂A"],
    cells: ["∂L/∂A[0,2]"],
    reveal:
      "dO says which way the output of The should not go, V which way sat would push it. Their dot product is what that costs: 0.2987.",
  },
  {
    title: "The softmax: nobody moves alone",
    example: "cat_sat",
    say: "Each row of A is a softmax of the row of S: positive numbers that sum to 1.",
    given: ["S", "A"],
    ask: "The score S[The, sat] grows, the others stay. What do the other weights of the row do?",
    choices: ["they stay as they are", "they fall", "they grow as well"],
    right: 1,
    shows: [],
    cells: ["A[0,0]", "A[0,1]", "A[0,2]"],
    reveal:
      "What one weight gains the others lose, each in proportion to itself: −A[The, The] A[The, sat], and so on. All these slopes together are the Jacobian; the softmax lens shows it.",
  },
  {
    title: "The row term",
    example: "cat_sat",
    say: "In dA, all three numbers of the row The are positive: each weight, if it could grow alone, would raise the loss.",
    given: ["A", "∂L/∂A"],
    ask: "Are all three numbers of row The of dS positive too?",
    choices: ["yes", "no, they sum to 0", "no, all are negative"],
    right: 1,
    shows: ["∂L/∂S"],
    cells: ["∂L/∂S[0,0]", "∂L/∂S[0,1]", "∂L/∂S[0,2]"],
    reveal:
      "A score only moves weight from one key to another. What counts is whether a key's own number in dA lies above the average of its row: that average is the row term, and forgetting it is the most common mistake.",
  },
  {
    title: "Queries and keys: which index is summed?",
    example: "cat_sat",
    say: "S[i,j] is the dot product of query i and key j. A query stands in a row of S, a key in a column.",
    given: ["∂L/∂S", "Q"],
    ask: "dK[sat] collects from several entries of dS. Which ones?",
    choices: ["column sat: one for each query", "row sat: one for each key", "the diagonal"],
    right: 0,
    shows: ["∂L/∂K"],
    cells: ["∂L/∂S[0,2]", "∂L/∂S[1,2]", "∂L/∂S[2,2]", "∂L/∂K[2,1]"],
    reveal:
      "Every query that met this key sends something back. In dK[2,1], queries cat and sat have a 1 there: (0.1455 + 0.2133) / 2 = 0.1794.",
  },
  {
    title: "The scale",
    example: "cat_sat",
    say: "The scores were divided by √4 = 2, so that long vectors do not make large scores.",
    given: ["∂L/∂S", "K"],
    ask: "Suppose the division is left out, in the forward as well. Is dQ then exactly twice as large?",
    choices: ["yes, exactly", "no, A is another one then", "it stays the same"],
    right: 1,
    shows: ["∂L/∂Q"],
    cells: [],
    reveal:
      "The scale stands in the gradient of Q and of K once more, but it also decides how sharp A is. With larger scores A comes near 0 and 1, and dS shrinks: the lens shows both.",
  },
  {
    title: "Three paths into X",
    example: "three_paths",
    say: "In self-attention queries, keys and values all come from the same X: Q = X W_Q, K = X W_K, V = X W_V.",
    given: ["X", "∂L/∂Q", "∂L/∂K", "∂L/∂V"],
    ask: "X is used three times. What is dX?",
    choices: ["the largest of the three gradients", "their sum, each brought back through its W", "their mean"],
    right: 1,
    shows: ["∂L/∂X"],
    cells: [],
    reveal:
      "A change of X moves the loss along all three paths at once, so their parts add up. In programs this is the += that is easily written as =.",
  },
  {
    title: "The mask",
    example: "causal",
    say: "Now a word may only look at itself and at what stands before it: −∞ is added to the other scores.",
    given: ["M", "A"],
    ask: "What is dS[The, sat], where the mask is −∞?",
    choices: ["exactly 0", "small", "like the others"],
    right: 0,
    shows: ["∂L/∂S"],
    cells: ["∂L/∂S[0,1]", "∂L/∂S[0,2]", "∂L/∂S[1,2]"],
    reveal:
      "The weight there is 0, and every term of dS is multiplied by its weight. So the formula needs no mask at all: it is in A already.",
  },
  {
    title: "Saturation",
    example: "saturated",
    say: "The queries are sixteen times as long as before, so the scores are sixteen times as large.",
    given: ["S", "A"],
    ask: "How large is dS beside that of the first example?",
    choices: ["sixteen times as large", "nearly 0 in rows with a weight near 1", "the same"],
    right: 1,
    shows: ["∂L/∂S"],
    cells: ["∂L/∂S[0,0]", "∂L/∂S[0,2]"],
    reveal:
      "Where one weight is nearly 1, the average of the row is that key's own number, and the difference vanishes. The loss may be large, and yet hardly anything comes through. The row with three equal scores still learns.",
  },
  {
    title: "Two heads",
    example: "two_heads",
    say: "Two heads look on their own; what they give is added: O = H₁ W₁ + H₂ W₂.",
    given: ["H_1", "H_2", "∂L/∂O"],
    ask: "How is dO shared between the heads?",
    choices: ["each gets half of it", "both get all of it", "the one with the larger weights gets more"],
    right: 1,
    shows: ["∂L/∂H_1", "∂L/∂H_2"],
    cells: [],
    reveal: "A sum hands its gradient on whole, to each of its terms. Each head then brings it back through its own W.",
  },
];
