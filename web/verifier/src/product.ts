/**
 * Products of the optimal ate pairing of BN254.
 *
 * G2 lies on the twist y^2 = x^3 + 3 / XI, whose point (x, y) stands for (x w^2, y w^3). A line through points of the
 * twist with slope m, taken at a point (X, Y) of G1, is Y - m X w + (m x - y) w^3. Loop: eprint.iacr.org/2008/096; last
 * power: eprint.iacr.org/2008/490, with the exponent of doi.org/10.1007/978-3-642-28496-0_25.
 */

import {
  conjugate,
  type Fp12,
  FP2,
  type Fp2,
  frobenius,
  invert,
  mirrored,
  multiply,
  multiplyByLine,
  ONE,
  power,
  reduced,
  square,
  TWISTS,
} from "./tower.js";

/** The number that the family's curves are made of. */
export const X = 4965661367192848881n;

/** Coordinates of a finite point of prime order. */
export type Affine<T> = readonly [T, T];
/** Slope and constant of each line of the loop. */
export type Lines = ReadonlyArray<readonly [Fp2, Fp2]>;

/** The digits -1, 0 and 1 of 6 X + 2 behind the first, no two of them beside each other but zeros. */
const DIGITS = digitsOf(6n * X + 2n).slice(1);

/** Return the image of a point of the twist under the p-th power. */
export function endomorphism([x, y]: Affine<Fp2>): Affine<Fp2> {
  const [, , two = FP2.one, three = FP2.one] = TWISTS;
  return [FP2.multiply(conjugate(x), two), FP2.multiply(conjugate(y), three)];
}

/**
 * Return the lines of points of G2, all at once: each step divides once for all of them.
 *
 * Throws RangeError where a step has no line, which no point of the prime order leads to.
 */
export function linesOf(points: ReadonlyArray<Affine<Fp2>>): readonly Lines[] {
  const lines = points.map((): Array<readonly [Fp2, Fp2]> => []);
  let at = points;
  const step = (others?: ReadonlyArray<Affine<Fp2>>): void => {
    const slopes = slopesOf(at, others);
    at = at.map(([x, y], place): Affine<Fp2> => {
      const slope = slopes[place] ?? FP2.zero;
      lines[place]?.push([slope, FP2.subtract(FP2.multiply(slope, x), y)]);
      const other = others?.[place]?.[0] ?? x;
      const sum = FP2.subtract(FP2.subtract(FP2.multiply(slope, slope), x), other);
      return [sum, FP2.subtract(FP2.multiply(slope, FP2.subtract(x, sum)), y)];
    });
  };
  const negative = points.map(opposite);
  for (const digit of DIGITS) {
    step();
    if (digit) step(digit > 0 ? points : negative);
  }
  const first = points.map(endomorphism);
  step(first);
  step(first.map((point) => opposite(endomorphism(point))));
  return lines;
}

/** Return the product of the pairings of these points of G1 with those of G2 that the lines belong to. */
export function product(pairs: ReadonlyArray<readonly [Affine<bigint>, Lines]>): Fp12 {
  let value = ONE;
  let count = 0;
  const step = (): void => {
    for (const [[x, y], lines] of pairs) {
      const line = lines[count];
      // Without its lines a pairing would count as one.
      if (line === undefined) throw new RangeError("a pairing lacks a line");
      const [[a, b], constant] = line;
      value = multiplyByLine(value, y, [reduced(-a * x), reduced(-b * x)], constant);
    }
    count += 1;
  };
  for (const digit of DIGITS) {
    value = square(value);
    step();
    if (digit) step();
  }
  step();
  step();
  return lastPower(value);
}

/** Return a power whose exponent is a multiple of (p^12 - 1) / r, and not of r. */
export function lastPower(value: Fp12): Fp12 {
  // p^6 - 1, then p^2 + 1: from here on, `mirrored` inverts.
  const unit = multiply(mirrored(value), invert(value));
  const base = multiply(frobenius(frobenius(unit)), unit);
  const raised = (one: Fp12): Fp12 => power({ one: ONE, multiply }, one, X);
  // The exponents of `base`: 2 X, 6 X, 6 X^2, 12 X^3.
  const two = square(raised(base));
  const six = multiply(square(two), two);
  const squared = raised(six);
  const cubed = square(raised(squared));
  const most = multiply(multiply(cubed, squared), six);
  const less = multiply(most, mirrored(two));
  const last = multiply(less, mirrored(base));
  const sum = multiply(multiply(most, squared), base);
  // sum + p less + p^2 most + p^3 last
  return multiply(sum, frobenius(multiply(less, frobenius(multiply(most, frobenius(last))))));
}

/** Return the slopes of tangents, or of the lines to other points. */
function slopesOf(points: ReadonlyArray<Affine<Fp2>>, others?: ReadonlyArray<Affine<Fp2>>): readonly Fp2[] {
  const parts = points.map(([x, y], place): readonly [Fp2, Fp2] => {
    const other = others?.[place];
    if (other !== undefined) return [FP2.subtract(other[1], y), FP2.subtract(other[0], x)];
    const squared = FP2.multiply(x, x);
    return [FP2.add(FP2.add(squared, squared), squared), FP2.add(y, y)];
  });
  const inverses = inversesOf(parts.map(([, below]) => below));
  return parts.map(([above], place) => FP2.multiply(above, inverses[place] ?? FP2.zero));
}

/** Return the inverses, by one division: the inverse of the product of all, times the products of the others. */
function inversesOf(values: readonly Fp2[]): readonly Fp2[] {
  const before: Fp2[] = [];
  let product = FP2.one;
  for (const value of values) {
    before.push(product);
    product = FP2.multiply(product, value);
  }
  let rest = FP2.invert(product);
  return values
    .map((value, place) => [value, before[place] ?? FP2.one] as const)
    .reverse()
    .map(([value, earlier]) => {
      const found = FP2.multiply(rest, earlier);
      rest = FP2.multiply(rest, value);
      return found;
    })
    .reverse();
}

function opposite([x, y]: Affine<Fp2>): Affine<Fp2> {
  return [x, FP2.subtract(FP2.zero, y)];
}

/** Return the digits of a number above 0 in the form without neighbours, the first one first. */
function digitsOf(number: bigint): readonly number[] {
  const digits: number[] = [];
  for (let rest = number; rest > 0n; rest >>= 1n) {
    const digit = rest & 1n ? 2 - Number(rest & 3n) : 0;
    digits.unshift(digit);
    rest -= BigInt(digit);
  }
  return digits;
}
