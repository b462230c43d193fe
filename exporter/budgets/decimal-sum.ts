/**
 * A sum of decimal amounts as a person would write it: what binary fractions leave behind is carried along and then
 * rounded away (fifteen digits are exact for a decimal amount), over ten thousand amounts and over refunds alike.
 */
export function decimalSum(amounts: readonly number[]): number {
  let sum = 0;
  let carried = 0;
  for (const amount of amounts) {
    const next = sum + amount;
    carried += Math.abs(sum) >= Math.abs(amount) ? sum - next + amount : amount - next + sum;
    sum = next;
  }
  return Number((sum + carried).toPrecision(15));
}
