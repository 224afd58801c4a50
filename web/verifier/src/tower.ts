/**
 * The fields under the pairing of BN254: Fp, Fp2 = Fp[i] / (i^2 + 1), and Fp12 = Fp2[w] / (w^6 - XI) with XI = 9 + i.
 *
 * All numbers are public, so nothing here hides how long it takes. Products are summed before they are reduced.
 * tests/web/test_curve.py compares every operation with those of noble-curves.
 */

/** The modulus p of the coordinates. */
export const MODULUS = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;

/** a + b i. */
export type Fp2 = readonly [bigint, bigint];
/** The coefficients of w^0 to w^5. */
export type Fp12 = readonly [Fp2, Fp2, Fp2, Fp2, Fp2, Fp2];

/** What points need of their coordinates' field. */
export interface Field<T> {
  readonly zero: T;
  readonly one: T;
  add(left: T, right: T): T;
  subtract(left: T, right: T): T;
  multiply(left: T, right: T): T;
  /** Throws RangeError for 0. */
  invert(value: T): T;
  equal(left: T, right: T): boolean;
}

/** Return the number from 0 up to the modulus that is congruent to this one. */
export function reduced(value: bigint): bigint {
  const rest = value % MODULUS;
  return rest < 0n ? rest + MODULUS : rest;
}

export const FP: Field<bigint> = {
  zero: 0n,
  one: 1n,
  add: (left, right) => reduced(left + right),
  subtract: (left, right) => reduced(left - right),
  multiply: (left, right) => reduced(left * right),
  invert: inverse,
  equal: (left, right) => left === right,
};

export const FP2: Field<Fp2> = {
  zero: [0n, 0n],
  one: [1n, 0n],
  add: ([a, b], [c, d]) => [reduced(a + c), reduced(b + d)],
  subtract: ([a, b], [c, d]) => [reduced(a - c), reduced(b - d)],
  multiply([a, b], [c, d]) {
    const [real, imaginary] = [a * c, b * d];
    return [reduced(real - imaginary), reduced((a + b) * (c + d) - real - imaginary)];
  },
  invert([a, b]) {
    const norm = inverse(reduced(a * a + b * b));
    return [reduced(a * norm), reduced(-b * norm)];
  },
  equal: ([a, b], [c, d]) => a === c && b === d,
};

/** Return the conjugate, which is the p-th power. */
export function conjugate([a, b]: Fp2): Fp2 {
  return [a, reduced(-b)];
}

/** Return a power of a value; the exponent is not negative. */
export function power<T>({ one, multiply }: Pick<Field<T>, "one" | "multiply">, value: T, exponent: bigint): T {
  let raised = one;
  for (const bit of exponent.toString(2)) {
    raised = multiply(raised, raised);
    if (bit === "1") raised = multiply(raised, value);
  }
  return raised;
}

/** Return the modular inverse by Euclid's algorithm. */
function inverse(value: bigint): bigint {
  let [rest, next, factor, following] = [MODULUS, value, 0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, following] = [following, factor - quotient * following];
  }
  if (rest !== 1n) throw new RangeError("0 has no inverse");
  return reduced(factor);
}

const XI: Fp2 = [9n, 1n];
/** XI^(k (p - 1) / 6), by which the p-th power multiplies the conjugate of the coefficient of w^k. */
export const TWISTS: readonly Fp2[] = [0n, 1n, 2n, 3n, 4n, 5n].map((k) => power(FP2, XI, (k * (MODULUS - 1n)) / 6n));

const ZERO: Fp2 = FP2.zero;
export const ONE: Fp12 = [FP2.one, ZERO, ZERO, ZERO, ZERO, ZERO];

/** Collects the coefficients of a product, unreduced, up to w^10. */
class Sum {
  readonly #real = new Array<bigint>(11).fill(0n);
  readonly #imaginary = new Array<bigint>(11).fill(0n);

  /** Add the product of two coefficients to that of w^at. */
  add(at: number, [a, b]: Fp2, [c, d]: Fp2): void {
    this.#real[at] = (this.#real[at] ?? 0n) + (a * c - b * d);
    this.#imaginary[at] = (this.#imaginary[at] ?? 0n) + (a * d + b * c);
  }

  /** Return the sum, with w^6 = 9 + i. */
  get value(): Fp12 {
    const part = (at: number): Fp2 => {
      const [a, b] = [this.#real[at] ?? 0n, this.#imaginary[at] ?? 0n];
      const [c, d] = [this.#real[at + 6] ?? 0n, this.#imaginary[at + 6] ?? 0n];
      return [reduced(a + 9n * c - d), reduced(b + c + 9n * d)];
    };
    return [part(0), part(1), part(2), part(3), part(4), part(5)];
  }
}

/** Return the product. */
export function multiply(left: Fp12, right: Fp12): Fp12 {
  const sum = new Sum();
  left.forEach((a, i) => right.forEach((b, j) => sum.add(i + j, a, b)));
  return sum.value;
}

/** Return the square: each product of two different coefficients counts twice. */
export function square(value: Fp12): Fp12 {
  const sum = new Sum();
  value.forEach((a, i) => {
    sum.add(2 * i, a, a);
    const twice: Fp2 = [2n * a[0], 2n * a[1]];
    for (let j = i + 1; j < 6; j += 1) sum.add(i + j, twice, value[j] ?? ZERO);
  });
  return sum.value;
}

/** Return the product with y + slope w + constant w^3, the value of a line at a point. */
export function multiplyByLine(value: Fp12, y: bigint, slope: Fp2, constant: Fp2): Fp12 {
  const sum = new Sum();
  value.forEach((a, i) => {
    sum.add(i, a, [y, 0n]);
    sum.add(i + 1, a, slope);
    sum.add(i + 3, a, constant);
  });
  return sum.value;
}

/** Return the p-th power. */
export function frobenius(value: Fp12): Fp12 {
  return each(value, (part, k) => FP2.multiply(conjugate(part), TWISTS[k] ?? ZERO));
}

/** Return the power of p^6: w becomes -w. For a value of norm 1 over Fp6, this is its inverse. */
export function mirrored(value: Fp12): Fp12 {
  return each(value, (part, k) => (k % 2 ? FP2.subtract(ZERO, part) : part));
}

/** Return the inverse: the product of the five other conjugates over Fp2, divided by the norm. */
export function invert(value: Fp12): Fp12 {
  let [conjugated, others] = [value, ONE];
  for (let count = 0; count < 5; count += 1) {
    conjugated = frobenius(frobenius(conjugated));
    others = multiply(others, conjugated);
  }
  const norm = FP2.invert(multiply(others, value)[0]);
  return each(others, (part) => FP2.multiply(part, norm));
}

/** Return whether the value is 1. */
export function isOne(value: Fp12): boolean {
  return value.every((part, k) => FP2.equal(part, ONE[k] ?? ZERO));
}

function each(value: Fp12, change: (part: Fp2, k: number) => Fp2): Fp12 {
  const [a, b, c, d, e, f] = value;
  return [change(a, 0), change(b, 1), change(c, 2), change(d, 3), change(e, 4), change(f, 5)];
}
