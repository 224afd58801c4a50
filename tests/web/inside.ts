// What tests see of the package's inside. Integers travel as decimal text.
import { utf8 } from "../../web/verifier/src/bytes.js";
import { canonicalText, parse } from "../../web/verifier/src/canonical.js";
import { domainDigest, pack, tag } from "../../web/verifier/src/commitment.js";
import { commitmentOf, parseKey, parseQuery, transcriptOf } from "../../web/verifier/src/documents.js";
import { toHex } from "../../web/verifier/src/field.js";
import { expandMessage, hashToField } from "../../web/verifier/src/hashing.js";
import { afterNumber, complaint, jointComplaint, quoted, unitComplaint } from "../../web/verifier/src/names.js";
import { exact, integerRoot, readNumber, roundedDown } from "../../web/verifier/src/numbers.js";
import { type Facts, NoRanges } from "../../web/verifier/src/policy.js";
import { compress, hashElements, permute, roundKeys } from "../../web/verifier/src/poseidon2.js";
import { readingOf, sentenceOf } from "../../web/verifier/src/reading.js";
import { fits, SHAPE, shapeDigest } from "../../web/verifier/src/shape.js";
import { SPEC } from "../../web/verifier/src/spec.js";
import { checked } from "../../web/verifier/src/spec_check.js";
import { contextDigest } from "../../web/verifier/src/statement.js";
import { interval, radiusOfAny } from "../../web/verifier/src/units.js";

const numbers = (texts: readonly string[]): readonly bigint[] => texts.map(BigInt);
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));

export { afterNumber as after_number, quoted };
export const name_rule = (text: string): string | null => complaint(text)?.rule ?? null;
export const name_rules = (texts: readonly string[]): Array<string | null> => texts.map(name_rule);
export const unit_rule = (text: string): string | null => (complaint(text) ?? unitComplaint(text))?.rule ?? null;
export const spec_rule = (groups: ReadonlyArray<readonly [string, string[]]>): string | null =>
  jointComplaint(new Map(groups))?.rule ?? null;
export const round_keys = (): string[][] => roundKeys().map((keys) => [...keys].map(toHex));
export const hash_elements = (elements: readonly string[]): string => toHex(hashElements(numbers(elements)));
export const compressed = (left: string, right: string): string => toHex(compress(BigInt(left), BigInt(right)));
export const permuted = (left: string, right: string): string[] => permute(BigInt(left), BigInt(right)).map(toHex);
export const packed = (values: readonly string[], width: number): string[] => pack(numbers(values), width).map(String);
export const tagged = (text: string): string => toHex(tag(text));
export const hash_to_field = (message: string, domain: string): string => toHex(hashToField(bytes(message), domain));
export const expand_message = (message: string, domain: string, length: number): string =>
  Buffer.from(expandMessage(bytes(message), domain, length)).toString("hex");
export const canonical = (text: string): string => canonicalText(JSON.parse(text));
export const root = (value: string): string => String(integerRoot(BigInt(value)));
export const rounded_down = (text: string): string => String(roundedDown(exact(text)));
export const number_of = (value: string | number): string | null => {
  const found = readNumber(value);
  return found === undefined ? null : `${found.numerator}/${found.denominator}`;
};

/** What follows from a spec (its JSON text), a label, a squared radius and a query (its JSON text). */
export const facts = (specText: string, label: number, radius: string, queryText: string): Record<string, unknown> => {
  const spec = checked(parse(utf8(specText), SPEC, "spec"));
  const query = parseQuery(utf8(queryText), "query");
  const reading = readingOf(spec, label, BigInt(radius));
  const reach = radiusOfAny(spec, BigInt(radius));
  return {
    spec_digest: toHex(spec.digest),
    domain_digest: toHex(domainDigest(spec)),
    query_commitment: toHex(commitmentOf(query, spec)),
    reading: JSON.parse(canonicalText(reading)),
    sentence: sentenceOf(reading),
    intervals: Object.fromEntries(
      spec.plainFeatures.map((one) => [one.name, interval(spec, one, reach, query.features.get(one.name) ?? "")]),
    ),
  };
};

/** Whether a shape (its JSON text) fits a spec. */
export const fitting = (specText: string, shapeText: string): boolean =>
  fits(parse(utf8(shapeText), SHAPE, "shape"), checked(parse(utf8(specText), SPEC, "spec")));

/** The transcript digest of a key (its JSON text); null for a key without a ceremony. */
export const transcript = (text: string): string | null => transcriptOf(parseKey(utf8(text))) ?? null;

export const shape_digest = (text: string): string => toHex(shapeDigest(parse(utf8(text), SHAPE, "shape")));
export const context_digest = (text: string): string =>
  toHex(contextDigest(new Map(Object.entries(JSON.parse(text) as Record<string, string>))));

/** The reason for which a spec does not meet NoRanges; null where it does. It reads nothing else of the facts. */
export const no_ranges = (specText: string): string | null => {
  try {
    new NoRanges().check({ spec: checked(parse(utf8(specText), SPEC, "spec")) } as Facts);
    return null;
  } catch (error) {
    return (error as { reason: string }).reason;
  }
};
