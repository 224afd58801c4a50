/**
 * The pair of a refusal and a box: whether the box is the one that the spec's rules and somebody's wishes say. Twin of
 * verifier/pair.py and verifier/wishes.py.
 *
 * With the label of the refusal the box must have all that somebody may change: no change helps. With another label it
 * must be a change that they may make, from the values that are shown on: it is enough. Compared are raw values,
 * exactly; integers follow, since rounding never falls. A box of less is refused, unless who compares it says of how
 * much less it is.
 */

import { type Allowed, allowed, isSpan, type Range, type Span, WiderWishError, within as nearer } from "./allowed.js";
import { parse } from "./canonical.js";
import type { Certificate } from "./certificate.js";
import { checkMark, commitmentOf, type QueryDocument } from "./documents.js";
import type { RawValue } from "./encodings/interface.js";
import { CertificateFormatError, PolicyError, SpecError } from "./errors.js";
import { type Together, WISH, WISHES, type Wishes } from "./fields.js";
import { dictionary, document, text } from "./kinds.js";
import { quoted } from "./names.js";
import { exact, type Fraction, readNumber, ZERO } from "./numbers.js";
import { between, boxInWords, type OpenedBox } from "./opened_box.js";
import { sentence } from "./sentence.js";
import type { Feature, Spec } from "./spec.js";
import type { BoxStatement } from "./statement.js";
import { refuse } from "./steps.js";
import { plain } from "./text.js";

export type { Wishes };

/**
 * What a box is compared with: the refusal's certificate, the query that it is about, and wishes. With `within`, a
 * percent from 1 to 99, numbers go so far of the way to the ends that these allow, and the pair says no more. `holds`:
 * the certificate was verified, so that neither this nor label and context are left to anybody.
 */
export interface Refusal {
  readonly certificate: Certificate;
  readonly query: QueryDocument;
  readonly wishes?: Wishes | undefined;
  readonly within?: number | undefined;
  readonly holds?: boolean;
}

/** A pair that fits: what it says, and the checks that were made. */
export interface Paired {
  readonly sentence: string;
  readonly made: readonly string[];
  /** The names of the features that a way changes; none of a none. */
  readonly changed: readonly string[];
}

/** What a box has of a feature: the ends of a number, the values of a category, or neither of what is not stated. */
interface Boxed {
  readonly ends?: readonly [Fraction, Fraction];
  readonly values?: readonly string[];
}

/** Read wishes, in any spelling of JSON; throws CertificateFormatError for a feature that stands there twice. */
export function parseWishes(data: Uint8Array, where = "wishes"): Wishes {
  let repeated = false;
  const every = dictionary(document(WISH), text(), Infinity, () => {
    repeated = true;
  });
  // Of two objects of wishes the last counts, as of any field.
  const wishes: typeof every = {
    read(from, path) {
      repeated = false;
      return every.read(from, path);
    },
  };
  const found = parse(data, document({ ...WISHES, wishes }), where);
  checkMark(found, ["equiproof-wishes", 2], where);
  if (repeated) throw new CertificateFormatError(sentence("format.name_twice", { where }), "repeated-name");
  return found;
}

/**
 * Return what a box certificate says together with a refusal. Throws ProofError for another refusal, a spec without
 * rules, and a box that these and the wishes do not say, PolicyError for another query, and CertificateFormatError for
 * a query or wishes that do not fit the spec.
 */
export function paired(spec: Spec, statement: BoxStatement, opened: OpenedBox, refusal: Refusal): Paired {
  checkRefusal(spec, statement, refusal);
  const whole = allowedTo(spec, refusal);
  const may = refusal.within === undefined ? whole : nearer(whole, refusal.within);
  const none = statement.label === refusal.certificate.statement.label;
  const boxes = new Map(spec.plainFeatures.map((one) => [one.name, boxed(one, opened.ends.get(one.name) ?? [])]));
  const each = spec.plainFeatures.map((feature): [Feature, Boxed, Range] =>
    [feature, boxes.get(feature.name) ?? {}, may.features.get(feature.name)]);
  for (const one of each) checkFixed(...one);
  const moved = none ? [] : each.filter(([, box, range]) => !isOwn(box, range));
  if (none) for (const one of each) checkAll(...one);
  else checkWay(moved, boxes, may);
  const words = boxInWords(opened, spec);
  const told = none ? each.filter(([, , range]) => isSpan(range) && range.low.compare(range.high) < 0) : moved;
  const changes = told.map(([{ name }]) =>
    sentence("pair.change", { feature: quoted(name), values: words.get(name) ?? "" })).join(and());
  const changed = moved.map(([{ name }]) => name);
  return { sentence: inWords(spec, statement, refusal, changes, none), made: madeOf(spec, refusal, none), changed };
}

/** Refuse a refusal that is not of the same model, spec and context, another query, and a spec without rules. */
function checkRefusal(spec: Spec, statement: BoxStatement, { certificate, query }: Refusal): void {
  const { statement: stated } = certificate;
  if (stated.modelCommitment !== statement.modelCommitment) refuse(sentence("pair.other_model"), "other-refusal");
  if (stated.specDigest !== statement.specDigest) refuse(sentence("pair.other_spec"), "other-refusal");
  if (stated.contextDigest !== statement.contextDigest) refuse(sentence("pair.other_context"), "other-refusal");
  const { labels, features } = spec.fields;
  if (stated.label >= labels.length) {
    refuse(sentence("certificate.label_unknown", { label: stated.label, count: labels.length }), "unknown-label");
  }
  if (commitmentOf(query, spec) !== stated.queryCommitment) {
    throw new PolicyError(sentence("pair.other_query"), "other-query");
  }
  if (!features.some(({ changes }) => changes)) refuse(sentence("pair.no_rules"), "no-rules");
}

/** Return what the rules and the wishes allow; throws CertificateFormatError for wishes that do not fit them. */
function allowedTo(spec: Spec, { query, wishes }: Refusal): Allowed {
  try {
    return allowed(spec, query.features, wishes?.wishes ?? new Map());
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const reason = error instanceof WiderWishError ? "wish-widens" : "bad-wishes";
    throw new CertificateFormatError(plain(error.message), reason);
  }
}

/** Return what a box that fits the spec has of a feature. */
function boxed(feature: Feature, given: readonly RawValue[]): Boxed {
  const [first, last = first] = given;
  if (first === undefined || last === undefined) return {};
  if (feature.kind === "categorical") return { values: between(feature, given.map(String)) };
  return { ends: [readNumber(first) ?? ZERO, readNumber(last) ?? ZERO] };
}

/** Return whether a box has today's value of a feature alone. */
function isOwn({ ends, values }: Boxed, range: Range): boolean {
  if (range === undefined) return !ends && !values;
  if (isSpan(range)) return ends?.every((end) => end.compare(range.own) === 0) ?? false;
  return values?.length === 1 && values[0] === range.own;
}

/** Refuse another value of a feature that is fixed or not stated, and one that is stated as if it was not. */
function checkFixed({ changes, name }: Feature, box: Boxed, range: Range): void {
  if ((!changes || !range || (!box.ends && !box.values)) && !isOwn(box, range)) {
    refuse(sentence("pair.fixed_moved", { feature: quoted(name) }), "fixed-feature-moved");
  }
}

/** Refuse a box that lacks something that a feature may become. */
function checkAll({ name }: Feature, { ends, values }: Boxed, range: Range): void {
  const holds = isSpan(range)
    ? ends && ends[0].compare(range.low) <= 0 && range.high.compare(ends[1]) <= 0
    : !range || range.all.every((value) => values?.includes(value));
  if (!holds) refuse(sentence("pair.too_small", { feature: quoted(name) }), "box-too-small");
}

/** Refuse a way that changes nothing, or something otherwise than the rules allow. */
function checkWay(
  moved: ReadonlyArray<[Feature, Boxed, Range]>,
  boxes: ReadonlyMap<string, Boxed>,
  may: Allowed,
): void {
  if (!moved.length) refuse(sentence("pair.nothing_changes"), "change-not-allowed");
  for (const [{ name }, { ends, values = [] }, range] of moved) {
    if (isSpan(range)) {
      if (ends) checkNumber(quoted(name), ends, range);
    } else if (range && (values.includes(range.own) || values.some((value) => !range.all.includes(value)))) {
      refuse(sentence("pair.not_allowed", { feature: quoted(name) }), "change-not-allowed");
    }
  }
  const names = moved.map(([{ name }]) => name);
  for (const table of may.together) {
    const { features } = table;
    if (!features.some((name) => names.includes(name)) || isOfTable(table, boxes)) continue;
    refuse(sentence("pair.not_together", { features: features.map(quoted).join(and()) }), "not-together");
  }
}

/** Refuse a number that does not move from a step on the allowed side on to an end that is allowed. */
function checkNumber(feature: string, [low, high]: readonly [Fraction, Fraction], may: Span): void {
  const rises = low.compare(may.own) > 0 && may.high.compare(may.own) > 0;
  const falls = high.compare(may.own) < 0 && may.low.compare(may.own) < 0;
  if (!rises && !falls) refuse(sentence("pair.not_allowed", { feature }), "change-not-allowed");
  if (high.compare(may.high) > 0 || low.compare(may.low) < 0) {
    refuse(sentence("pair.beyond_end", { feature }), "cap-exceeded");
  }
  if (may.step && (rises ? low : high).over(may.step).denominator !== 1n) {
    refuse(sentence("pair.off_step", { feature }), "off-step");
  }
}

/** Return whether a box has the values of a row of a table, and no others. */
function isOfTable({ features, rows }: Together, boxes: ReadonlyMap<string, Boxed>): boolean {
  return rows.some((row) => features.every((name, at) => {
    const { ends, values } = boxes.get(name) ?? {};
    const value = row[at] ?? "";
    if (values) return values.length === 1 && values[0] === value;
    return ends?.every((end) => end.compare(exact(value)) === 0) ?? false;
  }));
}

/** Return the checks that were made, in words. */
function madeOf(spec: Spec, { certificate, wishes, within }: Refusal, none: boolean): readonly string[] {
  const label = quoted(spec.fields.labels[certificate.statement.label] ?? "");
  const percent = within ?? 0;
  const all = none && percent
    ? wishes
      ? sentence("checked.pair_none_wishes_within", { percent })
      : sentence("checked.pair_none_within", { percent })
    : none
    ? wishes ? sentence("checked.pair_none_wishes") : sentence("checked.pair_none")
    : wishes ? sentence("checked.pair_way_wishes") : sentence("checked.pair_way");
  return [sentence("checked.pair_refusal", { label }), sentence("checked.pair_query"), all];
}

/** Return what stands between two of several. */
const and = (): string => ` ${sentence("word.and")} `;

/** Return what the pair says of these changes, which is no more than both certificates. */
function inWords(
  spec: Spec,
  statement: BoxStatement,
  { wishes, within: percent }: Refusal,
  changes: string,
  none: boolean,
): string {
  const label = quoted(spec.fields.labels[statement.label] ?? "");
  const sensitive = spec.sensitiveFeatures.map(({ name }) => quoted(name)).join(and());
  if (!none) return sentence("pair.way", { changes, label, sensitive });
  if (percent !== undefined) {
    return wishes?.wishes.size
      ? sentence("pair.none_wishes_within", { percent, numbers: changes, label, sensitive })
      : sentence("pair.none_within", { percent, numbers: changes, label, sensitive });
  }
  return wishes?.wishes.size
    ? sentence("pair.none_wishes", { label, sensitive })
    : sentence("pair.none", { label, sensitive });
}
