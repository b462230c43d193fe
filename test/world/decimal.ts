/** Decimals are added as integers of this many digits after the point, so that sums are exact. */
const DIGITS = 20;

const MICRO = 10n ** BigInt(DIGITS - 6);
const ONE = 10n ** BigInt(DIGITS);

/** A written decimal (`12.5`, `1.5e-7`) as an integer in units of 1e-20. */
export function decimal(text: string): bigint {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = FORM.exec(text) ?? [];
  if (whole === "") throw new Error(`Cannot read ${JSON.stringify(text)} as a decimal`);
  const shift = DIGITS + Number(exponent) - fraction.length;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
}

const FORM = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Millionths of credits in the same units. */
export function ofMicros(micros: number): bigint {
  return BigInt(micros) * MICRO;
}

export function ofCount(count: number): bigint {
  return BigInt(count) * ONE;
}
