/**
 * Levels: the few radii and gains that certificates show under a spec that lists them. Of a level l, R2 =
 * floor((l 2^f)^2); of a level of gains, the least gain is l times a logit's unit, rounded up, and a loss of l is one
 * as well. Twin of circuits/levels.py.
 */

import { SpecError } from "./errors.js";
import { exact, Fraction, ZERO } from "./numbers.js";
import { sentence } from "./sentence.js";
import type { Spec, SpecFields } from "./spec.js";

const MOST_LEVELS = 16;
const LARGEST_LEVEL = 16;

/** Return whether certificates under a spec show this R2: any without levels, else 0 and those of the levels. */
export function showsRadius({ fields }: Spec, squared: bigint): boolean {
  return fields.levels === undefined || squared === 0n
    || fields.levels.some((level) => squareOf(fields, level) === squared);
}

/** Return whether gain certificates under a spec show this least gain, where a logit has `unit` fraction bits. */
export function showsGain({ fields }: Spec, least: bigint, unit: number): boolean {
  if (fields.levels === undefined || least === 0n) return true;
  return (fields.gain_levels ?? []).some((level) => {
    const gain = scaled(level, unit);
    // Rounded up on both sides of 0, so that none promises less than its text.
    return gain.ceil() === least || -gain.floor() === least;
  });
}

/** Return whether a radius is said to be "at least" so much: the largest that is ever stated, and any level. */
export function isAtLeast(spec: Spec, squared: bigint): boolean {
  return squared === spec.maxRadiusSquared || spec.fields.levels !== undefined;
}

/** Refuse lists of decimals that are no levels. */
export function checkLevels(fields: SpecFields): void {
  for (const name of ["levels", "gain_levels"] as const) {
    const texts = fields[name];
    if (texts !== undefined) checkList(fields, name, texts);
  }
  if (fields.levels === undefined && fields.gain_levels !== undefined) {
    throw new SpecError(sentence("spec.gain_levels_alone"));
  }
}

function checkList(fields: SpecFields, name: string, texts: readonly string[]): void {
  if (texts.length < 1 || texts.length > MOST_LEVELS) {
    throw new SpecError(sentence("spec.levels_count", { field: name, most: MOST_LEVELS }));
  }
  const levels = texts.map(exact);
  if (levels.some((level, place) => level.compare(levels[place - 1] ?? ZERO) <= 0)) {
    throw new SpecError(sentence("spec.levels_not_rising", { field: name }));
  }
  // Two levels of one R2 would be one level with two texts, and one of R2 0 is there always.
  const squares = texts.map((text) => squareOf(fields, text));
  if (squares.some((square, place) => square <= (squares[place - 1] ?? 0n))) {
    throw new SpecError(sentence("spec.levels_too_fine", { field: name }));
  }
  if (levels.some((level) => level.compare(new Fraction(BigInt(LARGEST_LEVEL))) > 0)) {
    throw new SpecError(sentence("spec.level_too_large", { field: name, most: LARGEST_LEVEL }));
  }
}

/** Return R2 of a level. */
function squareOf(fields: SpecFields, level: string): bigint {
  const length = scaled(level, fields.input_fraction_bits);
  return new Fraction(length.numerator ** 2n, length.denominator ** 2n).floor();
}

/** Return a level on a grid of so many fraction bits. */
function scaled(level: string, bits: number): Fraction {
  const { numerator, denominator } = exact(level);
  return new Fraction(numerator << BigInt(bits), denominator);
}
