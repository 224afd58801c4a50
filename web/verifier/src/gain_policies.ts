/**
 * Policies about gain certificates: how large the gain must be, and what must be compared. Twin of
 * verifier/gain_policy.py.
 */

import { rowsDigest } from "./commitment.js";
import { PolicyError } from "./errors.js";
import { type Check, CHECKS, type Facts, type Policy } from "./facts.js";
import { gainText, type GainStatement, valuesInWords } from "./gain_certificate.js";
import { listed, quoted } from "./names.js";
import { Fraction } from "./numbers.js";
import { sentence } from "./sentence.js";
import type { Spec } from "./spec.js";
import { decimal } from "./spec_check.js";
import { plain, shortened } from "./text.js";

/** Return the checks that a gain certificate may need, in words. */
export const gainChecks = () => ({
  ...CHECKS,
  gain: sentence("unproven.gain_size"),
  gainOf: sentence("unproven.gain_subject"),
  unit: sentence("unproven.gain_unit"),
}) as const satisfies Partial<Record<Check, string>>;

/**
 * Require a gain of at least this decimal, in log odds; throws SpecError for other text. "0" requires that the first
 * values are never worse. A gain below 0 is the most that they may lose.
 */
export class MinGain implements Policy {
  readonly gain: string;
  readonly covers: ReadonlySet<Check> = new Set(["gain"]);

  constructor(gain: string) {
    decimal(gain, "minimum gain");
    this.gain = gain;
  }

  /** Compare exactly, not with the rounded text. */
  check(facts: Facts): readonly string[] {
    const { gain } = aboutAGain(facts);
    if (new Fraction(gain.least, 1n << BigInt(gain.fractionBits)).compare(decimal(this.gain, "minimum gain")) < 0) {
      throw new PolicyError(sentence("policy.gain_too_small", {
        stated: gainText(gain), required: this.gain,
      }), "gain-too-small");
    }
    return [sentence("checked.gain", { gain: this.gain })];
  }
}

/** A value of each sensitive feature, by name. */
export type SensitiveValues = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

/** Require that the gain is in this label, by name, with the values `first` in place of `second`. */
export class GainOf implements Policy {
  readonly label: string;
  readonly first: ReadonlyMap<string, string>;
  readonly second: ReadonlyMap<string, string>;
  readonly covers: ReadonlySet<Check> = new Set(["gainOf"]);

  constructor(label: string, first: SensitiveValues, second: SensitiveValues) {
    [this.label, this.first, this.second] = [label, copied(first), copied(second)];
  }

  /** Compare the label's name, and the digest of the two rows. */
  check(facts: Facts): readonly string[] {
    const [statement, { spec }] = [aboutAGain(facts), facts];
    const label = spec.fields.labels[statement.label] ?? "";
    if (label !== this.label) {
      const required = `'${plain(this.label).slice(0, 40)}'`;
      refuse(sentence("policy.gain_label_differs", { stated: quoted(label), required }));
    }
    const rows = [this.first, this.second].map((values) => rowOf(spec, values));
    if (rowsDigest(spec, rows) !== statement.domainDigest) {
      const [first, second] = [valuesInWords(this.first), valuesInWords(this.second)];
      refuse(sentence("policy.gain_values_differ", { first, second }));
    }
    return [sentence("checked.gain_subject", { subject: quoted(label) })];
  }
}

/** Return the statement; throws TypeError for one about a decision, of which no gain can be required. */
function aboutAGain({ statement }: Facts): GainStatement {
  if ("boxCommitment" in statement || statement.gain === undefined) {
    throw new TypeError(sentence("policy.gain_policy_elsewhere"));
  }
  return { ...statement, gain: statement.gain };
}

/** Return the row of the spec's table with these values, one of each sensitive feature. */
function rowOf(spec: Spec, values: ReadonlyMap<string, string>): readonly bigint[] {
  const wanted = new Map(spec.sensitiveFeatures.map(({ name, domain }) => [name, domain]));
  const known = listed([...wanted.keys()]);
  const wrong = (why: string): never => refuse(sentence("policy.gain_values_unknown", { problem: plain(why) }));
  for (const [name, value] of values) {
    const feature = `'${name.slice(0, 40)}'`;
    const domain = wanted.get(name) ?? wrong(sentence("gain.feature_not_sensitive", { feature, known }));
    if (domain.includes(value)) continue;
    const given = `'${value.slice(0, 40)}'`;
    wrong(sentence("gain.value_unknown", { feature: shortened(name), value: given, known: listed(domain) }));
  }
  const row = [...wanted].reduce((above, [name, domain]) => {
    const value = values.get(name) ?? wrong(sentence("gain.value_missing", { feature: name }));
    return above * domain.length + domain.indexOf(value);
  }, 0);
  return spec.domainTable[row] ?? wrong("no such row");
}

function copied(values: SensitiveValues): ReadonlyMap<string, string> {
  return new Map(values instanceof Map ? values : Object.entries(values));
}

function refuse(message: string): never {
  throw new PolicyError(message, "other-gain");
}
