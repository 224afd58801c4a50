/** What every feature encoding is, and what all of them share. Twin of the interface in circuits/encodings. */

import { SpecError } from "../errors.js";
import { listed } from "../names.js";
import { type Decimal, exact, floorDivide, type Fraction } from "../numbers.js";
import { sentence, written } from "../sentence.js";
import { shortened } from "../text.js";

export type RawValue = string | number;
export type FeatureKind = "numeric" | "categorical";

/** What an encoding reads of a feature. */
export interface EncodedFeature {
  readonly name: string;
  readonly encoding: string;
  readonly mean: string;
  readonly scale: string;
  readonly unit: string;
  readonly domain: readonly string[];
  readonly range: readonly [string, string] | null;
  readonly whole?: boolean | undefined;
  readonly offset?: string | undefined;
  readonly start?: string | undefined;
  readonly missing?: { readonly en?: string | undefined; readonly de?: string | undefined } | undefined;
}

/** What an encoding reads of a spec. */
export interface Grid {
  readonly input_fraction_bits: number;
  readonly input_bits: number;
  readonly use_ranges: boolean;
}

/** The first and the last of some numbers. */
export type Ends = readonly [Fraction, Fraction];
/** Two ends as they are shown. */
export type ShownEnds = readonly [Decimal, Decimal];

/** What one feature alone may be, both ends included: numbers, or places in the domain of a category, from 0. */
export interface Reach {
  readonly own: Fraction;
  readonly low: Fraction;
  readonly high: Fraction;
  /** The ends of what the feature can be, undefined where nothing bounds it; `listed`: the spec names them. */
  readonly possible: Ends | undefined;
  readonly listed: boolean;
  /** The values among which the others are places; undefined for numbers. */
  readonly values: readonly string[] | undefined;
}

/** How far a feature may move whatever its value: the end of a sentence's name, and the numbers that it has. */
export interface Moved {
  readonly name: string;
  readonly numbers: Readonly<Record<string, Fraction>>;
}

/** How features of one encoding become columns, and how columns and distances are read back as words. */
export interface Encoding {
  /** The kind of raw values that this encoding is for. */
  readonly kind: FeatureKind;
  /**
   * Throw SpecError for a feature whose fields this encoding cannot use. They are right by themselves: decimal text,
   * and a range or a domain where one belongs.
   */
  check(grid: Grid, feature: EncodedFeature): void;
  /** Return the number of columns. */
  width(feature: EncodedFeature): number;
  /** Return the raw number of each column, before scaling; throws SpecError for a value that the feature refuses. */
  rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[];
  /** Return the least and greatest raw number of each column; null where only the width bounds it. */
  ends(feature: EncodedFeature): ReadonlyArray<Ends | null>;
  /** Return the ends of a number's range, or without one those that the width holds; null for categories. */
  shownEnds(grid: Grid, feature: EncodedFeature): ShownEnds | null;
  /** Return what the feature alone may be within a radius, a value that `rawColumns` accepts being its own. */
  reach(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): Reach;
  /** Return how far the feature alone may move whatever its value, below the radius; undefined for not at all. */
  movedAlone(feature: EncodedFeature, radius: Fraction): Moved | undefined;
  /** Return in words how far the feature alone may move within a radius, never further than the radius allows. */
  moved(feature: EncodedFeature, radius: Fraction): string;
  /** Return in words a value and the values among which the feature alone may move within a radius. */
  interval(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string;
  /** Return in words the values that neighbors are restricted to where a spec uses ranges. */
  keptTo(grid: Grid, feature: EncodedFeature): string;
}

/** Words for a feature that may not move. */
export const NONE = written("value.this_only");

/** Return the integer of a raw column number: (number - mean) / scale as a multiple of 2^-f_x, rounded half up. */
export function onGrid(grid: Grid, feature: EncodedFeature, number: Fraction): bigint {
  const { numerator, denominator } = number.minus(exact(feature.mean)).over(exact(feature.scale));
  return floorDivide(((2n * numerator) << BigInt(grid.input_fraction_bits)) + denominator, 2n * denominator);
}

/** Throw SpecError for a feature with an offset, of an encoding that has none. */
export function refuseOffset({ name, encoding, offset }: EncodedFeature): void {
  if (offset !== undefined) {
    throw new SpecError(sentence("spec.offset_misplaced", { feature: named({ name }), encoding }));
  }
}

/** Return a feature with its name, as refusals of it begin. */
export const named = ({ name }: { readonly name: string }): string =>
  sentence("spec.feature", { name: `'${shortened(name)}'` });

/** Throw SpecError for a feature with a start, of an encoding whose values are no days. */
export function refuseStart({ name, start }: EncodedFeature): void {
  if (start !== undefined) throw new SpecError(sentence("spec.start_misplaced", { feature: named({ name }) }));
}

/** Return the error of a value that a feature refuses. */
export function refused(feature: EncodedFeature, message: string): SpecError {
  return new SpecError(`${named(feature)}: ${message}`);
}

/** Return the error of a value that is not in the domain. */
export function unlisted(feature: EncodedFeature, value: RawValue): SpecError {
  return refused(feature, sentence("value.not_one_of", { value: shown(value), known: listed(feature.domain) }));
}

/** Return a value as an error shows it. */
export function shown(value: RawValue): string {
  return `'${beginning(value)}'`;
}

/** Return the beginning of a value, so that the line of an error stays short. */
export function beginning(value: RawValue): string {
  return String(value).slice(0, 40);
}
