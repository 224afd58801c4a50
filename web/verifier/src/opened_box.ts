/**
 * The opened box: what the holder of a box certificate keeps, the ends of every feature and the blinding. Twin of
 * verifier/opened_box.py.
 *
 * A number, or a category whose values are ordered, has its least and its largest value; a category with one column a
 * value has the values that are possible; what is missing has none. The certificate names a commitment to these alone.
 */

import { boxCommitment } from "./commitment.js";
import { checkMark, element, fitted, type Mark, parseDocument } from "./documents.js";
import { writtenDates } from "./encodings/days.js";
import type { RawValue } from "./encodings/interface.js";
import { ENCODINGS } from "./encodings.js";
import { CertificateFormatError } from "./errors.js";
import { OPENED_BOX as FIELDS, type OpenedBox } from "./fields.js";
import { document } from "./kinds.js";
import { afterNumber, quoted } from "./names.js";
import { exact, type Fraction, readNumber } from "./numbers.js";
import { sentence } from "./sentence.js";
import type { Feature, Spec } from "./spec.js";
import { plain } from "./text.js";

export type { OpenedBox };

const OPENED_BOX: Mark = ["equiproof-opened-box", 2];

const DOCUMENT = document(FIELDS);

/** The least and the largest integers of some columns. */
type Ends = readonly [low: readonly bigint[], high: readonly bigint[]];

/** Read an opened box; throws CertificateFormatError naming `where` and the field. */
export function parseOpenedBox(data: Uint8Array, where = "opened box"): OpenedBox {
  return checkOpenedBox(parseDocument(data, DOCUMENT, OPENED_BOX, where), where);
}

/** Return an opened box after checking its marks and its blinding. */
export function checkOpenedBox(box: OpenedBox, where: string): OpenedBox {
  checkMark(box, OPENED_BOX, where);
  element(box.blinding, `${where}: field blinding`);
  return box;
}

/** Return the box commitment that these ends open; throws CertificateFormatError unless they fit the spec. */
export function commitmentOfBox(box: OpenedBox, spec: Spec): bigint {
  const [low, high] = integersOf(box, spec);
  const blinding = element(box.blinding, sentence("box.field_blinding"));
  return boxCommitment(spec.fields.input_bits, blinding, low, high);
}

/** Return the ends of each feature in words, those of one value as this value; the box is one that fits the spec. */
export function boxInWords({ ends }: OpenedBox, spec: Spec): ReadonlyMap<string, string> {
  return new Map(spec.plainFeatures.map((feature) => [feature.name, inWords(feature, ends.get(feature.name) ?? [])]));
}

/** Return the ends of all columns. */
function integersOf({ ends }: OpenedBox, spec: Spec): Ends {
  const known = new Set(spec.plainFeatures.map(({ name }) => name));
  const [extra] = [...ends.keys()].filter((name) => !known.has(name)).sort();
  if (extra !== undefined) refuse(sentence("box.unknown_feature", { feature: `'${plain(extra.slice(0, 40))}'` }));
  const all = spec.plainFeatures.map((feature) => {
    const given = ends.get(feature.name);
    const lacking = (): never => refuse(sentence("box.feature_missing", { feature: `'${feature.name}'` }));
    return given ? endsOf(spec, feature, given) : lacking();
  });
  const [low, high] = [all.flatMap(([least]) => least), all.flatMap(([, most]) => most)];
  const padding = Array<bigint>(spec.plainColumns - low.length).fill(0n);
  return [[...low, ...padding], [...high, ...padding]];
}

/** Return the least and the largest integers of a feature's columns. */
function endsOf(spec: Spec, feature: Feature, given: readonly RawValue[]): Ends {
  const columns = (value: RawValue | undefined): readonly bigint[] =>
    fitted(() => spec.columnsOf(feature, value), sentence("word.box"), "bad-query");
  const [first = columns(undefined), second, ...others] = given.map(columns);
  const name = quoted(feature.name);
  if (isListed(feature)) {
    if (new Set(given).size < given.length) refuse(sentence("box.value_twice", { feature: name }));
    if (second === undefined) return [first, first];
    return [feature.domain.map(columns).reduce(lesser), [first, second, ...others].reduce(greater)];
  }
  if (!given.length) return [first, first];
  if (second === undefined || others.length) return refuse(sentence("box.ends_wanted", { feature: name }));
  // One column has the value; the one of a mark has 0 in both. Two numbers may be one integer.
  const numbers = feature.kind === "numeric" ? numbersOf(given) : [];
  const reversed = (first[0] ?? 0n) > (second[0] ?? 0n) || numbers[0]?.compare(numbers[1] ?? numbers[0]) === 1;
  if (reversed) refuse(sentence("box.ends_reversed", { feature: name }));
  return [first, second];
}

/** Return whether a box names the values of a feature one by one, since it has a column for each. */
function isListed(feature: Feature): boolean {
  return feature.kind === "categorical" && ENCODINGS[feature.encoding].width(feature) > 1;
}

/** Return the lesser integer of each column. */
function lesser(left: readonly bigint[], right: readonly bigint[]): readonly bigint[] {
  return left.map((value, at) => (value < (right[at] ?? value) ? value : (right[at] ?? value)));
}

/** Return the greater integer of each column. */
function greater(left: readonly bigint[], right: readonly bigint[]): readonly bigint[] {
  return left.map((value, at) => (value > (right[at] ?? value) ? value : (right[at] ?? value)));
}

/** Return numbers of a box that fits the spec. */
function numbersOf(given: readonly RawValue[]): readonly Fraction[] {
  return given.map((value) => readNumber(value) ?? exact("0"));
}

/** Write the ends of a feature; numbers are written as in JSON's canonical form. */
function inWords(feature: Feature, given: readonly RawValue[]): string {
  if (!given.length) return sentence("word.not_stated");
  if (feature.kind === "categorical") return between(feature, given.map(String)).map(quoted).join(" / ");
  const days = writtenDates(feature, numbersOf(given));
  const [unit, [first = "", last = first]] = days ? ["", days] : [afterNumber(feature.unit), given.map(String)];
  return first === last ? `${first}${unit}` : `${first} ${sentence("word.to")} ${last}${unit}`;
}

/**
 * Return the values of a category that a box has. Those between two of an order are not what a reader may think: a
 * drafted order is alphabetical.
 */
export function between(feature: Feature, given: readonly string[]): readonly string[] {
  if (isListed(feature)) return given;
  const [first = 0, last = first] = given.map((value) => feature.domain.indexOf(value));
  return feature.domain.slice(first, last + 1);
}

function refuse(message: string): never {
  throw new CertificateFormatError(message, "bad-query");
}
