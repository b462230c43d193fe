/**
 * The sum of decimal amounts as a person would write it: exact for the shortest texts of the amounts, and rounded once,
 * to the nearest number. NaN if an amount is not finite.
 */
export function decimalSum(amounts: Iterable<number>): number {
  const sums = SCALES.map((scale) => ({ scale, sum: 0 }));
  const long: number[] = [];
  for (const amount of amounts) {
    if (!sums.some((scaled) => add(scaled, amount))) long.push(amount);
  }
  const used = sums.filter(({ sum }) => sum !== 0);
  const [only = { scale: 1, sum: 0 }] = used;
  // The division rounds once, because both numbers are whole and exact.
  if (long.length === 0 && used.length < 2) return only.sum / only.scale;
  if (!long.every(Number.isFinite)) return Number.NaN;
  return exactSum([...long, ...used.map(({ scale, sum }) => `${sum}e-${Math.log10(scale)}`)]);
}

/** What is left of a total without its parts, as exact as their sum. */
export function decimalRest(total: number, parts: readonly number[]): number {
  return decimalSum([total, ...parts.map((part) => -part)]);
}

/**
 * Whether a total is the sum of its parts: exactly, or up to the rounding errors of a program that adds them up as binary
 * fractions. Only numbers of more than 15 digits come from such additions; others are compared exactly.
 */
export function isSumOf(total: number, parts: readonly number[]): boolean {
  if (decimalSum(parts) === total) return true;
  if (![total, ...parts].some(isInexact)) return false;
  const size = parts.reduce((added, part) => added + Math.abs(part), Math.abs(total));
  return Math.abs(decimalRest(total, parts)) <= ROUNDING_ERROR * size;
}

/** The error of a sum of millions of binary fractions, as a share of their size. */
const ROUNDING_ERROR = 1e-12;

/** Most amounts are whole, or have up to 6, 9 or 12 decimals: then sums of whole numbers are exact and fast. */
const SCALES = [1, 1e6, 1e9, 1e12];

/** A decimal of 15 digits is the shortest text of its nearest number. */
const FIFTEEN_DIGITS = 1e15;

/** Adds an amount to a sum of scaled amounts, if both are whole there. */
function add(scaled: { readonly scale: number; sum: number }, amount: number): boolean {
  const whole = Math.round(amount * scaled.scale);
  if (whole / scaled.scale !== amount) return false;
  if (scaled.scale > 1 && Math.abs(whole) >= FIFTEEN_DIGITS) return false;
  const next = scaled.sum + whole;
  if (!Number.isSafeInteger(next) || !Number.isSafeInteger(whole)) return false;
  scaled.sum = next;
  return true;
}

/** The same with whole numbers of any size, for the shortest text of each amount. */
function exactSum(amounts: readonly (number | string)[]): number {
  const decimals = amounts.map((amount) => {
    const [digits = "0", exponent = "0"] = (
      typeof amount === "string" ? amount : amount.toExponential()
    ).split("e");
    const [whole = "0", fraction = ""] = digits.split(".");
    return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
  });
  const least = decimals.reduce((lowest, { exponent }) => Math.min(lowest, exponent), 0);
  const sum = decimals.reduce(
    (added, { digits, exponent }) => added + digits * 10n ** BigInt(exponent - least),
    0n,
  );
  return Number(`${sum}e${least}`);
}

function isInexact(amount: number): boolean {
  return Number.isInteger(amount) ? !Number.isSafeInteger(amount) : Number(amount.toPrecision(15)) !== amount;
}
