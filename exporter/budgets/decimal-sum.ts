/**
 * The sum of decimal amounts as a person would write it, without the rounding errors of binary fractions, even for
 * ten thousand amounts or with refunds.
 */
export function decimalSum(amounts: readonly number[]): number {
  let sum = 0;
  let carried = 0;
  let size = 0;
  for (const amount of amounts) {
    const next = sum + amount;
    // The rounding error of the addition (Neumaier).
    carried += Math.abs(sum) >= Math.abs(amount) ? sum - next + amount : amount - next + sum;
    sum = next;
    size += Math.abs(amount);
  }
  return rounded(sum + carried, size);
}

/**
 * Fifteen digits are exact for a decimal amount; amounts that cancel out leave an error proportional to their size.
 */
function rounded(sum: number, size: number): number {
  if (size === 0) return 0;
  const decimals = Math.min(100, Math.max(0, 14 - Math.floor(Math.log10(size))));
  // -0 is 0.
  return Number(sum.toFixed(decimals)) + 0;
}
