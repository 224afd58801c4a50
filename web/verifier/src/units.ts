/** Squared distances on the grid as lengths in a spec's units, rounded down. Twin of circuits/units.py. */

import type { RawValue } from "./encodings/interface.js";
import { ENCODINGS } from "./encodings.js";
import { Fraction, integerRoot } from "./numbers.js";
import { written } from "./sentence.js";
import type { Feature, Spec } from "./spec.js";

const MILLION = 1_000_000n;

/**
 * Return the radius that holds for real-valued queries and neighbors: each coordinate may be rounded by a step. Columns
 * of the padding are 0 for everybody, so that none of them is rounded.
 */
export function radiusOfAny(spec: Spec, radiusSquared: bigint): Fraction {
  const steps = integerRoot(radiusSquared) - ceilRoot(BigInt(spec.ownColumns));
  return new Fraction(steps > 0n ? steps : 0n, spec.scaleUnit);
}

/** Return the root of a squared distance of grid points with six decimals, rounded down. */
export function length(spec: Spec, squared: bigint): string {
  return sixDecimals(integerRoot(new Fraction(squared * MILLION * MILLION, spec.scaleUnit ** 2n).floor()));
}

/** Return a number that is not negative with six decimals, rounded down. */
export function cut(number: Fraction): string {
  return sixDecimals(number.times(new Fraction(MILLION)).floor());
}

/** Return in words how far one feature alone may move, in its own unit. */
export function inUnits(feature: Feature, radius: Fraction): string {
  return ENCODINGS[feature.encoding].moved(feature, radius);
}

/** Return in words a value of a feature, and the values among which it alone may move. */
export function interval(spec: Spec, feature: Feature, radius: Fraction, value: RawValue | undefined): string {
  if (value === undefined) return written("value.missing");
  return ENCODINGS[feature.encoding].interval(spec.fields, feature, radius, value);
}

/** Return in words the values of a feature that neighbors are kept to where a spec restricts them to ranges. */
export function keptTo(spec: Spec, feature: Feature): string {
  return ENCODINGS[feature.encoding].keptTo(spec.fields, feature);
}

function sixDecimals(millionths: bigint): string {
  const digits = millionths.toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Return the least integer whose square is at least `number`, which is above 0. */
function ceilRoot(number: bigint): bigint {
  return integerRoot(number - 1n) + 1n;
}
