/**
 * Points of y^2 = x^3 + b over a field, in projective coordinates: (x : y : z) is (x / z, y / z), and (0 : 1 : 0) is
 * infinity.
 *
 * The formulas have no exceptions on curves of odd order, such as both curves of BN254
 * (https://eprint.iacr.org/2015/1060, section 3.3), so that no point that somebody chose can lead them astray.
 */

import type { Field } from "./tower.js";

/** A curve: the field of its coordinates, and 3 b. */
export interface Curve<T> {
  readonly field: Field<T>;
  readonly triple: T;
}

/** A point; the constructor checks nothing. */
export class Point<T> {
  readonly #curve: Curve<T>;
  readonly #x: T;
  readonly #y: T;
  readonly #z: T;

  constructor(curve: Curve<T>, x: T, y: T, z: T = curve.field.one) {
    this.#curve = curve;
    this.#x = x;
    this.#y = y;
    this.#z = z;
  }

  /** Return the point at infinity. */
  static infinity<T>(curve: Curve<T>): Point<T> {
    return new Point(curve, curve.field.zero, curve.field.one, curve.field.zero);
  }

  /** Return the sum of multiples, doubling once for all of them; no factor is negative. */
  static sum<T>(curve: Curve<T>, parts: ReadonlyArray<readonly [Point<T>, bigint]>): Point<T> {
    const factors = parts.map(([, factor]) => factor.toString(2));
    const length = Math.max(...factors.map((bits) => bits.length));
    const digits = factors.map((bits) => bits.padStart(length, "0"));
    let found = Point.infinity(curve);
    for (let at = 0; at < length; at += 1) {
      found = found.doubled;
      parts.forEach(([point], place) => {
        if (digits[place]?.[at] === "1") found = found.plus(point);
      });
    }
    return found;
  }

  get isInfinity(): boolean {
    const { field } = this.#curve;
    return field.equal(this.#z, field.zero);
  }

  /** x and y; throws RangeError for infinity. */
  get affine(): readonly [T, T] {
    const { field } = this.#curve;
    const inverse = field.invert(this.#z);
    return [field.multiply(this.#x, inverse), field.multiply(this.#y, inverse)];
  }

  get negative(): Point<T> {
    const { field } = this.#curve;
    return new Point(this.#curve, this.#x, field.subtract(field.zero, this.#y), this.#z);
  }

  equals(other: Point<T>): boolean {
    const { multiply, equal } = this.#curve.field;
    return (
      equal(multiply(this.#x, other.#z), multiply(other.#x, this.#z)) &&
      equal(multiply(this.#y, other.#z), multiply(other.#y, this.#z))
    );
  }

  plus(other: Point<T>): Point<T> {
    const { field: { add, subtract, multiply }, triple } = this.#curve;
    const cross = (a: T, b: T, c: T, d: T): T => add(multiply(a, d), multiply(b, c));
    const [xx, yy] = [multiply(this.#x, other.#x), multiply(this.#y, other.#y)];
    const zz = multiply(triple, multiply(this.#z, other.#z));
    const xy = cross(this.#x, this.#y, other.#x, other.#y);
    const yz = cross(this.#y, this.#z, other.#y, other.#z);
    const xz = multiply(triple, cross(this.#x, this.#z, other.#x, other.#z));
    const [more, less, tripled] = [add(yy, zz), subtract(yy, zz), add(add(xx, xx), xx)];
    return new Point(
      this.#curve,
      subtract(multiply(xy, less), multiply(yz, xz)),
      add(multiply(more, less), multiply(tripled, xz)),
      add(multiply(yz, more), multiply(tripled, xy)),
    );
  }

  get doubled(): Point<T> {
    const { field: { add, subtract, multiply }, triple } = this.#curve;
    const twice = (value: T): T => add(value, value);
    const yy = multiply(this.#y, this.#y);
    const zz = multiply(triple, multiply(this.#z, this.#z));
    const less = subtract(yy, add(twice(zz), zz));
    const eight = twice(twice(twice(yy)));
    return new Point(
      this.#curve,
      twice(multiply(multiply(this.#x, this.#y), less)),
      add(multiply(less, add(yy, zz)), multiply(eight, zz)),
      multiply(eight, multiply(this.#y, this.#z)),
    );
  }

  /** Return a multiple; the factor is not negative. */
  times(factor: bigint): Point<T> {
    return Point.sum(this.#curve, [[this, factor]]);
  }
}
