/**
 * What a verification found, in words for people: one plain JSON document, the same in every program. Twin of
 * verifier/answer.py.
 */

import { anyMoves, type Bar, bars } from "./bars.js";
import type { Context, KeyDocument, SetupKind } from "./documents.js";
import type { RawValue } from "./encodings/interface.js";
import { complaint } from "./names.js";
import { exact, Fraction } from "./numbers.js";
import type { Feature, Spec } from "./spec.js";
import { decimal } from "./spec_check.js";
import { type Language, shownName, Words } from "./words.js";

/** Of more values of a sensitive feature, the second sentence has their number; the first list has them all. */
const MAX_VALUES = 6;

export type Outcome = "valid" | "open" | "not-enough" | "not-valid" | "not-a-certificate";

/** Something that was not checked and can be; one with a warning decides how much the rest is worth. */
export interface Open {
  readonly text: string;
  readonly warning: boolean;
}

/** An answer; docs/certificate.md describes its fields. The owner's words stand between U+2068 and U+2069. */
export interface Answer {
  readonly language: Language;
  readonly outcome: Outcome;
  readonly heading: string;
  readonly below: readonly string[];
  /** Three, or none. */
  readonly sentences: readonly string[];
  readonly bars_heading: string | null;
  readonly bars_note: string | null;
  readonly bars: readonly Bar[];
  readonly checked: readonly string[];
  readonly not_checked: readonly Open[];
  readonly never_shown: readonly string[];
  readonly reason: string | null;
  readonly technical: string | null;
}

/** What an answer says of how a key was made. */
export interface KeyMaking {
  readonly setup: SetupKind;
  /** How many signed the second phase of its ceremony. */
  readonly parties: number;
  /** Whether its powers of tau came from elsewhere. */
  readonly imported: boolean;
}

/** What the reader has from elsewhere than the certificate; what is not pinned came with the certificate itself. */
export interface Pinned {
  /** The commitment was given by the reader, or its fingerprint was; null for neither. */
  readonly model: "given" | "fingerprint" | null;
  readonly key: boolean;
}

/** What a verification of a certificate found. */
export interface Findings {
  readonly spec: Spec;
  /** An index of the spec's labels. */
  readonly label: number;
  readonly radiusSquared: bigint;
  readonly key: KeyMaking;
  readonly pins: Pinned;
  /** The applicant's details, checked against the query commitment. */
  readonly query?: ReadonlyMap<string, RawValue> | undefined;
  /** What was checked against the context digest. */
  readonly context?: Context | undefined;
  /** Whether they came with the certificate itself. */
  readonly queryFound?: boolean;
  readonly contextFound?: boolean;
  /** The least radius that the policy requires, as decimal text above 0. */
  readonly minimum?: string | undefined;
  /** Whether the policy judged the spec's ranges. */
  readonly ranges?: boolean;
  /** Whether the policy required anything else. */
  readonly others?: boolean;
  /** Whether a log proof came with it, unchecked. */
  readonly log?: boolean;
  /** Where the commitment stands in a pinned log. */
  readonly logged?: LogStanding | undefined;
  /** Whose receipt was checked: the reader's own, or one that came with the certificate. */
  readonly receipt?: "given" | "found" | undefined;
  readonly receiptLogged?: boolean;
}

/** Where a commitment stands in a pinned log: the log's name, the owner's in it, and who stated so until when. */
export interface LogStanding {
  readonly log: string;
  readonly owner: string;
  /** Whether the reader named the owner. */
  readonly ownerPinned: boolean;
  /** A time in UTC such as 2026-03-04T10:00:00Z, "" where no witnesses are pinned. */
  readonly until: string;
  readonly witnesses: number;
}

/** Return how a key was made, from its metadata. */
export function makingOf({ setup, ceremony, powers }: KeyDocument): KeyMaking {
  const imported = (ceremony?.powers ?? powers)?.origin === "imported";
  return { setup, parties: ceremony?.signers.length ?? 0, imported };
}

/** Return the answer about a certificate that was verified. */
export function answerOf(found: Findings, language: Language): Answer {
  const words = new Words(language);
  const { spec, radiusSquared, query } = found;
  const moves = anyMoves(spec, radiusSquared, query, words);
  const [heading, below] = headingOf(found, words);
  return {
    language,
    outcome: heading === "outcome.valid" ? "valid" : "open",
    heading: words.say(heading),
    below: [below],
    sentences: sentencesOf(found, words, moves),
    bars_heading: words.say(moves ? "bars.heading" : "bars.heading_none"),
    bars_note: moves ? words.say("bars.note") : null,
    bars: bars(spec, radiusSquared, query, words),
    checked: checkedBy(found, words),
    not_checked: openIn(found, words, moves),
    never_shown: neverShown(spec, words),
    reason: null,
    technical: null,
  };
}

/** Return the name of the heading, and the line below it. */
function headingOf(found: Findings, words: Words): readonly [string, string] {
  const { pins, key, query, context } = found;
  const open = !pins.key || key.setup === "single-party";
  if (pins.model === null) return ["outcome.model_open", words.say(open ? "below.model_and_key" : "below.model")];
  const parts = [
    ...(query === undefined ? [] : [found.queryFound ? "below.about_shown_details" : "below.about_details"]),
    ...(context === undefined ? [] : [found.contextFound ? "below.about_shown_decision" : "below.about_decision"]),
    "below.about_model",
  ];
  const about = words.say("below.about", { parts: words.joined(parts.map((part) => words.say(part))) });
  return [open ? "outcome.key_open" : "outcome.valid", about];
}

/** Return the three sentences. */
function sentencesOf(found: Findings, words: Words, moves: boolean): readonly string[] {
  const { spec, query, pins } = found;
  const label = words.word(spec.fields.labels[found.label] ?? "");
  const known = query === undefined ? "_unknown" : "";
  const sensitive = spec.sensitiveFeatures.map((feature) =>
    words.say("independent.feature", { name: nameOf(spec, feature, words), values: valuesOf(feature, words) }),
  );
  const many = sensitive.length > 1 ? "several" : "one";
  const room = words.say(`room.${moves ? "some" : "none"}${known}`, { label });
  return [
    words.say(`decided.${pins.model && pins.key ? "lender" : "certificate"}`, { label }),
    words.say(`independent.${many}${known}`, { features: words.joined(sensitive) }),
    moves && spec.fields.use_ranges ? `${room} ${words.say("room.ranges")}` : room,
  ];
}

/** Return the values of a sensitive feature; of many, their number and the ends, never an interval. */
function valuesOf({ kind, domain }: Feature, words: Words): string {
  if (domain.length <= MAX_VALUES) return domain.map((value) => words.word(value)).join(", ");
  const ordered = kind === "numeric" ? [...domain].sort((left, right) => exact(left).compare(exact(right))) : domain;
  const [first = "", last = ""] = [ordered[0], ordered.at(-1)].map((value) => words.word(value ?? ""));
  return words.say("independent.many", { n: count(ordered.length, words), first, last });
}

/** Return what was checked. */
function checkedBy(found: Findings, words: Words): readonly string[] {
  const { spec, key, pins, query, context, minimum } = found;
  const lines = [words.say("checked.proof")];
  if (pins.model) lines.push(words.say(pins.model === "given" ? "checked.model" : "checked.model_fingerprint"));
  for (const feature of spec.sensitiveFeatures) {
    const name = nameOf(spec, feature, words);
    const quoted_name = words.quoted(shownName(spec, feature));
    const values = feature.domain.map((value) => words.word(value)).join(", ");
    lines.push(words.say("checked.values", { name, quoted_name, values }));
  }
  if (query !== undefined) lines.push(words.say(found.queryFound ? "checked.query_found" : "checked.query"));
  const named = found.contextFound ? "checked.context_found" : "checked.context";
  if (context !== undefined) lines.push(contextOf(context, named, words));
  if (found.receipt) {
    lines.push(words.say(found.receipt === "given" ? "checked.receipt" : "checked.receipt_found"));
    if (found.receiptLogged) lines.push(words.say("checked.receipt_logged"));
  }
  if (pins.key) {
    lines.push(words.say("checked.key"));
    if (key.setup === "ceremony") lines.push(words.say("checked.ceremony", { n: count(key.parties, words) }));
    if (key.setup === "universal") lines.push(words.say("checked.universal"));
  }
  if (minimum !== undefined) {
    lines.push(words.say("checked.minimum", { radius: words.number(decimal(minimum, "minimum")) }));
  }
  if (spec.fields.use_ranges && found.ranges) lines.push(words.say("checked.ranges"));
  const { logged: at } = found;
  if (at) {
    const said = { log: words.word(at.log), owner: words.word(at.owner), n: count(at.witnesses, words) };
    lines.push(words.say(at.until ? "checked.logged" : "checked.logged_alone", said));
  }
  if (found.others) lines.push(words.say("checked.others"));
  return lines;
}

/** Return what a decision is called: the context's texts, but not its nonce, nor text that could mislead. */
function contextOf(context: Context, which: string, words: Words): string {
  const shown = [...context]
    .filter(([name, text]) => name !== "nonce" && !complaint(name) && !complaint(text))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, text]) => `${words.word(name)} ${words.word(text)}`);
  return words.say(shown.length ? which : `${which}_bare`, { texts: shown.join(", ") });
}

/** Return what was not checked and can be, what is unpinned first. */
function openIn(found: Findings, words: Words, moves: boolean): readonly Open[] {
  const { spec, key, pins, query, context, minimum } = found;
  const warning = (name: string): Open => ({ text: words.say(name), warning: true });
  const single = key.setup === "single-party";
  const others = pins.key && !single ? [`open.${key.setup}`, ...(key.imported ? ["open.imported"] : [])] : [];
  const names = [
    ...(query === undefined ? ["open.query"] : found.queryFound ? ["open.query_found"] : []),
    ...(context === undefined ? ["open.context"] : found.contextFound ? ["open.context_found"] : []),
    ...(minimum === undefined && moves ? ["open.minimum"] : []),
    ...(spec.fields.use_ranges && !found.ranges ? ["open.ranges"] : []),
    ...(spec.fields.allow_loss ? ["open.loss"] : []),
  ];
  const last = [...others, ...(found.log && !found.logged ? ["open.log"] : [])];
  const letter = words.say("open.letter", { label: words.word(spec.fields.labels[found.label] ?? "") });
  const plain = (text: string): Open => ({ text, warning: false });
  return [
    ...(pins.model ? [] : [warning("open.model")]),
    ...(pins.key ? [] : [warning("open.key")]),
    ...(pins.key && single ? [warning("open.single-party")] : []),
    ...names.map((name) => plain(words.say(name))),
    ...monotone(spec, words).map(plain),
    ...last.map((name) => plain(words.say(name))),
    ...logOpen(found, words),
    plain(letter),
  ];
}

/** Return what the owner states of features that only ever move the score one way: one line for each direction. */
function monotone(spec: Spec, words: Words): readonly string[] {
  const { features, labels } = spec.fields;
  return ["increasing", "decreasing"].flatMap((way) => {
    const named = features.filter((feature) => feature.monotone === way).map((feature) => nameOf(spec, feature, words));
    const texts = { names: words.joined(named, "or"), label: words.word(labels[1] ?? "") };
    return named.length ? [words.say(`open.${way}`, texts)] : [];
  });
}

/** Return what is open of a log that was checked. */
function logOpen({ logged: at, receipt, receiptLogged }: Findings, words: Words): readonly Open[] {
  if (!at) return [];
  const open = (name: string, texts = {}, warning = false): Open => ({ text: words.say(name, texts), warning });
  const time = at.until.replace("T", " ").replace("Z", "");
  return [
    ...(time ? [] : [open("open.log_alone", {}, true)]),
    ...(at.ownerPinned ? [] : [open("open.log_owner", { owner: words.word(at.owner) })]),
    open(time ? "open.retired" : "open.retired_alone", { time }),
    ...(receipt && !receiptLogged ? [open("open.receipt_log")] : []),
  ];
}

/** Return what no certificate shows. */
function neverShown(spec: Spec, words: Words): readonly string[] {
  const names = words.joined(spec.sensitiveFeatures.map((feature) => nameOf(spec, feature, words)), "or");
  const quoted = spec.sensitiveFeatures.map((feature) => words.quoted(shownName(spec, feature)));
  const texts = { names, quoted_names: words.joined(quoted, "or") };
  return ["model", "stand-in", "values", "good", "everybody"].map((name) => words.say(`never.${name}`, texts));
}

/** Return a feature's name in a sentence. */
function nameOf(spec: Spec, feature: Feature, words: Words): string {
  return words.word(shownName(spec, feature));
}

function count(number: number, words: Words): string {
  return words.number(new Fraction(BigInt(number)));
}
