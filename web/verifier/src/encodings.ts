/**
 * The feature encodings: how a raw value becomes columns, and what a distance between columns means in words. Twin of
 * circuits/encodings.py.
 *
 * Each encoding is one class and one line of ENCODINGS. All share one scaling: a raw column number v becomes
 * floor((v - mean) / scale * 2^f_x + 1/2), computed exactly.
 */

import { SpecError } from "./errors.js";
import { afterNumber, quoted } from "./names.js";
import {
  Decimal,
  exact,
  exponent,
  floorDivide,
  Fraction,
  powerOfTen,
  readNumber,
  roundedDown,
  ZERO,
} from "./numbers.js";
import { sentence, written } from "./sentence.js";

export type RawValue = string | number;
export type FeatureKind = "numeric" | "categorical";
export type EncodingName = keyof typeof ENCODINGS;

/** What an encoding reads of a feature. */
export interface EncodedFeature {
  readonly name: string;
  readonly mean: string;
  readonly scale: string;
  readonly unit: string;
  readonly domain: readonly string[];
  readonly range: readonly [string, string] | null;
}

/** What an encoding reads of a spec. */
export interface Grid {
  readonly input_fraction_bits: number;
  readonly input_bits: number;
  readonly use_ranges: boolean;
}

type Numbers = readonly [Fraction, Fraction];

/** How features of one encoding become columns, and how columns and distances are read back as words. */
export interface Encoding {
  /** The kind of raw values that this encoding is for. */
  readonly kind: FeatureKind;
  /** Return the number of columns. */
  width(feature: EncodedFeature): number;
  /** Return the raw number of each column, before scaling; throws SpecError for a value that the feature refuses. */
  rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[];
  /** Return the least and greatest raw number of each column; null where only the width bounds it. */
  ends(feature: EncodedFeature): ReadonlyArray<Numbers | null>;
  /** Return in words how far the feature alone may move within a radius, never further than the radius allows. */
  moved(feature: EncodedFeature, radius: Fraction): string;
  /** Return in words a value and the values among which the feature alone may move within a radius. */
  interval(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string;
  /** Return in words the values that neighbors are restricted to where a spec uses ranges. */
  keptTo(grid: Grid, feature: EncodedFeature): string;
}

const ANY = "any value";
const NONE = written("value.this_only");

/** A number in one column. */
class Scaled implements Encoding {
  readonly kind = "numeric";

  width(): number {
    return 1;
  }

  rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[] {
    const number = readNumber(value);
    if (number === undefined) throw refused(feature, sentence("value.not_a_number", { value: shown(value) }));
    const [low, high] = feature.range ?? [];
    if (low !== undefined && high !== undefined && !within(number, exact(low), exact(high))) {
      throw refused(feature, sentence("value.outside_range", { value, low, high }));
    }
    if (feature.domain.length && !listed(feature.domain).has(keyOf(number))) throw unlisted(feature, value);
    return [number];
  }

  ends(feature: EncodedFeature): ReadonlyArray<Numbers | null> {
    if (feature.range !== null) return [[exact(feature.range[0]), exact(feature.range[1])]];
    const [first, ...others] = feature.domain.map(exact);
    if (first === undefined) return [null];
    return [[others.reduce(lesser, first), others.reduce(greater, first)]];
  }

  moved(feature: EncodedFeature, radius: Fraction): string {
    return `+- ${roundedDown(radius.times(exact(feature.scale)))}${afterNumber(feature.unit)}`;
  }

  interval(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string {
    const own = Decimal.of(String(value));
    const moved = roundedDown(radius.times(exact(feature.scale)));
    let [low, high] = [own.minus(moved), own.plus(moved)];
    if (feature.range !== null || grid.use_ranges) {
      // Ends of the width are rounded inward; the value itself was proven all the same.
      const [least, most] = shownEnds(grid, feature);
      [low, high] = [greater(low, lesser(own, least)), lesser(high, greater(own, most))];
    }
    return `${own}: ${low} to ${high}${afterNumber(feature.unit)}`;
  }

  keptTo(grid: Grid, feature: EncodedFeature): string {
    const [low, high] = shownEnds(grid, feature);
    return `${low} to ${high}${afterNumber(feature.unit)}`;
  }
}

/** A value out of a list. */
abstract class Category implements Encoding {
  readonly kind = "categorical";

  abstract width(feature: EncodedFeature): number;
  abstract rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[];
  abstract ends(feature: EncodedFeature): ReadonlyArray<Numbers | null>;
  abstract moved(feature: EncodedFeature, radius: Fraction): string;
  /** Return the places of the first and the last value that the feature alone may take within a radius. */
  abstract reached(feature: EncodedFeature, radius: Fraction, value: RawValue): readonly [number, number];

  interval(_grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string {
    return `${quoted(String(value))}: ${this.moved(feature, radius)}`;
  }

  keptTo(_grid: Grid, feature: EncodedFeature): string {
    return written("reading.any_of_values", { count: feature.domain.length });
  }
}

/** A category whose values have an order: its index in the domain, in one column. */
class Rank extends Category {
  width(): number {
    return 1;
  }

  rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[] {
    return [new Fraction(BigInt(placeOf(feature, value)))];
  }

  ends(feature: EncodedFeature): ReadonlyArray<Numbers | null> {
    return [[ZERO, new Fraction(BigInt(feature.domain.length - 1))]];
  }

  moved(feature: EncodedFeature, radius: Fraction): string {
    const steps = this.#steps(feature, radius);
    if (steps >= feature.domain.length - 1) return ANY;
    return steps ? `+- ${steps} of ${feature.domain.length} ranks` : NONE;
  }

  override interval(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string {
    const steps = this.#steps(feature, radius);
    if (steps === 0 || steps >= feature.domain.length - 1) return super.interval(grid, feature, radius, value);
    const ends = this.reached(feature, radius, value);
    return `${quoted(String(value))}: ${ends.map((end) => quoted(feature.domain[end] ?? "")).join(" to ")}`;
  }

  reached(feature: EncodedFeature, radius: Fraction, value: RawValue): readonly [number, number] {
    const [steps, place] = [this.#steps(feature, radius), placeOf(feature, value)];
    return [Math.max(0, place - steps), Math.min(feature.domain.length - 1, place + steps)];
  }

  /** Return how many ranks are closer than a radius: a whole radius itself is already too far. */
  #steps(feature: EncodedFeature, radius: Fraction): number {
    const closer = radius.times(exact(feature.scale)).ceil() - 1n;
    const most = BigInt(feature.domain.length);
    return Number(closer < 0n ? 0n : closer < most ? closer : most);
  }
}

/** A category without an order: one 0/1 column per value of the domain. */
class OneHot extends Category {
  width(feature: EncodedFeature): number {
    return feature.domain.length;
  }

  rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[] {
    const own = placeOf(feature, value);
    return feature.domain.map((_, place) => new Fraction(place === own ? 1n : 0n));
  }

  ends(feature: EncodedFeature): ReadonlyArray<Numbers | null> {
    return feature.domain.map(() => [ZERO, new Fraction(1n)]);
  }

  /** Two indicators change at once, each by one. */
  moved(feature: EncodedFeature, radius: Fraction): string {
    const moved = radius.times(exact(feature.scale));
    return moved.times(moved).compare(new Fraction(2n)) > 0 ? ANY : NONE;
  }

  reached(feature: EncodedFeature, radius: Fraction, value: RawValue): readonly [number, number] {
    const place = placeOf(feature, value);
    return this.moved(feature, radius) === ANY ? [0, feature.domain.length - 1] : [place, place];
  }
}

/** Name in a spec -> encoding. */
export const ENCODINGS = { scaled: new Scaled(), rank: new Rank(), "one-hot": new OneHot() } as const;

/** Return the integer of a raw column number: (number - mean) / scale as a multiple of 2^-f_x, rounded half up. */
export function onGrid(grid: Grid, feature: EncodedFeature, number: Fraction): bigint {
  const { numerator, denominator } = number.minus(exact(feature.mean)).over(exact(feature.scale));
  return floorDivide(((2n * numerator) << BigInt(grid.input_fraction_bits)) + denominator, 2n * denominator);
}

/**
 * Return the ends of a number's range, or without one the ends that the width holds, which are then the box's. The
 * latter are rounded inward, to six digits of the way between them.
 */
export function shownEnds(grid: Grid, feature: EncodedFeature): readonly [Decimal, Decimal] {
  if (feature.range !== null) return [Decimal.of(feature.range[0]), Decimal.of(feature.range[1])];
  const mean = exact(feature.mean);
  const step = exact(feature.scale).over(new Fraction(1n << BigInt(grid.input_fraction_bits)));
  const limit = 1n << BigInt(grid.input_bits - 1);
  const low = mean.minus(step.times(new Fraction(limit)));
  const high = mean.plus(step.times(new Fraction(limit - 1n)));
  const place = exponent(high.minus(low)) - 5;
  const unit = powerOfTen(place);
  const inward = [low.over(unit).ceil(), high.over(unit).floor()] as const;
  return [new Decimal(inward[0], place).normalized(), new Decimal(inward[1], place).normalized()];
}

/** The numbers of domains; every value of the table is looked up in them. */
const LISTED = new WeakMap<readonly string[], ReadonlySet<string>>();

function listed(domain: readonly string[]): ReadonlySet<string> {
  const found = LISTED.get(domain) ?? new Set(domain.map((value) => keyOf(exact(value))));
  LISTED.set(domain, found);
  return found;
}

function keyOf(number: Fraction): string {
  return `${number.numerator}/${number.denominator}`;
}

function placeOf(feature: EncodedFeature, value: RawValue): number {
  // A number is no value of a category, even where it prints like one.
  const place = typeof value === "string" ? feature.domain.indexOf(value) : -1;
  if (place < 0) throw unlisted(feature, value);
  return place;
}

function refused(feature: EncodedFeature, message: string): SpecError {
  return new SpecError(`feature '${feature.name}': ${message}`);
}

function unlisted(feature: EncodedFeature, value: RawValue): SpecError {
  const values = feature.domain.slice(0, 12).map(quoted).join(", ");
  return refused(feature, sentence("value.not_one_of", { value: shown(value), known: values }));
}

function shown(value: RawValue): string {
  return `'${String(value).slice(0, 40)}'`;
}

function within(number: Fraction, low: Fraction, high: Fraction): boolean {
  return low.compare(number) <= 0 && number.compare(high) <= 0;
}

/** Return the lesser of two numbers, the first if they are equal. */
function lesser<T extends Fraction | Decimal>(left: T, right: T): T {
  return valueOf(right).compare(valueOf(left)) < 0 ? right : left;
}

/** Return the greater of two numbers, the first if they are equal. */
function greater<T extends Fraction | Decimal>(left: T, right: T): T {
  return valueOf(right).compare(valueOf(left)) > 0 ? right : left;
}

function valueOf(number: Fraction | Decimal): Fraction {
  return number instanceof Decimal ? number.fraction : number;
}
