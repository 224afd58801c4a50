/**
 * BN254, and the reading of points: compressed, each in exactly one form. Twin of verifier/curve.py.
 *
 * A point is its x-coordinate in big-endian bytes, in G2 the imaginary half first; the two top bits select one of the
 * two y-coordinates, or mark infinity. Each point that is read is on its curve and in the subgroup of prime order.
 */

import { bigEndian, integer, joined } from "./bytes.js";
import { MalformedInputError } from "./errors.js";
import { type Curve, Point } from "./points.js";
import { type Affine, endomorphism, type Lines, linesOf, product, X } from "./product.js";
import { sentence } from "./sentence.js";
import { FP, FP2, type Fp2, isOne, MODULUS, power, reduced } from "./tower.js";

export type G1Point = Point<bigint>;
export type G2Point = Point<Fp2>;

const BYTES = 32;
const INFINITY = 0b01;
const SMALLER = 0b10;
const LARGER = 0b11;
/** The bits of a coordinate below those of the flag. */
const PLAIN = (1n << 254n) - 1n;
const B1 = 3n;
// 3 / (9 + i)
const B2 = FP2.multiply([3n, 0n], FP2.invert([9n, 1n]));
/** Both curves. */
export const G1: Curve<bigint> = { field: FP, triple: 9n };
export const G2: Curve<Fp2> = { field: FP2, triple: FP2.multiply([3n, 0n], B2) };
const HALF = FP.invert(2n);
const LINES = new WeakMap<G2Point, Lines>();

/** The generators of both groups. */
export const GENERATOR1: G1Point = new Point(G1, 1n, 2n);
export const GENERATOR2: G2Point = new Point(
  G2,
  [
    10857046999023057135944570762232829481370756359578518086990519993285655852781n,
    11559732032986387107991004021392285783925812861821192530917403151452391805634n,
  ],
  [
    8495653923123431417604973247489272438418190587263600148770280649306958101930n,
    4082367875863433681332203403145435568316851327593401208105741076214120093531n,
  ],
);

/** Read 32 bytes as a point of G1; throws MalformedInputError naming the point. */
export function readG1(data: Uint8Array, name: string): G1Point {
  const [flag, x] = coordinates(data, name);
  if (flag === INFINITY) return Point.infinity(G1);
  const y = root(reduced(x * x * x + B1));
  if (y === undefined) throw new MalformedInputError(sentence("point.not_on_curve", { point: name }), "off-curve");
  // The curve's order is the prime itself: there is no other subgroup to be in.
  return new Point(G1, x, isLarger(y) === (flag === LARGER) ? y : reduced(-y));
}

/** Read 64 bytes as a point of G2; throws MalformedInputError naming the point. */
export function readG2(data: Uint8Array, name: string): G2Point {
  const [flag, imaginary, real] = coordinates(data, name);
  if (flag === INFINITY) return Point.infinity(G2);
  const x: Fp2 = [real, imaginary];
  const y = rootOfPair(FP2.add(FP2.multiply(FP2.multiply(x, x), x), B2));
  if (y === undefined) throw new MalformedInputError(sentence("point.not_on_curve", { point: name }), "off-curve");
  const kept = isLarger(y[1] || y[0]) === (flag === LARGER) ? y : FP2.subtract(FP2.zero, y);
  const point = new Point(G2, x, kept);
  if (!isOfPrimeOrder(point)) {
    throw new MalformedInputError(sentence("point.not_in_subgroup", { point: name }), "outside-subgroup");
  }
  return point;
}

/**
 * Return whether a finite point of the twist is in the subgroup of prime order: this curve has more points.
 *
 * Compares [X + 1] P + psi([X] P) + psi^2([X] P) with psi^3([2 X] P) (https://eprint.iacr.org/2022/348, section 3.1).
 * psi^2 - t psi + p = 0, so equality gives [N] P = 0, where N is the norm of X + 1 + X psi + X psi^2 - 2 X psi^3. Of
 * the curve's order r (2 p - r), N has the factor r and no other: [r] P = 0.
 */
export function isOfPrimeOrder(point: G2Point): boolean {
  const multiple = point.times(X);
  if (multiple.isInfinity) return false;
  const once = endomorphism(multiple.affine);
  const twice = endomorphism(once);
  const sum = [once, twice].reduce((found, one) => found.plus(new Point(G2, ...one)), multiple.plus(point));
  return sum.equals(new Point(G2, ...endomorphism(twice)).doubled);
}

/** Return whether the pairings of all these pairs multiply to one; a pair with infinity contributes one. */
export function multiplyToOne(...pairs: ReadonlyArray<readonly [G1Point, G2Point]>): boolean {
  const finite = pairs.filter(([left, right]) => !left.isInfinity && !right.isInfinity);
  prepare(finite.map(([, right]) => right));
  const prepared = finite.map(([left, right]): readonly [Affine<bigint>, Lines] => {
    return [left.affine, LINES.get(right) ?? []];
  });
  return isOne(product(prepared));
}

/** Make the lines of points, at once for all that have none yet: those of a key are paired for every proof. */
export function prepare(points: readonly G2Point[]): void {
  const unknown = [...new Set(points)].filter((point) => !point.isInfinity && !LINES.has(point));
  const made = linesOf(unknown.map(({ affine }) => affine));
  unknown.forEach((point, place) => LINES.set(point, made[place] ?? []));
}

/** Return whether two points are the same up to the sign. */
export function alike<T>(left: Point<T>, right: Point<T>): boolean {
  return left.equals(right) || left.equals(right.negative);
}

/** Return the 64 bytes of x and y; those of infinity are zero. */
export function uncompressed(point: G1Point): Uint8Array {
  if (point.isInfinity) return new Uint8Array(2 * BYTES);
  const [x, y] = point.affine;
  return joined(bigEndian(x, BYTES), bigEndian(y, BYTES));
}

/** Split the bytes of a point into its flag and its coordinates below the field's modulus. */
function coordinates(data: Uint8Array, name: string): readonly [number, bigint, bigint] {
  const top = data[0] ?? 0;
  const flag = top >> 6;
  const numbers = [integer(data.subarray(0, BYTES)) & PLAIN, integer(data.subarray(BYTES))] as const;
  const marked = flag === INFINITY || flag === SMALLER || flag === LARGER;
  if (!marked || (flag === INFINITY && numbers.some((number) => number !== 0n))) {
    throw new MalformedInputError(sentence("point.not_canonical", { point: name }), "point-not-canonical");
  }
  if (numbers.some((number) => number >= MODULUS)) {
    const message = sentence("point.coordinate_not_below_modulus", { point: name });
    throw new MalformedInputError(message, "coordinate-too-large");
  }
  return [flag, ...numbers];
}

/** Return a square root modulo p, or undefined: p is 3 modulo 4. */
function root(value: bigint): bigint | undefined {
  const found = power(FP, value, (MODULUS + 1n) / 4n);
  return reduced(found * found) === value ? found : undefined;
}

/**
 * Return a square root of `a + b i`, or undefined.
 *
 * With `n^2 = a^2 + b^2`, one of `(a + n) / 2` and `(a - n) / 2` is the square of the root's real part.
 */
export function rootOfPair([a, b]: Fp2): Fp2 | undefined {
  const norm = root(reduced(a * a + b * b));
  if (norm === undefined) return undefined;
  for (const square of [reduced((a + norm) * HALF), reduced((a - norm) * HALF)]) {
    const real = root(square);
    if (real) return [real, reduced(b * HALF * FP.invert(real))];
  }
  // No real part: b is 0, and the root of a negative number is imaginary.
  const imaginary = root(reduced(-a));
  return imaginary === undefined ? undefined : [0n, imaginary];
}

/** Return whether y is the larger of y and p - y. */
function isLarger(y: bigint): boolean {
  return 2n * y > MODULUS;
}
