/**
 * A number in one column by its binary logarithm: equal factors are equal distances.
 *
 * Numbers are counted from an offset: x is the value plus the offset, and its level is log2 x in steps of 2^-40, rounded
 * down. That is exact by definition, so that all programs agree to the bit; everything else is defined by levels.
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
  lesser,
  powerOfTen,
  ZERO,
} from "../numbers.js";
import { sentence } from "../sentence.js";
import {
  type EncodedFeature,
  type Ends,
  type Grid,
  type Moved,
  NONE,
  onGrid,
  type RawValue,
  refused,
  type ShownEnds,
} from "./interface.js";
import { Numbers } from "./numbers.js";

const [ONE, TWO] = [new Fraction(1n), new Fraction(2n)];
/** Steps of a level that make a unit. */
const UNIT = 40n;
/** What has a level, both ends included. */
const [LEAST, MOST] = [new Fraction(1n, 1n << 64n), new Fraction(1n << 64n)];
/** Bits behind the point with which a level is first computed. */
const PRECISION = 128n;
/** How many digits of ends that the width holds are shown. */
const DIGITS = 6;
/** Ten to the power of this is below all that has a level. */
const SMALLEST_PLACE = -20n;

export class Log extends Numbers {
  check(grid: Grid, feature: EncodedFeature): void {
    const name = `feature '${feature.name}'`;
    const { offset } = feature;
    if (offset === undefined) {
      throw new SpecError(sentence("spec.offset_missing", { feature: name, encoding: feature.encoding }));
    }
    for (const [field, values] of [["range", feature.range ?? []], ["domain", feature.domain]] as const) {
      const value = values.find((one) => !hasLevel(exact(one).plus(offsetOf(feature))));
      if (value === undefined) continue;
      throw new SpecError(sentence("spec.offset_unfit", { feature: name, offset, field, value }));
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
      throw refused(feature, sentence("value.no_logarithm", { value, offset: feature.offset ?? "" }));
    }
    return [this.level(feature, number)];
  }

  moved(feature: EncodedFeature, radius: Fraction): string {
    const factor = factorOf(radius.times(exact(feature.scale)));
    if (factor === undefined) return NONE;
    const start = ZERO.minus(offsetOf(feature));
    if (start.compare(ZERO) === 0) return sentence("reading.factor", { factor: `${decimalOf(factor)}` });
    const unit = afterNumber(feature.unit);
    return sentence("reading.factor_from", { factor: `${decimalOf(factor)}`, start: `${decimalOf(start)}`, unit });
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

  /** Searched for: the level is never inverted. */
  protected span(feature: EncodedFeature, own: Fraction, distance: Fraction): Ends {
    if (distance.compare(ZERO) === 0) return [own, own];
    const offset = offsetOf(feature);
    const counted = own.plus(offset);
    // Both real distances are longer than half of what a distance of at most 1 makes of the number.
    const step = feature.whole ? ONE : powerOfTen(exponent(counted.times(lesser(distance, ONE)).over(TWO)) - 2);
    const levels = distance.times(new Fraction(1n << UNIT)).ceil() - 1n;
    const middle = levelOf(counted);
    const above = last(own.over(step).floor(), (multiple) => {
      const x = new Fraction(multiple).times(step).plus(offset);
      return x.compare(counted) <= 0 || (x.compare(MOST) <= 0 && levelOf(x) <= middle + levels);
    });
    const below = -last(-own.over(step).ceil(), (multiple) => {
      const x = new Fraction(-multiple).times(step).plus(offset);
      return x.compare(counted) >= 0 || (x.compare(LEAST) >= 0 && levelOf(x) >= middle - levels);
    });
    return [new Fraction(below).times(step), new Fraction(above).times(step)];
  }

  /** To six digits, before the offset is taken off again. */
  protected held(grid: Grid, feature: EncodedFeature): ShownEnds {
    const limit = 1n << BigInt(grid.input_bits - 1);
    const columnOf = (x: Fraction): bigint => onGrid(grid, feature, new Fraction(levelOf(x), 1n << UNIT));
    const below = (x: Fraction): boolean =>
      x.compare(LEAST) < 0 || (x.compare(MOST) <= 0 && columnOf(x) < -limit);
    const upTo = (x: Fraction): boolean =>
      x.compare(LEAST) < 0 || (x.compare(MOST) <= 0 && columnOf(x) < limit);
    const offset = offsetOf(feature);
    const [low, high] = [beyond(below, 1n), beyond(upTo, 0n)];
    return [decimalOf(low.minus(offset)), decimalOf(high.minus(offset))];
  }
}

/** Return the last number of a few digits that fits, or the one behind it, where all fit below one that does not. */
function beyond(fits: (x: Fraction) => boolean, behind: bigint): Fraction {
  const place = Number(last(SMALLEST_PLACE, (power) => fits(powerOfTen(Number(power))))) - DIGITS + 1;
  const unit = powerOfTen(place);
  const first = 10n ** BigInt(DIGITS - 1);
  return new Fraction(last(first, (multiple) => fits(new Fraction(multiple).times(unit))) + behind).times(unit);
}

/**
 * Return the greatest factor of a few digits by which every number may be multiplied or divided, so that its level
 * changes by less than a distance; undefined for none.
 */
function factorOf(distance: Fraction): Fraction | undefined {
  // Each of the two levels is rounded down: by less than a step.
  const levels = distance.times(new Fraction(1n << UNIT)).floor() - 2n;
  if (levels < 0n) return undefined;
  const step = powerOfTen(exponent(lesser(distance, ONE).over(TWO)) - 2);
  const one = ONE.over(step).floor();
  const most = last(one, (multiple) => {
    const x = new Fraction(multiple).times(step);
    return x.compare(MOST) <= 0 && levelOf(x) <= levels;
  });
  return most > one ? new Fraction(most).times(step) : undefined;
}

/** Return the last of the integers from one on that fits, where the first fits and none does behind one that does not. */
function last(first: bigint, fits: (integer: bigint) => boolean): bigint {
  let [inside, width] = [first, 1n];
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

/** Return log2 of a number above 0 in steps of 2^-40, rounded down. */
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
