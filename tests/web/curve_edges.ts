// What somebody who chooses points and numbers could aim at, in the verifier's own arithmetic of BN254: how points are
// read, and where formulas could have exceptions. Results are texts; integers travel as decimal text.
import { bn254 } from "../../web/verifier/node_modules/@noble/curves/bn254.js";
import {
  alike,
  G1,
  G2,
  GENERATOR1,
  GENERATOR2,
  multiplyToOne,
  readG1,
  readG2,
  rootOfPair,
  uncompressed,
} from "../../web/verifier/src/curve.js";
import { type Curve, Point } from "../../web/verifier/src/points.js";
import { lastPower, product } from "../../web/verifier/src/product.js";
import * as tower from "../../web/verifier/src/tower.js";
import { back, type Both, element, flat, text, twelve, two } from "./curves.js";

const { Fp, Fp2, Fp12 } = bn254.fields;
const bytes = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, "hex"));
const tried = (make: () => unknown): string => {
  try {
    return text(make());
  } catch (error) {
    return (error as { reason?: string }).reason ?? (error as Error).name;
  }
};

/** The point that bytes are read as: its coordinates, null for infinity, or why they are refused. */
export const edge_read = (group: 1 | 2, digits: string): string =>
  tried(() => {
    const point = group === 1 ? readG1(bytes(digits), "P") : readG2(bytes(digits), "P");
    return point.isInfinity ? null : point.affine;
  });

/** Whether a value of Fp2 has a root, and whether the own root's square is the value. */
export const edge_root = (real: string, imaginary: string): Both => {
  const value: tower.Fp2 = [BigInt(real), BigInt(imaginary)];
  const own = rootOfPair(value);
  const is = own === undefined || tower.FP2.equal(tower.FP2.multiply(own, own), value);
  return [text([own !== undefined, is]), text([tried(() => text(back(Fp2.sqrt(two(value))))) !== "Error", true])];
};

/** Sums of multiples of multiples of a generator, doubled once for all; and what infinity is equal to. */
export const edge_sum = (group: 1 | 2, parts: ReadonlyArray<readonly [string, string]>): Both => {
  const order = bn254.fields.Fr.ORDER;
  const total = parts.reduce((sum, [base, factor]) => sum + BigInt(base) * BigInt(factor), 0n) % order;
  const sum = <T>(curve: Curve<T>, generator: Point<T>): string => {
    const made = parts.map(([base, factor]) => [generator.times(BigInt(base)), BigInt(factor)] as const);
    const found = Point.sum(curve, made);
    const infinity = Point.infinity(curve);
    const facts = [found.equals(infinity), infinity.equals(found), alike(found, found.negative)];
    return text([found.isInfinity ? null : found.affine, facts, found.plus(found.negative).isInfinity]);
  };
  const other = (group === 1 ? bn254.G1 : bn254.G2).Point.BASE.multiplyUnsafe(total);
  const { x, y } = other.is0() ? { x: 0n, y: 0n } : other.toAffine();
  const plain = typeof x === "bigint" ? [x, y] : [back(x), back(y as typeof x)];
  const facts = [other.is0(), other.is0(), true];
  const own = group === 1 ? sum(G1, GENERATOR1) : sum(G2, GENERATOR2);
  return [own, text([other.is0() ? null : plain, facts, true])];
};

/** Whether pairings of these multiples of the generators multiply to one; each pair twice shares its points. */
export const edge_product = (pairs: ReadonlyArray<readonly [string, string]>): boolean => {
  const lefts = new Map(pairs.map(([left]) => [left, GENERATOR1.times(BigInt(left))]));
  const rights = new Map(pairs.map(([, right]) => [right, GENERATOR2.times(BigInt(right))]));
  const of = <T>(points: ReadonlyMap<string, T>, name: string): T => points.get(name) as T;
  const made = pairs.map(([left, right]) => [of(lefts, left), of(rights, right)] as const);
  const found = multiplyToOne(...made);
  if (found !== multiplyToOne(...[...made].reverse())) throw new Error("the order of the pairs matters");
  return found;
};

/** The group law outside the subgroup of prime order: sums of two multiples of a point of the twist, by its x. */
export const edge_twist = (real: string, imaginary: string, left: string, right: string): readonly Both[] => {
  const x = two([BigInt(real), BigInt(imaginary)]);
  const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.div(two([3n, 0n]), Fp2.NONRESIDUE)));
  const base = new Point(G2, back(x), back(y));
  const [a, b] = [base.times(BigInt(left)), base.times(BigInt(right))];
  const theirs = (one: Point<tower.Fp2>): InstanceType<typeof bn254.G2.Point> =>
    one.isInfinity ? bn254.G2.Point.ZERO : bn254.G2.Point.fromAffine({ x: two(one.affine[0]), y: two(one.affine[1]) });
  const own = (one: Point<tower.Fp2>): string => text(one.isInfinity ? null : one.affine);
  const other = (one: InstanceType<typeof bn254.G2.Point>): string =>
    one.is0() ? "null" : text([back(one.toAffine().x), back(one.toAffine().y)]);
  const [c, d] = [theirs(a), theirs(b)];
  return [
    [own(a.plus(b)), other(c.add(d))],
    [own(a.doubled), other(c.double())],
    [own(a.plus(a)), other(c.double())],
    [own(a.plus(b.negative)), other(c.subtract(d))],
    [text(a.equals(b)), text(c.equals(d))],
  ];
};

/** Last powers of an element and of its parts in subfields, and what of 0 is refused. */
export const edge_tower = (numbers: readonly string[]): readonly Both[] => {
  const whole = element(numbers);
  const zero: tower.Fp2 = [0n, 0n];
  const six: tower.Fp12 = [whole[0], zero, whole[2], zero, whole[4], zero];
  const parts: readonly tower.Fp12[] = [six, [whole[0], zero, zero, zero, zero, zero], tower.ONE];
  const { FP, FP2, ONE, invert, isOne } = tower;
  const none: tower.Fp12 = [zero, zero, zero, zero, zero, zero];
  return [
    ...parts.map((part): Both => [text(lastPower(part)), text(flat(Fp12.finalExponentiate(twelve(part))))]),
    ...parts.map((part): Both => [text(isOne(lastPower(part))), "true"]),
    ...[() => FP.invert(0n), () => FP2.invert(zero), () => invert(none), () => lastPower(none)].map(
      (make): Both => [tried(make), "RangeError"],
    ),
    [text([isOne(none), isOne(ONE), isOne(whole), isOne([whole[0], ...ONE.slice(1)] as never)]), "[false,true,false,false]"],
    [text([[1n, 2n], [1n, 3n], [3n, 2n]].map((other) => FP2.equal([1n, 2n], other as never))), "[true,false,false]"],
    [text(tower.power({ one: ONE, multiply: tower.multiply }, whole, 0n)), text(ONE)],
    [text(tower.multiply(whole, invert(whole))), text(ONE)],
  ];
};

/** What the tables and constants are. */
export const edge_constants = (): readonly Both[] => {
  const { Point: One } = bn254.G1;
  const { Point: Two } = bn254.G2;
  const b2 = Fp2.div(two([3n, 0n]), Fp2.NONRESIDUE);
  return [
    [text(tower.MODULUS), text(Fp.ORDER)],
    [text(GENERATOR1.affine), text([One.BASE.toAffine().x, One.BASE.toAffine().y])],
    [text(GENERATOR2.affine), text([back(Two.BASE.toAffine().x), back(Two.BASE.toAffine().y)])],
    [text(G1.triple), "\"9\""],
    [text(G2.triple), text(back(Fp2.add(Fp2.add(b2, b2), b2)))],
    ...tower.TWISTS.map((twist, k): Both => [
      text(twist), text(back(Fp2.pow(Fp2.NONRESIDUE, (BigInt(k) * (Fp.ORDER - 1n)) / 6n))),
    ]),
    [Buffer.from(uncompressed(Point.infinity(G1))).toString("hex"), "00".repeat(64)],
  ];
};

/** What a product of pairings without lines is. */
export const edge_no_lines = (): string => tried(() => product([[GENERATOR1.affine, []]]));
