/**
 * A number in one column by its binary logarithm: equal factors are equal distances.
 *
 * A value with its offset added is x, and its level is log2 x in steps of 2^-40, rounded down. That is the encoding and
 * no approximation of it, so that all programs agree to the bit; everything else is defined by levels.
 */

import { SpecError } from "../errors.js";
import { afterNumber } from "../names.js";
import {
  bitLength,
  Decimal,
  decimalText,
  exact,
  exponent,
  Fraction,
  integerRoot,
  lesser,
  powerOfTen,
  ZERO,
} from "../numbers.js";
import { sentence, written } from "../sentence.js";
import {
  beginning,
  type EncodedFeature,
  type Ends,
  type Grid,
  type Moved,
  named,
  NONE,
  type RawValue,
  refused,
  refuseStart,
  type ShownEnds,
} from "./interface.js";
import { DIGITS, Numbers } from "./numbers.js";

const ONE = new Fraction(1n);
/** Steps of a level that make a unit. */
const UNIT = 40n;
/** What has a level, both ends included. */
const [LEAST, MOST] = [new Fraction(1n, 1n << 64n), new Fraction(1n << 64n)];
/** Bits behind the point with which a level is first computed. */
const PRECISION = 128n;
/** Bits behind the point of where a search begins, and roots of 2 for it: none until the first search. */
const [DEEP, ROOTS]: [bigint, bigint[]] = [192n, []];
/** How many digits are shown of ends that the width holds. */
const SHOWN_DIGITS = 6;

export class Log extends Numbers {
  check(grid: Grid, feature: EncodedFeature): void {
    refuseStart(feature);
    const name = named(feature);
    const { offset } = feature;
    if (offset === undefined) {
      throw new SpecError(sentence("spec.offset_missing", { feature: name, encoding: feature.encoding }));
    }
    for (const [field, values] of [["range", feature.range ?? []], ["domain", feature.domain]] as const) {
      const value = values.find((one) => !hasLevel(exact(one).plus(offsetOf(feature))));
      if (value === undefined) continue;
      throw new SpecError(sentence("spec.offset_unfit", {
        feature: name, offset: beginning(offset), field, value: beginning(value),
      }));
    }
    if (feature.range !== null || feature.domain.length) return;
    const [low, high] = this.held(grid, feature);
    if (low.fraction.compare(high.fraction) > 0) {
      throw new SpecError(sentence("spec.logarithm_unheld", { feature: name, bits: grid.input_bits }));
    }
  }

  override rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[] {
    const number = this.read(feature, value);
    if (!hasLevel(number.plus(offsetOf(feature)))) {
      throw refused(feature, sentence("value.no_logarithm", {
        value: beginning(value), offset: beginning(feature.offset ?? ""),
      }));
    }
    return [this.level(feature, number)];
  }

  moved(feature: EncodedFeature, radius: Fraction): string {
    const { factor, start } = this.movedAlone(feature, radius)?.numbers ?? {};
    if (factor === undefined) return NONE;
    const by = `${decimalOf(factor)}`;
    if (start === undefined) return written("reading.factor", { factor: by });
    const unit = afterNumber(feature.unit);
    return written("reading.factor_from", { factor: by, start: `${decimalOf(start)}`, unit });
  }

  movedAlone(feature: EncodedFeature, radius: Fraction): Moved | undefined {
    const factor = factorOf(radius.times(exact(feature.scale)));
    if (factor === undefined) return undefined;
    const start = ZERO.minus(offsetOf(feature));
    if (start.compare(ZERO) === 0) return { name: "factor", numbers: { factor } };
    return { name: "factor_from", numbers: { factor, start } };
  }

  interval(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string {
    const { low, high } = this.reach(grid, feature, radius, value);
    const own = Decimal.of(String(value));
    if (low.compare(high) === 0) return `${own}: ${NONE}`;
    return `${own}: ${decimalOf(low)} to ${decimalOf(high)}${afterNumber(feature.unit)}`;
  }

  protected level(feature: EncodedFeature, number: Fraction): Fraction {
    return new Fraction(levelOf(number.plus(offsetOf(feature))), 1n << UNIT);
  }

  protected span(feature: EncodedFeature, own: Fraction, distance: Fraction): Ends {
    if (distance.compare(ZERO) === 0) return [own, own];
    const offset = offsetOf(feature);
    const x = own.plus(offset);
    const step = feature.whole ? ONE : lastDigit(x, distance);
    const [level, away] = [levelOf(x), inSteps(distance).ceil()];
    const first = least(offset, step, level - away + 1n);
    const behind = least(offset, step, level + away);
    return [new Fraction(first).times(step), new Fraction(behind - 1n).times(step)];
  }

  /** To six digits, before the offset is taken off again. */
  protected held(grid: Grid, feature: EncodedFeature): ShownEnds {
    const limit = 1n << BigInt(grid.input_bits - 1);
    const [unheld, unit] = lastBefore(firstLevel(grid, feature, -limit));
    const [held, heldUnit] = lastBefore(firstLevel(grid, feature, limit));
    const offset = offsetOf(feature);
    const [low, high] = [new Fraction(unheld + 1n).times(unit), new Fraction(held).times(heldUnit)];
    return [decimalOf(low.minus(offset)), decimalOf(high.minus(offset))];
  }
}

/** Return the least level whose column is a given one, or behind it. */
function firstLevel(grid: Grid, feature: EncodedFeature, column: bigint): bigint {
  const place = new Fraction(2n * column - 1n, 2n << BigInt(grid.input_fraction_bits));
  return inSteps(place.times(exact(feature.scale)).plus(exact(feature.mean))).ceil();
}

/** Return the least n for which n times a step, with the offset, has this level or more, or is too large for any. */
function least(offset: Fraction, step: Fraction, level: bigint): bigint {
  const start = near(level).minus(offset).over(step).floor();
  return last(start, (multiple) => before(new Fraction(multiple).times(step).plus(offset), level)) + 1n;
}

/** Return the last number of six digits before those that have a level: how many of a unit, and the unit. */
function lastBefore(level: bigint): readonly [bigint, Fraction] {
  const place = last(BigInt(exponent(near(level))), (power) => before(powerOfTen(Number(power)), level));
  const unit = powerOfTen(Number(place) - SHOWN_DIGITS + 1);
  return [least(ZERO, unit, level) - 1n, unit];
}

/**
 * Return the greatest factor of a few digits by which every number may be multiplied or divided, so that its level
 * changes by less than a distance; undefined for none.
 */
function factorOf(distance: Fraction): Fraction | undefined {
  // Levels of the number and of the factor are both rounded down, each by less than a step.
  const levels = inSteps(distance).floor() - 2n;
  if (levels < 0n) return undefined;
  const step = lastDigit(ONE, distance);
  const factor = new Fraction(least(ZERO, step, levels + 1n) - 1n).times(step);
  return factor.compare(ONE) > 0 ? factor : undefined;
}

/**
 * Return what the last digit counts that is kept of how far a number may move. Whatever the direction, what is this
 * near is closer than the distance: a half for a factor of two, and less for a smaller one.
 */
function lastDigit(x: Fraction, distance: Fraction): Fraction {
  return powerOfTen(exponent(x.times(lesser(distance, ONE)).over(new Fraction(2n))) - DIGITS + 1);
}

/** Return a distance in steps of levels. */
function inSteps(distance: Fraction): Fraction {
  return distance.times(new Fraction(1n << UNIT));
}

/** Return whether x lies before all that have this level or more: so does what is too small for any level. */
function before(x: Fraction, level: bigint): boolean {
  return x.compare(LEAST) < 0 || (x.compare(MOST) <= 0 && levelOf(x) < level);
}

/** Return nearly the number that has a level, or an end of those that have one: where a search begins, and no more. */
function near(level: bigint): Fraction {
  const end = 64n << UNIT;
  const kept = level < -end ? -end : level > end ? end : level;
  let power = 1n << DEEP;
  for (const [at, root] of roots().entries()) {
    if ((kept >> BigInt(at)) & 1n) power = (power * root) >> DEEP;
  }
  return new Fraction(power << ((kept >> UNIT) + 64n), 1n << (DEEP + 64n));
}

/** Return 2 to the power of each step that is one bit of a level, the smallest first, in units of 2^-DEEP. */
function roots(): readonly bigint[] {
  while (ROOTS.length < UNIT) ROOTS.unshift(integerRoot((ROOTS[0] ?? 2n << DEEP) << DEEP));
  return ROOTS;
}

/** Return the last integer that fits, where one does, with all before it, and none does behind one that does not. */
function last(start: bigint, fits: (integer: bigint) => boolean): bigint {
  let inside = start;
  for (let width = 1n; !fits(inside); width *= 2n) inside -= width;
  let width = 1n;
  for (; fits(inside + width); width *= 2n) inside += width;
  while (width > 1n) {
    width /= 2n;
    if (fits(inside + width)) inside += width;
  }
  return inside;
}

function hasLevel(x: Fraction): boolean {
  return LEAST.compare(x) <= 0 && x.compare(MOST) <= 0;
}

/** Return log2 of a number above 0 in steps of 2^-40, rounded down: whole steps, and those behind the point. */
export function levelOf({ numerator, denominator }: Fraction): bigint {
  let whole = BigInt(bitLength(numerator) - bitLength(denominator));
  const [above, below] = whole < 0n ? [numerator << -whole, denominator] : [numerator, denominator << whole];
  const less = above < below ? 1n : 0n;
  whole -= less;
  return (whole << UNIT) + (above << less === below ? 0n : behindThePoint(above << less, below));
}

/** Return log2 of a quotient between 1 and 2, which is neither, in steps of 2^-40, rounded down. */
function behindThePoint(above: bigint, below: bigint): bigint {
  // It is irrational, so that some precision tells each bit.
  for (let precision = PRECISION; ; precision *= 2n) {
    const bits = bitsOf(above, below, precision);
    if (bits !== undefined) return bits;
  }
}

/** Return the same, or undefined where the precision does not tell a bit: squares of an interval are squared again. */
function bitsOf(above: bigint, below: bigint, precision: bigint): bigint | undefined {
  const two = 2n << precision;
  let least = (above << precision) / below;
  let most = least + 1n;
  let bits = 0n;
  for (let bit = 0n; bit < UNIT; bit++) {
    least = (least * least) >> precision;
    most = ((most * most) >> precision) + 1n;
    bits <<= 1n;
    if (least >= two) {
      [least, most, bits] = [least >> 1n, (most >> 1n) + 1n, bits + 1n];
    } else if (most >= two) {
      return undefined;
    }
  }
  return bits;
}

/** Return what is added to a value. */
function offsetOf({ offset = "0" }: EncodedFeature): Fraction {
  return exact(offset);
}

function decimalOf(number: Fraction): Decimal {
  return Decimal.of(decimalText(number));
}
