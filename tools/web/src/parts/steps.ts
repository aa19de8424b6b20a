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
    say: "Each of three words has three rows of numbers: a query (what it looks for), a key (by which it is found) and a value (what it hands on). Attention compares every query with every key; that gives the scores S. The softmax turns them into weights A, and the output O mixes the values with these weights. (More about S in step 6, about the softmax in step 4.) The output should have been the target T; the loss L is half the sum of all squares (O − T)². Going backwards, we ask of every number how fast L grows when this number alone grows. The answers for all numbers of O make a matrix as large as O: the gradient of O, written ∂L/∂O, or dO for short.",
    maths: ["S = QK^{\\mathrm T}/2", "A = \\mathrm{softmax}(S)", "O = AV", "L = \\tfrac12 \\sum_{i,c} (O_{ic} - T_{ic})^2"],
    given: ["O", "T"],
    ask: "Which row of dO has the largest numbers?",
    choices: ["The", "cat", "sat"],
    right: 2,
    shows: ["∂L/∂O"],
    cells: ["∂L/∂O[2,0]", "∂L/∂O[2,1]", "∂L/∂O[2,2]", "∂L/∂O[2,3]"],
    reveal:
      "The output of sat is off by 0.4 in each of its four numbers, more than the others: the further from the target, the larger the gradient. Each number of dO can be read off O and T. How? That is the line to write.",
    because: "Each entry of O stands in one square of L, and the derivative of (o − t)² / 2 by o is o − t.",
    derived: ["\\frac{\\partial L}{\\partial O_{ic}} = \\tfrac12 \\cdot 2\\,(O_{ic} - T_{ic}) = O_{ic} - T_{ic}"],
  },
  {
    title: "The values: who looked at me?",
    example: "cat_sat",
    say: "O = A V: the output of a word is a mixture of the rows of V. Its row of A says how much of each. A[i,j], or A with the indices i and j, is the number in row i and column j, counted from 0: the weight of key j for query i. A[0,2] is A[The, sat]. A number that is used in several places moves L through each of them. Its gradient is then a sum with one term for each place: the gradient of that place, times how fast the place grows with the number. This is the chain rule. Below, n is the number of queries, m that of keys and values, d_v the width of a value.",
    maths: ["O_{ic} = \\sum_j A_{ij} V_{jc}"],
    given: ["A", "∂L/∂O"],
    ask: "The value of sat is used in the output of every word. So its gradient gets a part of each row of dO. Which weights say how large the parts are?",
    choices: ["row sat of A", "column sat of A", "all rows alike"],
    right: 1,
    shows: ["∂L/∂V"],
    cells: ["A[0,2]", "A[1,2]", "A[2,2]"],
    reveal:
      "The output of word i took A[i, sat] of this value, and so the value gets A[i, sat] of row i of dO: one weight for each query, a column of A. The line has to do this for all values at once, with a product of two matrices that is as large as V.",
    because:
      "V[j,c] stands in O[i,c] for every query i, each time with the factor A[i,j], and the chain rule adds the terms. A matrix product sums over the second index of its left factor. Here the sum runs over i, the first index of A, so A is transposed. The shapes confirm it: [m, n] times [n, d_v] is [m, d_v].",
    derived: [
      "\\frac{\\partial L}{\\partial V_{jc}} = \\sum_i \\frac{\\partial L}{\\partial O_{ic}} \\frac{\\partial O_{ic}}{\\partial V_{jc}} = \\sum_i A_{ij} \\frac{\\partial L}{\\partial O_{ic}} = \\sum_i (A^{\\mathrm T})_{ji} \\frac{\\partial L}{\\partial O_{ic}}",
    ],
  },
  {
    title: "The weights: what would it cost to look more at a word?",
    example: "cat_sat",
    say: "dA[The, sat] says how fast L grows when “The” looks more at “sat”: more of the value of “sat” is then added to the output of “The”, in all four components (columns).",
    maths: ["O_{ic} = \\sum_j A_{ij} V_{jc}"],
    given: ["∂L/∂O", "V"],
    ask: "So dA[The, sat] is a sum of four products. Of which two rows?",
    choices: ["row The of dO and row sat of V", "row sat of dO and row The of V", "row The of O and row sat of V"],
    right: 0,
    shows: ["∂L/∂A"],
    cells: ["∂L/∂A[0,2]"],
    reveal:
      "0.0711 × 0.9 + 0.0711 × 1 + 0.0711 × 1.1 + 0.0711 × 1.2 = 0.2987. dO says in which direction the output of “The” makes L grow, V in which direction “sat” pushes it. All numbers of dA are positive here: more of any word would raise L, but some raise it more than others.",
    because:
      "A[i,j] stands in the outputs of query i alone, once in each component, with the factor V[j,c]. The sum runs over c, the second index of dO and also of V; a matrix product needs it as the first index of the right factor, so V is transposed.",
    derived: [
      "\\frac{\\partial L}{\\partial A_{ij}} = \\sum_c \\frac{\\partial L}{\\partial O_{ic}} \\frac{\\partial O_{ic}}{\\partial A_{ij}} = \\sum_c \\frac{\\partial L}{\\partial O_{ic}} V_{jc}",
    ],
  },
  {
    title: "The softmax: nobody moves alone",
    example: "cat_sat",
    say: "The scores S say how well each query fits each key; step 6 tells where they come from. The softmax turns each row of S into a row of A, positive numbers that sum to 1: e to the power of each score, divided by the sum of all these powers in the row.",
    maths: ["A_{ij} = \\frac{e^{S_{ij}}}{\\sum_k e^{S_{ik}}}"],
    given: ["S", "A"],
    ask: "The score S[The, sat] grows, the others stay. What do the two other weights of the row do?",
    choices: ["they stay as they are", "they fall", "they grow as well"],
    right: 1,
    shows: [],
    cells: ["A[0,0]", "A[0,1]", "A[0,2]"],
    reveal:
      "All three are divided by the same sum, and it grows: what one weight gains, the others lose. ∂A[i,j]/∂S[i,k] says how fast weight j grows with score k of the same row. All of these slopes make a square of numbers, the Jacobian of the row. Take j = k first, where the numerator and the sum both grow. Then take j ≠ k, where only the sum grows. One formula can hold both cases, with δ[j,k], which is 1 where j = k and 0 elsewhere.",
    because:
      "By the quotient rule. A weight grows with its own score by A[i,j] (1 − A[i,j]). With the score of another key it falls, by the product of the two weights.",
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
      "Add the same number to all three scores of a row: e^S grows by the same factor everywhere, so A stays as it is, and so does L. So the three numbers of the row must sum to 0. A score that grows only moves weight to its own key from the others. What counts is whether a key's own number in dA lies above the average of the row, weighted with A: 0.2741 × 0.0711 + 0.2741 × 0.1849 + 0.4519 × 0.2987 = 0.2051. Only sat lies above it. For the line, put the slopes of step 4 into the sum above.",
    because:
      "The δ leaves the key's own number; the rest is the weighted average of the row, one number for all its keys. To forget it is the most common mistake in this backward pass. The formula, too, shows that a row sums to 0: weighted with A, the distances from the average cancel.",
    derived: [
      "\\sum_j \\frac{\\partial L}{\\partial A_{ij}} A_{ij}(\\delta_{jk} - A_{ik}) = A_{ik}\\Big(\\frac{\\partial L}{\\partial A_{ik}} - \\sum_j \\frac{\\partial L}{\\partial A_{ij}} A_{ij}\\Big)",
    ],
  },
  {
    title: "The keys: which index is summed?",
    example: "cat_sat",
    say: "S[i,j] is the dot product of query i and key j, divided by 2, the square root of their width 4. Query i makes row i of S, key j makes column j.",
    maths: ["S_{ij} = \\tfrac12 \\sum_c Q_{ic} K_{jc}"],
    given: ["∂L/∂S", "Q", "K"],
    ask: "dK[sat], the row sat of dK, collects from several entries of dS. Which ones?",
    choices: ["column sat: one for each query", "row sat: one for each key", "the diagonal"],
    right: 0,
    shows: ["∂L/∂K"],
    cells: ["∂L/∂S[0,2]", "∂L/∂S[1,2]", "∂L/∂S[2,2]", "∂L/∂K[2,1]"],
    reveal:
      "Every query was compared with this key, so every query sends something back. Take component 1 of key sat, outlined in dK: query The has a 0 there, cat and sat have a 1. (0.0423 × 0 + 0.1455 × 1 + 0.2133 × 1) / 2 = 0.1794, with the 2 by which S was divided.",
    because:
      "K[j,c] stands in S[i,j] for every query i, with the factor Q[i,c] / 2: a sum over the queries, the first index of dS. So dS is transposed, as A was in step 2.",
    derived: [
      "\\frac{\\partial L}{\\partial K_{jc}} = \\sum_i \\frac{\\partial L}{\\partial S_{ij}} \\frac{\\partial S_{ij}}{\\partial K_{jc}} = \\tfrac12 \\sum_i \\frac{\\partial L}{\\partial S_{ij}} Q_{ic}",
    ],
  },
  {
    title: "The queries, and the scale",
    example: "cat_sat",
    say: "Likewise the gradient of a query: which index is summed now? The 2 is √4, for a width of 4; for queries and keys of width d_k it is √d_k. Why the root? A score is a sum of d_k products. If they are about as often positive as negative, and of size 1, most of them cancel, and the sum is of size √d_k. Divided by √d_k, scores have size 1 for any width. Write the line for any width.",
    maths: ["S_{ij} = \\frac{1}{\\sqrt{d_k}} \\sum_c Q_{ic} K_{jc}"],
    given: ["∂L/∂S", "K"],
    ask: "Suppose the division is left out, in the forward as well. Is dQ then exactly twice as large?",
    choices: ["yes, exactly", "no, since A changes too", "it stays the same"],
    right: 1,
    shows: ["∂L/∂Q"],
    cells: [],
    reveal:
      "Row sat would double: its scores are equal, and so are its weights, divided or not. But the largest number of row The would grow nearly fourfold, from 0.0184 to 0.0674, since other scores make other weights, outputs and gradients. With still larger scores it would shrink again: step 10.",
    because:
      "Q[i,c] stands in S[i,j] for every key j, with the factor K[j,c] / √d_k: a sum over the keys, the second index of dS and the first of K. So nothing is transposed. What divides on the way forward divides on the way back.",
    derived: [
      "\\frac{\\partial L}{\\partial Q_{ic}} = \\sum_j \\frac{\\partial L}{\\partial S_{ij}} \\frac{\\partial S_{ij}}{\\partial Q_{ic}} = \\frac{1}{\\sqrt{d_k}} \\sum_j \\frac{\\partial L}{\\partial S_{ij}} K_{jc}",
    ],
  },
  {
    title: "Three paths into X",
    example: "three_paths",
    say: "Another example, with other numbers. In self-attention queries, keys and values all come from the same X, which has a row for each word. Each is made by a matrix of its own, which is learned. Here all rows have two numbers.",
    maths: ["Q = X W_Q", "K = X W_K", "V = X W_V"],
    given: ["X", "W_Q", "W_K", "W_V", "∂L/∂Q", "∂L/∂K", "∂L/∂V"],
    ask: "X is used three times, and each use sends a part back. How do the three parts make dX?",
    choices: ["the largest of them counts", "they add up", "their mean counts"],
    right: 1,
    shows: ["∂L/∂X"],
    cells: [],
    reveal:
      "X moves the loss along all three paths at once, so the parts add up, as in step 2. Here the parts are not dQ, dK and dV themselves: each still has to go back through the matrix by which it came. Q = X W_Q is built like O = A V in step 3, with X in the place of A.",
    because:
      "Three sums of the chain rule, each like that of step 3. A program that walks backwards must add to dX (+=) at each use; with = the last one would wipe out the others. The matrices are learned from gradients, too: W_Q stands to X as V to A in step 2, so dW_Q = X^T dQ.",
    derived: [
      "\\frac{\\partial L}{\\partial X_{ib}} = \\sum_c \\frac{\\partial L}{\\partial Q_{ic}} (W_Q)_{bc} + \\sum_c \\frac{\\partial L}{\\partial K_{ic}} (W_K)_{bc} + \\sum_c \\frac{\\partial L}{\\partial V_{ic}} (W_V)_{bc}",
    ],
  },
  {
    title: "The mask",
    example: "causal",
    say: "Back to The cat sat, but a word may only look at itself and at what stands before it. A mask M, called causal, is added to the scores: 0 where looking is allowed, −∞ where not.",
    maths: ["A = \\mathrm{softmax}(S + M)"],
    given: ["M", "A"],
    ask: "What is dS[The, sat], where the mask is −∞?",
    choices: ["exactly 0", "small", "like the others"],
    right: 0,
    shows: ["∂L/∂S"],
    cells: ["∂L/∂S[0,1]", "∂L/∂S[0,2]", "∂L/∂S[1,2]"],
    reveal:
      "The weight there is e^−∞ = 0, and it stays 0 however the score moves. dS[The, The] is 0 for another reason: “The” sees only itself, so its weight is 1 whatever its score. The line is longer this time, from dA all the way to dQ.",
    because:
      "Each entry of dS has its weight as a factor. Where the mask is −∞ that is 0 already, so no mask stands in the line: step 5, put into step 7.",
    derived: [
      "\\frac{\\partial L}{\\partial Q} = \\frac{\\partial L}{\\partial S} K / \\sqrt{d_k}, \\qquad \\frac{\\partial L}{\\partial S} = A \\odot \\Big(\\frac{\\partial L}{\\partial A} - \\mathrm{rowsum}\\big(\\frac{\\partial L}{\\partial A} \\odot A\\big)\\Big)",
    ],
  },
  {
    title: "Saturation",
    example: "saturated",
    say: "The cat sat once more without a mask, but with all queries sixteen times as large. So the scores are sixteen times those of step 4.",
    given: ["S", "A"],
    ask: "In step 5 the largest entry of row The of dS was 0.0423. How large is it now?",
    choices: ["sixteen times as large", "nearly 0", "about the same"],
    right: 1,
    shows: ["∂L/∂S"],
    cells: ["∂L/∂S[0,0]", "∂L/∂S[0,1]", "∂L/∂S[0,2]"],
    reveal:
      "The weight of sat is nearly 1. So the average of the row is nearly the number of sat itself, and the difference vanishes. The two other weights are nearly 0, and they are factors of their entries. Such a softmax is called saturated: the loss may be large, and yet hardly anything comes back through this row. If the weights were exactly 0, 0 and 1, nothing would. Where scores are equal, as in row sat, something still comes back.",
    because:
      "The factor 16 multiplies what comes back, but dS has shrunk far more, from 0.0423 to 0.0006. So large scores stop the learning, and without the division by √d_k wide queries and keys would have large scores.",
    derived: [
      "\\frac{\\partial L}{\\partial Z_{ij}} = \\frac{\\partial L}{\\partial S_{ij}} \\frac{\\partial S_{ij}}{\\partial Z_{ij}} = 16\\, \\frac{\\partial L}{\\partial S_{ij}}",
    ],
  },
  {
    title: "Two heads",
    example: "two_heads",
    say: "Two heads are two attentions beside each other, each with its own queries, keys and values. Each mixes its values, H_1 = A_1 V_1 and H_2 = A_2 V_2; then each is multiplied by a matrix of its own, and the two are added. (It is the same to set H_1 and H_2 side by side and multiply by one matrix, W_1 above W_2.)",
    maths: ["O = H_1 W_1 + H_2 W_2"],
    given: ["W_1", "W_2", "∂L/∂O"],
    ask: "O is the sum of two terms, H_1 W_1 and H_2 W_2. How much of dO arrives at each of the terms?",
    choices: ["half of it", "all of it", "more at the larger one"],
    right: 1,
    shows: ["∂L/∂H_1", "∂L/∂H_2"],
    cells: [],
    reveal:
      "If one term grows by 0.01, so does O: a sum hands its whole gradient on to each of its terms. Then each head brings it back through its own matrix. Here W_1 changes nothing and W_2 swaps the two columns, so dH_1 and dH_2 hold the same numbers in another order.",
    because: "Through the sum unchanged, back through W_1 as in step 3, and back through A_1 as in step 2.",
    derived: [
      "\\frac{\\partial L}{\\partial H_1} = \\frac{\\partial L}{\\partial O} W_1^{\\mathrm T}, \\qquad \\frac{\\partial L}{\\partial V_1} = A_1^{\\mathrm T} \\frac{\\partial L}{\\partial H_1}",
    ],
  },
];
