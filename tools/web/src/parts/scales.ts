// By what scores are multiplied: powers of 2, by their exponents.
export const SCALES = [-2, -1, 0, 1, 2, 3, 4, 5, 6];
export const scaleName = (e: number) => (e < 0 ? `1/${2 ** -e}` : String(2 ** e));
