// What tests see of the package's inside. Integers travel as decimal text.
import {
  type Answer,
  answerOf,
  factsOf,
  type Findings,
  type LogStanding,
  type Pinned,
  type KeyMaking,
  makingOf,
} from "../../web/verifier/src/answer.js";
import { utf8 } from "../../web/verifier/src/bytes.js";
import { canonicalText, parse } from "../../web/verifier/src/canonical.js";
import { ContextHas, NotOlderThan } from "../../web/verifier/src/context_policies.js";
import { domainDigest, pack, tag } from "../../web/verifier/src/commitment.js";
import { commitmentOf, parseKey, parseQuery, transcriptOf } from "../../web/verifier/src/documents.js";
import type { ReasonClass } from "../../web/verifier/src/errors.js";
import type { Facts, Policy } from "../../web/verifier/src/facts.js";
import { toHex } from "../../web/verifier/src/field.js";
import { GERMAN } from "../../web/verifier/src/german.js";
import { expandMessage, hashToField } from "../../web/verifier/src/hashing.js";
import { said, type Sentences, speak } from "../../web/verifier/src/language.js";
import { leftOpen } from "../../web/verifier/src/left_open.js";
import { afterNumber, complaint, jointComplaint, listed, quoted, unitComplaint } from "../../web/verifier/src/names.js";
import { exact, Fraction, integerRoot, readNumber, roundedDown } from "../../web/verifier/src/numbers.js";
import { ForContext } from "../../web/verifier/src/policy.js";
import { type Range, NoRanges, RangesWithin } from "../../web/verifier/src/range_policies.js";
import { compress, hashElements, permute, roundKeys } from "../../web/verifier/src/poseidon2.js";
import { refusal } from "../../web/verifier/src/refusal.js";
import { readingOf, sentenceOf } from "../../web/verifier/src/reading.js";
import { fits, SHAPE, shapeDigest } from "../../web/verifier/src/shape.js";
import { SPEC } from "../../web/verifier/src/spec.js";
import { checked } from "../../web/verifier/src/spec_check.js";
import { contextDigest } from "../../web/verifier/src/statement.js";
import { plain } from "../../web/verifier/src/text.js";
import { interval, radiusOfAny } from "../../web/verifier/src/units.js";
import { type Language, Words } from "../../web/verifier/src/words.js";

export { GERMAN, speak };
export * from "./boxes.js";
export { curve_fields, curve_pairings, curve_points, curve_subgroup } from "./curves.js";
export * from "./curve_edges.js";
export * from "./encodings.js";
export * from "./gains.js";
export * from "./hashes.js";
export * from "./logs.js";
export * from "./lots.js";
export * from "./notes.js";
export * from "./policies.js";

const numbers = (texts: readonly string[]): readonly bigint[] => texts.map(BigInt);
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));

/** The values in English, in which nothing stands between them, and what sentences say of them. */
export const say = (id: string, values: readonly string[]): string => said(id)([...values, ""].map(() => ""), ...values);
export const say_in = (sentences: Sentences, id: string, values: readonly string[]): string => {
  speak(sentences);
  return say(id, values);
};

export { afterNumber as after_number, listed, plain, quoted };
export const name_rule = (text: string): string | null => complaint(text)?.rule ?? null;
export const name_message = (text: string): string | null => complaint(text)?.message ?? null;
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
export const quotient = (above: string, below: string): string => {
  const { numerator, denominator } = new Fraction(BigInt(above), BigInt(below));
  return `${numerator}/${denominator}`;
};
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

/** How a key was made, by what its metadata say of that. */
export const making_of = (metadata: Parameters<typeof makingOf>[0]): KeyMaking => makingOf(metadata);

/** What is left open of a spec where all is pinned, nothing is needed, and nobody's word stands behind the key. */
export const left_open = (specText: string): readonly string[] => {
  const spec = checked(parse(utf8(specText), SPEC, "spec"));
  const facts = { spec, key: { setup: "universal" }, pins: { key: true, commitment: true } } as unknown as Facts;
  return leftOpen(facts, { covers: new Set() } as unknown as Policy, [], {});
};

/** How many checks a policy for a context makes. */
export const for_context = (context: Record<string, string>): number =>
  new ForContext(new Map(Object.entries(context))).covers.size;

/** What a policy about ranges says of a spec; it reads nothing else of the facts. */
export const ranges_within = (specText: string, ranges: ReadonlyArray<readonly [string, Range]>): readonly string[] =>
  new RangesWithin(ranges).check({ spec: checked(parse(utf8(specText), SPEC, "spec")) } as Facts);
export const context_has = (context: Record<string, string>, texts: Record<string, string>): readonly string[] =>
  new ContextHas(new Map(Object.entries(context)), new Map(Object.entries(texts))).check();
export const not_older = (context: Record<string, string>, days: number, today: string): readonly string[] =>
  new NotOlderThan(new Map(Object.entries(context)), days, today).check();

/** The reason for which a spec does not meet NoRanges; null where it does. It reads nothing else of the facts. */
export const no_ranges = (specText: string): string | null => {
  try {
    new NoRanges().check({ spec: checked(parse(utf8(specText), SPEC, "spec")) } as Facts);
    return null;
  } catch (error) {
    return (error as { reason: string }).reason;
  }
};

/** What a case of the vectors of words says that a verification found. */
interface Found {
  readonly label: number;
  readonly radius_squared: number;
  readonly key: KeyMaking;
  readonly pins: Pinned;
  readonly query: Record<string, string | number> | null;
  readonly query_found: boolean;
  readonly context_found: boolean;
  readonly others: boolean;
  readonly log: boolean;
  readonly logged: (Omit<LogStanding, "ownerPinned"> & { readonly owner_pinned: boolean }) | null;
  readonly receipt: "given" | "found" | null;
  readonly receipt_logged: boolean;
  readonly context: Record<string, string> | null;
  readonly minimum: string | null;
  readonly ranges: boolean;
}

/** What a case under a spec (its JSON text) says that a verification found. */
const findingsOf = (specText: string, found: Found): Findings => {
  const { label, key, pins, query_found: queryFound, context_found: contextFound, ranges, others, log } = found;
  const query = found.query === null ? undefined : new Map(Object.entries(found.query));
  const context = found.context === null ? undefined : new Map(Object.entries(found.context));
  const spec = checked(parse(utf8(specText), SPEC, "spec"));
  const [minimum, radiusSquared] = [found.minimum ?? undefined, BigInt(found.radius_squared)];
  const given = { spec, label, radiusSquared, key, pins, query, context, minimum };
  const logged = found.logged === null ? undefined : { ...found.logged, ownerPinned: found.logged.owner_pinned };
  const received = { receipt: found.receipt ?? undefined, receiptLogged: found.receipt_logged };
  return { ...given, queryFound, contextFound, ranges, others, log, logged, ...received };
};
export const answer_of = (specText: string, found: Found, language: Language): Answer =>
  answerOf(findingsOf(specText, found), language);
export const facts_of = (specText: string, found: Found): object => factsOf(findingsOf(specText, found));
export const refusal_of = (reason: string, technical: string, language: Language, kind?: ReasonClass): Answer =>
  refusal(reason, technical, language, kind);
export const number_text = (text: string, language: Language): string => new Words(language).number(exact(text));
export const owners_words = (language: Language, text: string): readonly string[] => {
  const words = new Words(language);
  return [words.word(text), words.unit(text), words.quoted(text)];
};
export const joined_words = (language: Language, texts: readonly string[], how: "and" | "or"): string =>
  new Words(language).joined(texts, how);
