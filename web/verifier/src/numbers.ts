/**
 * Exact numbers from raw values and decimal text, and as short text that promises no more than the number. Twin of
 * circuits/numbers.py, with the fractions and decimals that Python has by itself.
 */

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$/;
const LONGEST = 60;
const LARGEST_PLACE = 60;

/** An exact quotient in lowest terms; the denominator is above 0. */
export class Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;

  constructor(numerator: bigint, denominator = 1n) {
    const sign = denominator < 0n ? -1n : 1n;
    const common = sign * commonDivisor(numerator, denominator);
    this.numerator = numerator / common;
    this.denominator = denominator / common;
  }

  plus(other: Fraction): Fraction {
    const above = this.numerator * other.denominator + other.numerator * this.denominator;
    return new Fraction(above, this.denominator * other.denominator);
  }

  minus(other: Fraction): Fraction {
    return this.plus(new Fraction(-other.numerator, other.denominator));
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  over(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  /** Return a number below, at or above 0 as this one is less than, equal to or greater than the other. */
  compare(other: Fraction): number {
    const difference = this.numerator * other.denominator - other.numerator * this.denominator;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  /** Return the number as floats have it, for people: with six digits or fewer, as Python's `:g` writes it. */
  rounded(): string {
    const number = this.#float();
    const [digits = "", power = "0"] = number.toExponential(5).split("e");
    if (-5 < Number(power) && Number(power) < 6) return String(Number(number.toPrecision(6)));
    return `${Number(digits)}e${power.replace(/\b\d$/, "0$&")}`;
  }

  /** Return the number as floats have it, with one decimal. */
  tenths(): string {
    const number = this.#float();
    return Math.abs(number) < 1e21 ? number.toFixed(1) : `${BigInt(number)}.0`;
  }

  #float(): number {
    return Number(this.numerator) / Number(this.denominator);
  }

  floor(): bigint {
    return floorDivide(this.numerator, this.denominator);
  }

  ceil(): bigint {
    return -floorDivide(-this.numerator, this.denominator);
  }
}

export const ZERO = new Fraction(0n);

/** A decimal number as it is written: `digits` times ten to the power of `exponent`, trailing zeros kept. */
export class Decimal {
  readonly negative: boolean;
  readonly digits: bigint;
  readonly exponent: number;

  constructor(digits: bigint, exponent: number, negative = digits < 0n) {
    this.negative = negative;
    this.digits = digits < 0n ? -digits : digits;
    this.exponent = exponent;
  }

  /** Read text that is known to be a number. */
  static of(text: string): Decimal {
    const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
    const [whole = "", part = ""] = mantissa.replace("-", "").split(".");
    return new Decimal(BigInt(whole + part), Number(power) - part.length, mantissa.startsWith("-"));
  }

  /** The place of the first digit. */
  get place(): number {
    return this.exponent + this.digits.toString().length - 1;
  }

  get fraction(): Fraction {
    const signed = this.negative ? -this.digits : this.digits;
    return new Fraction(signed).times(powerOfTen(this.exponent));
  }

  /** Return the sum, with as many decimals as the longer of the two has. */
  plus(other: Decimal): Decimal {
    const exponent = Math.min(this.exponent, other.exponent);
    const sum = this.#at(exponent) + other.#at(exponent);
    return new Decimal(sum, exponent, sum === 0n ? this.negative && other.negative : sum < 0n);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(other.digits, other.exponent, !other.negative));
  }

  /** Return the same number without trailing zeros. */
  normalized(): Decimal {
    const kept = this.digits.toString().replace(/0+$/, "");
    const dropped = this.digits.toString().length - kept.length;
    return kept ? new Decimal(BigInt(kept), this.exponent + dropped, this.negative) : new Decimal(0n, 0, this.negative);
  }

  /** Return the number without an exponent, in groups of three digits before the point. */
  toString(): string {
    const places = Math.max(0, -this.exponent);
    const zeros = this.digits === 0n ? 0 : Math.max(0, this.exponent);
    const digits = `${this.digits}${"0".repeat(zeros)}`.padStart(places + 1, "0");
    const point = digits.length - places;
    const whole = digits.slice(0, point).replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
    return `${this.negative ? "-" : ""}${whole}${places ? `.${digits.slice(point)}` : ""}`;
  }

  #at(exponent: number): bigint {
    const digits = this.digits * 10n ** BigInt(this.exponent - exponent);
    return this.negative ? -digits : digits;
  }
}

/** Return the number that decimal text stands for. */
export function exact(text: string): Fraction {
  return Decimal.of(text).fraction;
}

/** Read a raw number exactly: a number as it prints, or decimal text; undefined for anything else. */
export function readNumber(value: string | number): Fraction | undefined {
  const text = String(value);
  if (text.length > LONGEST || !NUMBER.test(text)) return undefined;
  const number = Decimal.of(text);
  return Math.abs(number.place) > LARGEST_PLACE ? undefined : number.fraction;
}

/** Return a number that is not negative with three significant digits, never more than it is. */
export function roundedDown(number: Fraction): Decimal {
  if (number.numerator === 0n) return new Decimal(0n, 0);
  const place = exponent(number) - 2;
  return new Decimal(number.over(powerOfTen(place)).floor(), place).normalized();
}

/** Return a number in full, with a point; throws RangeError for one that no decimal number equals. */
export function decimalText({ numerator, denominator }: Fraction): string {
  let [digits, power] = [0, 1n];
  while (power % denominator !== 0n) {
    [digits, power] = [digits + 1, power * 10n];
    // Every prime factor of a decimal number's denominator divides a power of ten that is no larger.
    if (power > denominator ** 4n) throw new RangeError("this is no decimal number");
  }
  const scaled = (numerator * (power / denominator)).toString().replace("-", "").padStart(digits + 1, "0");
  const point = scaled.length - digits;
  return `${numerator < 0n ? "-" : ""}${scaled.slice(0, point)}${digits ? `.${scaled.slice(point)}` : ""}`;
}

/** Return the place of the first digit of a number above 0, or of powers of ten the one below. */
export function exponent(number: Fraction): number {
  const large = number.numerator >= number.denominator;
  const digits = large ? number.floor() : new Fraction(number.denominator, number.numerator).ceil();
  return large ? digits.toString().length - 1 : -digits.toString().length;
}

/** Return the lesser of two numbers, the first if they are equal. */
export function lesser<T extends Fraction | Decimal>(left: T, right: T): T {
  return valueOf(right).compare(valueOf(left)) < 0 ? right : left;
}

/** Return the greater of two numbers, the first if they are equal. */
export function greater<T extends Fraction | Decimal>(left: T, right: T): T {
  return valueOf(right).compare(valueOf(left)) > 0 ? right : left;
}

/** Return ten to a power. */
export function powerOfTen(power: number): Fraction {
  const size = 10n ** BigInt(Math.abs(power));
  return power < 0 ? new Fraction(1n, size) : new Fraction(size);
}

/** Return the quotient, rounded down; the divisor is above 0. */
export function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

/** Return the largest integer whose square is at most `value`, which is not negative. */
export function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(bitLength(value) / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** Return the number of bits of an integer that is not negative. */
export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

function valueOf(number: Fraction | Decimal): Fraction {
  return number instanceof Decimal ? number.fraction : number;
}

function commonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
