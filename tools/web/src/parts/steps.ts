// The eleven steps of the guided path: what is looked at, what is predicted, what is revealed, and why it is so. The line that ends
// each is the exercise of the same place in examples/path.proof.
export interface GuidedStep {
  title: string;
  example: string;
  say: string;
  maths?: string[]; // formulas that belong to it, in LaTeX
  given: string[]; // values that are shown at once
  ask: string;
  choices: string[];
  right: number;
  shows: string[]; // values that are shown after the prediction
  cells: string[]; // entries outlined in them
  reveal: string;
  because: string; // what is told once the line is right
  derived: string[]; // its formulas, in LaTeX
}

export const STEPS: GuidedStep[] = [
  {
    title: "Where it begins: the output",
    example: "cat_sat",
    say: "Three words, each with three rows of numbers: a query (what it looks for), a key (by which it is found) and a value (what it hands on). Attention compares every query with every key, makes weights A of the scores S, and mixes the values with them. The output O should have been T; the loss L is half the sum of all (O − T)². Going backwards, we ask of every number how much L grows when this number alone grows a little. All these answers for O together are the gradient of O, written ∂L/∂O or dO for short: a matrix as large as O.",
    maths: ["S = QK^{\\mathrm T}/2", "A = \\mathrm{softmax}(S)", "O = AV", "L = \\tfrac12 \\sum_{i,c} (O_{ic} - T_{ic})^2"],
    given: ["O", "T"],
    ask: "Which row of dO has the largest numbers?",
    choices: ["The", "cat", "sat"],
    right: 2,
    shows: ["∂L/∂O"],
    cells: ["∂L/∂O[2,0]", "∂L/∂O[2,1]", "∂L/∂O[2,2]", "∂L/∂O[2,3]"],
    reveal:
      "The output of sat is off by 0.4 in every component, more than the others: what misses its target more pulls harder. Each number of dO can be read off O and T. How? That is the line to write.",
    because: "Each entry of O stands in one square of L, and the derivative of (o − t)² / 2 by o is o − t.",
    derived: ["\\frac{\\partial L}{\\partial O_{ic}} = \\tfrac12 \\cdot 2\\,(O_{ic} - T_{ic}) = O_{ic} - T_{ic}"],
  },
  {
    title: "The values: who looked at me?",
    example: "cat_sat",
    say: "O = A V: the output of a word is a mixture of the rows of V. Its row of A says how much of each, so row i of A belongs to query i and column j to key j. Below, n is the number of queries, m that of keys and values, d_v the width of a value.",
    maths: ["O_{ic} = \\sum_j A_{ij} V_{jc}"],
    given: ["A", "∂L/∂O"],
    ask: "The value of sat stands in the output of every word. So its gradient gets a part of each row of dO. Which weights say how much of each?",
    choices: ["row sat of A", "column sat of A", "all rows alike"],
    right: 1,
    shows: ["∂L/∂V"],
    cells: ["A[0,2]", "A[1,2]", "A[2,2]"],
    reveal:
      "The output of word i took A[i, sat] of this value. So that much of what row i of dO says concerns it: one weight for each query, a column of A.",
    because:
      "V[j,c] stands in O[i,c] for every query i, each time with the factor A[i,j]. The chain rule adds what comes back from each of them. A sum over the rows of A is a product with the transpose.",
    derived: [
      "\\frac{\\partial L}{\\partial V_{jc}} = \\sum_i \\frac{\\partial L}{\\partial O_{ic}} \\frac{\\partial O_{ic}}{\\partial V_{jc}} = \\sum_i A_{ij} \\frac{\\partial L}{\\partial O_{ic}}",
    ],
  },
  {
    title: "The weights: what would it cost to look more at a word?",
    example: "cat_sat",
    say: "dA[The, sat] says how much L grows when The looks a little more at sat: more of the value of sat is then added to the output of The, in all four components.",
    maths: ["O_{ic} = \\sum_j A_{ij} V_{jc}"],
    given: ["∂L/∂O", "V"],
    ask: "So dA[The, sat] is a sum of four products. Of which two rows?",
    choices: ["row The of dO and row sat of V", "row sat of dO and row The of V", "row The of O and row sat of V"],
    right: 0,
    shows: ["∂L/∂A"],
    cells: ["∂L/∂A[0,2]"],
    reveal:
      "0.0711 × 0.9 + 0.0711 × 1 + 0.0711 × 1.1 + 0.0711 × 1.2 = 0.2987. dO says which way the output of The should not go, V which way sat pushes it. All numbers of dA are positive here: more of any word would cost, but some cost more than others.",
    because:
      "A[i,j] stands in the outputs of query i alone, once in each component, with the factor V[j,c]. The sum over c is a product with the transpose of V.",
    derived: [
      "\\frac{\\partial L}{\\partial A_{ij}} = \\sum_c \\frac{\\partial L}{\\partial O_{ic}} \\frac{\\partial O_{ic}}{\\partial A_{ij}} = \\sum_c \\frac{\\partial L}{\\partial O_{ic}} V_{jc}",
    ],
  },
  {
    title: "The softmax: nobody moves alone",
    example: "cat_sat",
    say: "The scores S say how well each query fits each key; step 6 comes to where they are from. The softmax makes each row of S a row of A: positive numbers that sum to 1. Each is its own exponential over the sum of those of its row.",
    maths: ["A_{ij} = \\frac{e^{S_{ij}}}{\\sum_k e^{S_{ik}}}"],
    given: ["S", "A"],
    ask: "The score S[The, sat] grows, the others stay. What do the other weights of the row do?",
    choices: ["they stay as they are", "they fall", "they grow as well"],
    right: 1,
    shows: [],
    cells: ["A[0,0]", "A[0,1]", "A[0,2]"],
    reveal:
      "The sum below grows for all of them, so what one weight gains the others lose. All slopes ∂A[i,j]/∂S[i,k] of a row are its Jacobian: a square of numbers, one for each pair of a weight j and a score k. Take j = k first, where numerator and sum move, then j ≠ k, where only the sum does; δ[j,k] joins the two cases.",
    because:
      "By the quotient rule: a slope of A(1 − A) for a weight by its own score, minus the product of both weights for another's.",
    derived: [
      "\\frac{\\partial A_{ij}}{\\partial S_{ik}} = \\frac{\\delta_{jk}\\, e^{S_{ij}}}{\\sum_l e^{S_{il}}} - \\frac{e^{S_{ij}}\\, e^{S_{ik}}}{(\\sum_l e^{S_{il}})^2} = A_{ij}(\\delta_{jk} - A_{ik})",
    ],
  },
  {
    title: "The row term",
    example: "cat_sat",
    say: "Now both together. A score moves every weight of its row, and each weight moves the loss, so the gradient of a score is a sum over its row. In dA, all three numbers of the row The are positive: each weight, could it grow alone, would raise the loss.",
    maths: [
      "\\frac{\\partial L}{\\partial S_{ik}} = \\sum_j \\frac{\\partial L}{\\partial A_{ij}} \\frac{\\partial A_{ij}}{\\partial S_{ik}}",
    ],
    given: ["A", "∂L/∂A"],
    ask: "Are all three numbers of row The of dS positive too?",
    choices: ["yes", "no, they sum to 0", "no, all are negative"],
    right: 1,
    shows: ["∂L/∂S"],
    cells: ["∂L/∂S[0,0]", "∂L/∂S[0,1]", "∂L/∂S[0,2]"],
    reveal:
      "A score only moves weight from one key to another. What counts is whether a key's own number in dA lies above what the row has on average. It is an average weighted with A, not the plain mean: 0.2741 × 0.0711 + 0.2741 × 0.1849 + 0.4519 × 0.2987 = 0.2051, and only sat lies above it. For the line, put the slopes of step 4 into the sum above.",
    because:
      "The δ leaves the key's own number, the rest is the weighted average of the row, one number for all its keys. To forget it is the most common mistake in this backward pass.",
    derived: [
      "\\sum_j \\frac{\\partial L}{\\partial A_{ij}} A_{ij}(\\delta_{jk} - A_{ik}) = A_{ik}\\Big(\\frac{\\partial L}{\\partial A_{ik}} - \\sum_j \\frac{\\partial L}{\\partial A_{ij}} A_{ij}\\Big)",
    ],
  },
  {
    title: "The keys: which index is summed?",
    example: "cat_sat",
    say: "S[i,j] is the dot product of query i and key j, divided by 2, the root of their width 4. A query stands in a row of S, a key in a column.",
    maths: ["S_{ij} = \\tfrac12 \\sum_c Q_{ic} K_{jc}"],
    given: ["∂L/∂S", "Q", "K"],
    ask: "dK[sat] collects from several entries of dS. Which ones?",
    choices: ["column sat: one for each query", "row sat: one for each key", "the diagonal"],
    right: 0,
    shows: ["∂L/∂K"],
    cells: ["∂L/∂S[0,2]", "∂L/∂S[1,2]", "∂L/∂S[2,2]", "∂L/∂K[2,1]"],
    reveal:
      "Every query that met this key sends something back. Take component 1 of key sat, outlined in dK: queries cat and sat have a 1 there, The a 0. (0.1455 × 1 + 0.2133 × 1 + 0.0423 × 0) / 2 = 0.1794, with the 2 by which S was divided.",
    because: "K[j,c] stands in S[i,j] for every query i, with the factor Q[i,c] / 2: a sum over the queries, the rows of dS.",
    derived: [
      "\\frac{\\partial L}{\\partial K_{jc}} = \\sum_i \\frac{\\partial L}{\\partial S_{ij}} \\frac{\\partial S_{ij}}{\\partial K_{jc}} = \\tfrac12 \\sum_i \\frac{\\partial L}{\\partial S_{ij}} Q_{ic}",
    ],
  },
  {
    title: "The queries, and the scale",
    example: "cat_sat",
    say: "Likewise the gradient of a query: which index is summed now? The 2 is √4, for a width of 4; for queries and keys of width d_k it is √d_k, so that long vectors do not make large scores. Write the line for any width.",
    maths: ["S_{ij} = \\frac{1}{\\sqrt{d_k}} \\sum_c Q_{ic} K_{jc}"],
    given: ["∂L/∂S", "K"],
    ask: "Suppose the division is left out, in the forward as well. Is dQ then exactly twice as large?",
    choices: ["yes, exactly", "no, A is another one then", "it stays the same"],
    right: 1,
    shows: ["∂L/∂Q"],
    cells: [],
    reveal:
      "Row sat would double: its scores are equal, and so are its weights, scaled or not. But row The would grow nearly fourfold, from 0.0184 to 0.0674, since other scores make other weights, outputs and losses. With scores larger still it would shrink again: step 10.",
    because:
      "Q[i,c] stands in S[i,j] for every key j, with the factor K[j,c] / √d_k: a sum over the keys. What divides in the forward divides on the way back.",
    derived: [
      "\\frac{\\partial L}{\\partial Q_{ic}} = \\sum_j \\frac{\\partial L}{\\partial S_{ij}} \\frac{\\partial S_{ij}}{\\partial Q_{ic}} = \\frac{1}{\\sqrt{d_k}} \\sum_j \\frac{\\partial L}{\\partial S_{ij}} K_{jc}",
    ],
  },
  {
    title: "Three paths into X",
    example: "three_paths",
    say: "Another example, with other numbers. In self-attention queries, keys and values all come from the same X, a row for each word: each by a matrix of its own, which is learned. Here all are two wide.",
    maths: ["Q = X W_Q", "K = X W_K", "V = X W_V"],
    given: ["X", "W_Q", "W_K", "W_V", "∂L/∂Q", "∂L/∂K", "∂L/∂V"],
    ask: "X is used three times. Each use sends something back. What is dX?",
    choices: ["the largest of the three", "the sum of the three", "their mean"],
    right: 1,
    shows: ["∂L/∂X"],
    cells: [],
    reveal:
      "A change of X moves the loss along all three paths at once, so their parts add up. Each part goes back through the matrix by which it came: what O = A V did to A in step 3, Q = X W_Q does to X.",
    because:
      "Three sums of the chain rule, each like that of step 3. A program that walks backwards must add to dX (+=) at each use; with = the last one would wipe out the others.",
    derived: [
      "\\frac{\\partial L}{\\partial X_{ib}} = \\sum_c \\frac{\\partial L}{\\partial Q_{ic}} (W_Q)_{bc} + \\sum_c \\frac{\\partial L}{\\partial K_{ic}} (W_K)_{bc} + \\sum_c \\frac{\\partial L}{\\partial V_{ic}} (W_V)_{bc}",
    ],
  },
  {
    title: "The mask",
    example: "causal",
    say: "Back to The cat sat, but a word may only look at itself and at what stands before it. A mask M is added to the scores: 0 where looking is allowed, −∞ where not.",
    maths: ["A = \\mathrm{softmax}(S + M)"],
    given: ["M", "A"],
    ask: "What is dS[The, sat], where the mask is −∞?",
    choices: ["exactly 0", "small", "like the others"],
    right: 0,
    shows: ["∂L/∂S"],
    cells: ["∂L/∂S[0,1]", "∂L/∂S[0,2]", "∂L/∂S[1,2]"],
    reveal:
      "The weight there is e^−∞ = 0, and it stays 0 however the score moves. dS[The, The] is 0 for another reason: The sees only itself, so its weight is 1 whatever its score. The line is longer this time, from dA all the way to dQ.",
    because:
      "Each entry of dS has its weight as a factor. Where the mask is −∞ that is 0 already, so no mask stands in the line: steps 5 and 7, one put into the other.",
    derived: [
      "\\frac{\\partial L}{\\partial Q} = \\frac{\\partial L}{\\partial S} K / \\sqrt{d_k}, \\qquad \\frac{\\partial L}{\\partial S} = A \\odot \\Big(\\frac{\\partial L}{\\partial A} - \\mathrm{rowsum}\\big(\\frac{\\partial L}{\\partial A} \\odot A\\big)\\Big)",
    ],
  },
  {
    title: "Saturation",
    example: "saturated",
    say: "The cat sat once more without a mask, but with queries sixteen times as long. So the scores are sixteen times those of step 4.",
    given: ["S", "A"],
    ask: "In step 5 the largest entry of row The of dS was 0.0423. How large is it now?",
    choices: ["sixteen times as large", "nearly 0", "about the same"],
    right: 1,
    shows: ["∂L/∂S"],
    cells: ["∂L/∂S[0,0]", "∂L/∂S[0,1]", "∂L/∂S[0,2]"],
    reveal:
      "The weight of sat is nearly 1: the average of the row is then nearly its own number, and the difference vanishes. The two other weights are nearly 0, and they are factors of their entries. The loss may be large, and yet hardly anything comes through this row. Row sat, with three equal scores, still learns.",
    because:
      "The factor 16 multiplies what comes back, but what comes back has shrunk far more: from 0.0423 to 0.0004. This is why scores are divided by √d_k.",
    derived: [
      "\\frac{\\partial L}{\\partial Z_{ij}} = \\frac{\\partial L}{\\partial S_{ij}} \\frac{\\partial S_{ij}}{\\partial Z_{ij}} = 16\\, \\frac{\\partial L}{\\partial S_{ij}}",
    ],
  },
  {
    title: "Two heads",
    example: "two_heads",
    say: "Two heads are two attentions beside each other, each with its own queries, keys and values. Each mixes its values, H_1 = A_1 V_1 and H_2 = A_2 V_2; then each is multiplied with a matrix of its own, and the two are added.",
    maths: ["O = H_1 W_1 + H_2 W_2"],
    given: ["W_1", "W_2", "∂L/∂O"],
    ask: "O is the sum of two terms, H_1 W_1 and H_2 W_2. How much of dO arrives at each of the terms?",
    choices: ["half of it", "all of it", "more at the larger one"],
    right: 1,
    shows: ["∂L/∂H_1", "∂L/∂H_2"],
    cells: [],
    reveal:
      "If one term grows by 0.01, so does O: a sum hands its gradient on whole, to each of its terms. Only then does each head bring it back through its own matrix. Here W_1 changes nothing and W_2 swaps the two columns, so dH_1 and dH_2 hold the same numbers in another order.",
    because: "Through the sum unchanged, back through W_1 as in step 3, and back through A_1 as in step 2.",
    derived: [
      "\\frac{\\partial L}{\\partial H_1} = \\frac{\\partial L}{\\partial O} W_1^{\\mathrm T}, \\qquad \\frac{\\partial L}{\\partial V_1} = A_1^{\\mathrm T} \\frac{\\partial L}{\\partial H_1}",
    ],
  },
];
