// The verifier's own arithmetic of BN254 beside that of noble-curves. Each function returns both results, as texts;
// integers travel as decimal text.
import { bn254 } from "../../web/verifier/node_modules/@noble/curves/bn254.js";
import { G2, GENERATOR1, GENERATOR2, isOfPrimeOrder } from "../../web/verifier/src/curve.js";
import { Point } from "../../web/verifier/src/points.js";
import { lastPower, linesOf, product } from "../../web/verifier/src/product.js";
import * as tower from "../../web/verifier/src/tower.js";

const { Fp2, Fp12 } = bn254.fields;
type Other2 = typeof Fp2.ONE;
type Other12 = typeof Fp12.ONE;
export type Both = readonly [string, string];

export const two = ([a, b]: tower.Fp2): Other2 => Fp2.create({ c0: a, c1: b });
export const back = ({ c0, c1 }: Other2): tower.Fp2 => [c0, c1];
export const twelve = ([a, b, c, d, e, f]: tower.Fp12): Other12 =>
  Fp12.create({ c0: { c0: two(a), c1: two(c), c2: two(e) }, c1: { c0: two(b), c1: two(d), c2: two(f) } });
export const flat = ({ c0, c1 }: Other12): unknown => [c0.c0, c1.c0, c0.c1, c1.c1, c0.c2, c1.c2].map(back);
export const text = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));

/** Make an element of twelve numbers. */
export const element = (numbers: readonly string[]): tower.Fp12 => {
  const [a, b, c, d, e, f] = [0, 2, 4, 6, 8, 10].map((at): tower.Fp2 => [
    BigInt(numbers[at] ?? 0), BigInt(numbers[at + 1] ?? 0),
  ]) as [tower.Fp2, tower.Fp2, tower.Fp2, tower.Fp2, tower.Fp2, tower.Fp2];
  return [a, b, c, d, e, f];
};

export const curve_fields = (left: readonly string[], right: readonly string[]): readonly Both[] => {
  const [a, b] = [element(left), element(right)];
  const [x, y] = [twelve(a), twelve(b)];
  const line = Fp12.create({ ...Fp12.ZERO, c0: { ...Fp12.ZERO.c0, c0: two([b[0][0], 0n]) } });
  const whole: Other12 = { ...line, c1: { ...line.c1, c0: two(b[1]), c1: two(b[2]) } };
  const pairs: ReadonlyArray<readonly [tower.Fp12, Other12]> = [
    [tower.multiply(a, b), Fp12.mul(x, y)],
    [tower.square(a), Fp12.sqr(x)],
    [tower.invert(a), Fp12.inv(x)],
    [tower.frobenius(a), Fp12.frobeniusMap(x, 1)],
    [tower.mirrored(a), Fp12.conjugate(x)],
    [tower.multiplyByLine(a, b[0][0], b[1], b[2]), Fp12.mul(x, whole)],
    [lastPower(a), Fp12.finalExponentiate(x)],
  ];
  return pairs.map(([own, other]) => [text(own), text(flat(other))]);
};

interface OtherPoint<T> {
  readonly is0: () => boolean;
  readonly toAffine: () => { x: T; y: T };
  readonly add: (other: OtherPoint<T>) => OtherPoint<T>;
  readonly double: () => OtherPoint<T>;
  readonly negate: () => OtherPoint<T>;
  readonly equals: (other: OtherPoint<T>) => boolean;
}

const shown = <T>(point: Point<T>): string => text(point.isInfinity ? null : point.affine);
const shownOther = <T>(point: OtherPoint<T>, plain: (value: T) => unknown): string => {
  if (point.is0()) return "null";
  const { x, y } = point.toAffine();
  return text([plain(x), plain(y)]);
};

/** Sums, doubles and negatives of multiples of the generators; equality of the two. */
export const curve_points = (group: 1 | 2, left: string, right: string): readonly Both[] => {
  const [own, other, plain] = group === 1
    ? [GENERATOR1, bn254.G1.Point.BASE, (value: bigint) => value] as const
    : [GENERATOR2, bn254.G2.Point.BASE, back] as const;
  return pointsOf(
    own as Point<unknown>,
    other as unknown as OtherPoint<unknown> & { multiplyUnsafe: (by: bigint) => OtherPoint<unknown> },
    plain as (value: unknown) => unknown,
    BigInt(left), BigInt(right),
  );
};

const pointsOf = <T>(
  own: Point<T>,
  other: OtherPoint<T> & { multiplyUnsafe: (by: bigint) => OtherPoint<T> },
  plain: (value: T) => unknown,
  left: bigint,
  right: bigint,
): readonly Both[] => {
  const [a, b] = [own.times(left), own.times(right)];
  const order = bn254.fields.Fr.ORDER;
  const [x, y] = [other.multiplyUnsafe(left % order), other.multiplyUnsafe(right % order)];
  return [
    [shown(a), shownOther(x, plain)],
    [shown(a.plus(b)), shownOther(x.add(y), plain)],
    [shown(a.doubled), shownOther(x.double(), plain)],
    [shown(a.negative), shownOther(x.negate(), plain)],
    [text(a.equals(b)), text(x.equals(y))],
    [text(a.plus(b).equals(b.plus(a))), "true"],
  ];
};

/** Whether a multiple of a point of the twist, by its x, is in the subgroup; null where x is of no point. */
export const curve_subgroup = (real: string, imaginary: string, factor: string): Both | null => {
  const x = Fp2.create({ c0: BigInt(real), c1: BigInt(imaginary) });
  let y: Other2;
  try {
    y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.NONRESIDUE)));
  } catch {
    return null;
  }
  const own = new Point(G2, back(x), back(y)).times(BigInt(factor));
  const other = bn254.G2.Point.fromAffine({ x: two(own.affine[0]), y: two(own.affine[1]) });
  return [text(isOfPrimeOrder(own)), text(other.isTorsionFree())];
};

/** Products of pairings of multiples of the generators, none of them 0. */
export const curve_pairings = (factors: ReadonlyArray<readonly [string, string]>): Both => {
  const lines = linesOf(factors.map(([, right]) => GENERATOR2.times(BigInt(right)).affine));
  const own = product(factors.map(([left], at) => [GENERATOR1.times(BigInt(left)).affine, lines[at] ?? []] as const));
  const pairs = factors.map(([left, right]) => ({
    g1: bn254.G1.Point.BASE.multiplyUnsafe(BigInt(left)),
    g2: bn254.G2.Point.BASE.multiplyUnsafe(BigInt(right)),
  }));
  return [text(own), text(flat(bn254.pairingBatch(pairs)))];
};
