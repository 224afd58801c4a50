/**
 * A statement in words and in the features' own units. Integers decide; the text is derived from them, rounded down.
 * Twin of verifier/reading.py.
 */

import type { Reading } from "./fields.js";
import { isAtLeast } from "./levels.js";
import { quoted } from "./names.js";
import { sentence } from "./sentence.js";
import type { Spec } from "./spec.js";
import { cut, inUnits, keptTo, length, radiusOfAny } from "./units.js";

/** `ranges` is present where the spec restricts neighbors to the ranges of these features. */
export type { Reading };

/** What R2 means in the spec's units, as every reading has it. */
type Lengths = Pick<Reading, "radius" | "radius_any" | "at_least" | "features">;

/** Return R2 in the spec's units and in each non-sensitive feature's own. */
export function lengthsOf(spec: Spec, radiusSquared: bigint): Lengths {
  const radiusAny = radiusOfAny(spec, radiusSquared);
  return {
    radius: length(spec, radiusSquared),
    radius_any: cut(radiusAny),
    at_least: isAtLeast(spec, radiusSquared),
    features: new Map(spec.plainFeatures.map((feature) => [feature.name, inUnits(feature, radiusAny)])),
  };
}

/** Return the reading of a label (an index below the number of label names) and R2. */
export function readingOf(spec: Spec, label: number, radiusSquared: bigint): Reading {
  return {
    label: spec.fields.labels[label] ?? "",
    sensitive: spec.sensitiveFeatures.map((feature) => feature.name),
    ...lengthsOf(spec, radiusSquared),
    ranges: spec.fields.use_ranges
      ? new Map(spec.plainFeatures.map((feature) => [feature.name, keptTo(spec, feature)]))
      : undefined,
  };
}

/** Return what changes of the other features are closer than. */
export function boundOf({ at_least: most, radius_any: radius }: Pick<Lengths, "at_least" | "radius_any">): string {
  return sentence("reading.in_units", { at_least: most ? `${sentence("word.at_least")} ` : "", radius });
}

/** Return one sentence that promises no more than the statement. */
export function sentenceOf(reading: Reading): string {
  const changes = reading.sensitive.map(quoted).join(` ${sentence("word.and")} `);
  if (Number(reading.radius_any) === 0) {
    return (
      sentence("reading.alone_unflipped", { changes, label: quoted(reading.label) })
    );
  }
  const inside = reading.ranges === undefined ? "" : ` ${sentence("reading.keeps_inside_ranges")}`;
  const bound = boundOf(reading) + inside;
  return (
    sentence("reading.unflipped", { changes, bound, label: quoted(reading.label) })
  );
}
