/** Policies about the ranges that a spec restricts neighbors to. Twins of two in verifier/policy.py. */

import type { ShownEnds } from "./encodings/interface.js";
import { ENCODINGS } from "./encodings.js";
import { PolicyError, SpecError } from "./errors.js";
import type { Check, Facts, Policy } from "./facts.js";
import { quoted } from "./names.js";
import { exact } from "./numbers.js";
import { sentence } from "./sentence.js";
import type { Feature, Spec } from "./spec.js";
import { decimal } from "./spec_check.js";
import { plain } from "./text.js";
import { keptTo } from "./units.js";

/** Require a certificate about all neighbors: refuse one whose spec restricts them to ranges. */
export class NoRanges implements Policy {
  readonly ofDecisions = true;
  readonly covers: ReadonlySet<Check> = new Set(["ranges"]);

  check({ spec }: Facts): readonly string[] {
    if (spec.fields.use_ranges) {
      const message = sentence("policy.ranges_not_accepted");
      throw new PolicyError(message, "ranges-not-accepted");
    }
    return [sentence("certificate.ranges_unrestricted")];
  }
}

/** Two ends of a range, as exact decimal text, the lower one first. */
export type Range = readonly [string, string];

/**
 * Require that these ranges, the values that you have in mind for each number, lie within the certificate's ranges.
 *
 * A certificate that is restricted to ranges is silent about neighbors outside them. Under one, each non-sensitive
 * number of the spec must be named; one without ranges includes yours. SpecError for ends that are no decimals in their
 * order, RangeError for no range.
 */
export class RangesWithin implements Policy {
  readonly ofDecisions = true;
  readonly ranges: ReadonlyMap<string, Range>;
  readonly covers: ReadonlySet<Check> = new Set(["ranges"]);

  constructor(ranges: Iterable<readonly [string, Range]>) {
    this.ranges = new Map(ranges);
    if (!this.ranges.size) throw new RangeError(sentence("policy.ranges_within_empty"));
    for (const [name, [low, high]] of this.ranges) {
      const what = `range of '${name.slice(0, 40)}'`;
      if (decimal(low, what).compare(decimal(high, what)) > 0) {
        throw new SpecError(sentence("policy.range_reversed", { range: what, low, high }));
      }
    }
  }

  /** Compare exactly with the ranges that the certificate states. */
  check({ spec }: Facts): readonly string[] {
    const numbers = spec.plainFeatures.flatMap((feature) => {
      const ends = ENCODINGS[feature.encoding].shownEnds(spec.fields, feature);
      return ends === null ? [] : [{ feature, ends }];
    });
    const known = new Set(numbers.map(({ feature }) => feature.name));
    const [unknown] = [...this.ranges.keys()].filter((name) => !known.has(name)).sort();
    if (unknown !== undefined) {
      const feature = `'${plain(unknown.slice(0, 40))}'`;
      const message = sentence("policy.range_of_unknown", { feature });
      throw new PolicyError(message, "ranges-too-narrow");
    }
    if (!spec.fields.use_ranges) return [sentence("checked.ranges_unrestricted")];
    numbers.forEach(({ feature, ends }) => this.#compare(spec, feature, ends));
    const to = ` ${sentence("word.to")} `;
    const mine = [...this.ranges].map(([name, ends]) => `${quoted(name)} ${ends.join(to)}`);
    return [sentence("checked.ranges", { ranges: mine.join(", ") })];
  }

  #compare(spec: Spec, feature: Feature, [least, most]: ShownEnds): void {
    const kept = keptTo(spec, feature);
    const stated = sentence("policy.range_uncovered", { feature: quoted(feature.name), range: kept });
    const mine = this.ranges.get(feature.name);
    if (mine === undefined) {
      throw new PolicyError(sentence("policy.range_unnamed", { stated }), "ranges-too-narrow");
    }
    if (exact(mine[0]).compare(least.fraction) < 0 || exact(mine[1]).compare(most.fraction) > 0) {
      throw new PolicyError(sentence("policy.range_required", {
        stated, required: mine.join(` ${sentence("word.to")} `),
      }), "ranges-too-narrow");
    }
  }
}
