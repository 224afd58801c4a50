/**
 * BN254, and the reading of points: compressed, each in exactly one form. Twin of verifier/curve.py.
 *
 * A point is its x-coordinate in big-endian bytes, in G2 the imaginary half first; the two top bits select one of the
 * two y-coordinates, or mark infinity. Each point that is read is on its curve and in the subgroup of prime order: the
 * library's own constructors check neither.
 */

import { bn254 } from "@noble/curves/bn254.js";

import { integer } from "./bytes.js";
import { MalformedInputError } from "./errors.js";

const { Fp, Fp2, Fp12 } = bn254.fields;

export const G1 = bn254.G1.Point;
export const G2 = bn254.G2.Point;

export type G1Point = typeof G1.BASE;
export type G2Point = typeof G2.BASE;
type Pair = typeof Fp2.ONE;
type Lines = ReturnType<typeof bn254.utils.calcPairingPrecomputes>;

const BYTES = 32;
const INFINITY = 0b01;
const SMALLER = 0b10;
const LARGER = 0b11;
/** The bits of a coordinate below those of the flag. */
const PLAIN = (1n << 254n) - 1n;
const B1 = 3n;
const LINES = new WeakMap<G2Point, Lines>();
// 3 / (9 + i)
const B2 = Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.create({ c0: 9n, c1: 1n }));

/** Read 32 bytes as a point of G1; throws MalformedInputError naming the point. */
export function readG1(data: Uint8Array, name: string): G1Point {
  const [flag, x] = coordinates(data, name);
  if (flag === INFINITY) return G1.ZERO;
  const y = root(Fp.add(Fp.mul(Fp.sqr(x), x), B1));
  if (y === undefined) throw new MalformedInputError(`${name} is not on the curve`, "off-curve");
  // The curve's order is the prime itself: there is no other subgroup to be in.
  return G1.fromAffine({ x, y: isLarger(y) === (flag === LARGER) ? y : Fp.neg(y) });
}

/** Read 64 bytes as a point of G2; throws MalformedInputError naming the point. */
export function readG2(data: Uint8Array, name: string): G2Point {
  const [flag, imaginary, real] = coordinates(data, name);
  if (flag === INFINITY) return G2.ZERO;
  const x = Fp2.create({ c0: real, c1: imaginary });
  const y = rootOfPair(Fp2.add(Fp2.mul(Fp2.sqr(x), x), B2));
  if (y === undefined) throw new MalformedInputError(`${name} is not on the curve`, "off-curve");
  const kept = isLarger(y.c1 || y.c0) === (flag === LARGER) ? y : Fp2.neg(y);
  const point = G2.fromAffine({ x, y: kept });
  // This curve has more points than the prime order: the others must be refused. The library compares psi(P) with
  // [t - 1] P, where t is the trace. psi^2 - t psi + p = 0, so equality gives [p + 1 - t] P = [r] P = 0.
  if (!point.isTorsionFree()) {
    throw new MalformedInputError(`${name} is not in the subgroup of prime order`, "outside-subgroup");
  }
  return point;
}

/** Return whether the pairings of all these pairs multiply to one; a pair with infinity contributes one. */
export function multiplyToOne(...pairs: ReadonlyArray<readonly [G1Point, G2Point]>): boolean {
  const finite = pairs.filter(([left, right]) => !left.is0() && !right.is0());
  // Not pairingBatch: it would check once more that each point is in its subgroup.
  const product = bn254.millerLoopBatch(
    finite.map(([left, right]) => {
      const { x, y } = left.toAffine();
      return [linesOf(right), x, y];
    }),
  );
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE);
}

/** Return what the Miller loop needs of a point, computed once: those of a key are paired for every proof. */
function linesOf(point: G2Point): Lines {
  const lines = LINES.get(point) ?? bn254.utils.calcPairingPrecomputes(point);
  LINES.set(point, lines);
  return lines;
}

/** Split the bytes of a point into its flag and its coordinates below the field's modulus. */
function coordinates(data: Uint8Array, name: string): readonly [number, bigint, bigint] {
  const top = data[0] ?? 0;
  const flag = top >> 6;
  const numbers = [integer(data.subarray(0, BYTES)) & PLAIN, integer(data.subarray(BYTES))] as const;
  const marked = flag === INFINITY || flag === SMALLER || flag === LARGER;
  if (!marked || (flag === INFINITY && numbers.some((number) => number !== 0n))) {
    throw new MalformedInputError(`${name} is not in canonical form`, "point-not-canonical");
  }
  if (numbers.some((number) => number >= Fp.ORDER)) {
    const message = `${name} has a coordinate that is not below the field's modulus`;
    throw new MalformedInputError(message, "coordinate-too-large");
  }
  return [flag, ...numbers];
}

/** Return a square root modulo p, or undefined: p is 3 modulo 4. */
function root(value: bigint): bigint | undefined {
  const found = Fp.pow(value, (Fp.ORDER + 1n) / 4n);
  return Fp.eql(Fp.sqr(found), value) ? found : undefined;
}

/**
 * Return a square root of `a + b i`, or undefined.
 *
 * With `n^2 = a^2 + b^2`, one of `(a + n) / 2` and `(a - n) / 2` is the square of the root's real part.
 */
function rootOfPair(value: Pair): Pair | undefined {
  const { c0: a, c1: b } = value;
  const norm = root(Fp.add(Fp.sqr(a), Fp.sqr(b)));
  if (norm === undefined) return undefined;
  const half = Fp.inv(2n);
  for (const square of [Fp.mul(Fp.add(a, norm), half), Fp.mul(Fp.sub(a, norm), half)]) {
    const real = root(square);
    if (real) return Fp2.create({ c0: real, c1: Fp.mul(Fp.mul(b, half), Fp.inv(real)) });
  }
  // No real part: b is 0, and the root of a negative number is imaginary.
  const imaginary = root(Fp.neg(a));
  return imaginary === undefined ? undefined : Fp2.create({ c0: 0n, c1: imaginary });
}

/** Return whether y is the larger of y and p - y. */
function isLarger(y: bigint): boolean {
  return 2n * y > Fp.ORDER;
}
