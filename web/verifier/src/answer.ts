/**
 * What a verification found, in words for people: one plain JSON document, the same in every program. Twin of
 * verifier/answer.py.
 */

import TABLE from "../../../go-gnark/verify/tables/answers.json";
import { anyMoves, type Bar, bars } from "./bars.js";
import type { AnyKeyDocument, Context, KeyDocument, LinkKeyDocument, SetupKind } from "./documents.js";
import type { RawValue } from "./encodings/interface.js";
import { type Item, lineOf, linesOf, type Said, type Texts, textsOf } from "./lines.js";
import { complaint } from "./names.js";
import { exact, Fraction } from "./numbers.js";
import type { Feature, Spec } from "./spec.js";
import { labelsIn } from "./spoken_spec.js";
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

/** An answer; docs/answers.md describes its fields. The owner's words stand between U+2068 and U+2069. */
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
  /** What a refused applicant's bundle says would have been enough; page and element alone fill it in. */
  readonly recourse?: {
    readonly title: string;
    readonly ways: ReadonlyArray<{ readonly sentence: string; readonly bars: readonly Bar[] }>;
    readonly sentences: readonly string[];
  };
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

/** What the rows of an answer are about. */
export type SaidOfAnswer = Said<keyof typeof TABLE.answer>;

/** Return how a key was made, from its metadata. */
export function makingOf({ setup, ceremony, powers }: AnyKeyDocument): KeyMaking {
  const imported = (ceremony?.powers ?? powers)?.origin === "imported";
  return { setup, parties: ceremony?.signers.length ?? 0, imported };
}

/** Return how the weaker of two keys was made: where a single party made either of them, it could forge. */
export function weakerOf(key: KeyDocument, linkKey: LinkKeyDocument | undefined): KeyMaking {
  return makingOf(linkKey === undefined || key.setup === "single-party" ? key : linkKey);
}

/** Return the answer about a certificate that was verified. */
export function answerOf(found: Findings, language: Language): Answer {
  const words = new Words(language);
  const { spec, radiusSquared, query } = found;
  const moves = anyMoves(spec, radiusSquared, query, words);
  const said = saidOf(found, words);
  return answered({ ...said, facts: { ...said.facts, moves: yes(moves) } }, bars(spec, radiusSquared, query, words));
}

/** Return what the rows of an answer are about, without whether anything may move. */
export function saidOf(found: Findings, words: Words): SaidOfAnswer {
  const shown = shownOf(found.context ?? new Map(), words);
  return {
    parts: TABLE.answer,
    words,
    facts: { ...factsOf(found), named: yes(shown.length) },
    texts: { ...placesOf(found, words), texts: shown.join(", ") },
    lists: { sensitive: sensitiveOf(found.spec, words) },
  };
}

/** Return an answer by its rows; one without a heading of the bars has none. */
export function answered(said: SaidOfAnswer, drawn: readonly Bar[]): Answer {
  const heading = lineOf(said, "heading");
  return {
    language: said.words.language,
    outcome: heading.row.outcome ?? "open",
    heading: heading.text,
    below: textsOf(said, "below"),
    sentences: textsOf(said, "sentences"),
    bars_heading: textsOf(said, "bars_heading")[0] ?? null,
    bars_note: textsOf(said, "bars_note")[0] ?? null,
    bars: drawn,
    checked: textsOf(said, "checked"),
    not_checked: linesOf(said, "not_checked").map(({ text, row }) => ({ text, warning: row.warning ?? false })),
    never_shown: textsOf(said, "never_shown"),
    reason: null,
    technical: null,
  };
}

/** Return what answers.json chooses sentences by, without what depends on the language. Python alone writes letters. */
export function factsOf(found: Findings): Texts {
  const { spec, key, pins, logged: at } = found;
  const { use_ranges: ranges, allow_loss: loss } = spec.fields;
  return {
    voice: "reader",
    model: pins.model ?? "none",
    key: pins.key ? key.setup : "came",
    powers: key.imported ? "imported" : "own",
    query: origin(found.query, found.queryFound),
    context: origin(found.context, found.contextFound),
    minimum: found.minimum === undefined ? "none" : "given",
    ranges: ranges ? (found.ranges ? "judged" : "open") : "unused",
    others: yes(found.others),
    missing: yes(spec.hasMissing),
    loss: yes(loss),
    increasing: moving(spec, "increasing").length ? "some" : "none",
    decreasing: moving(spec, "decreasing").length ? "some" : "none",
    log: at ? (at.until ? "witnessed" : "alone") : found.log ? "unchecked" : "none",
    owner: at?.ownerPinned ? "named" : "found",
    receipt: found.receipt ?? "none",
    receipt_logged: yes(found.receiptLogged),
    sensitive: spec.sensitiveFeatures.length > 1 ? "several" : "one",
  };
}

/** Return the value of a fact that holds or not. */
export function yes(holds: unknown): string {
  return holds ? "yes" : "no";
}

/** Return where something is from: the reader's own, come with the certificate, or not there. */
function origin(given: unknown, cameWithIt: boolean | undefined): string {
  return given === undefined ? "none" : cameWithIt ? "found" : "given";
}

/** Return the texts for the places of sentences; empty where nothing is said of them. */
function placesOf({ spec, label, key, minimum, logged: at }: Findings, words: Words): Texts {
  const { sensitiveFeatures: sensitive, fields } = spec;
  const names = (features: readonly Feature[]): string =>
    words.joined(features.map((feature) => words.word(shownName(spec, feature, words.language))), "or");
  return {
    label: words.word(labelsIn(fields, words.language)[label] ?? ""),
    upper_label: words.word(labelsIn(fields, words.language)[1] ?? ""),
    names: names(sensitive),
    quoted_names: words.joined(sensitive.map((one) => words.quoted(shownName(spec, one, words.language))), "or"),
    increasing: names(moving(spec, "increasing")),
    decreasing: names(moving(spec, "decreasing")),
    parties: count(key.parties, words),
    radius: minimum === undefined ? "" : words.number(decimal(minimum, "minimum")),
    log: words.word(at?.log ?? ""),
    owner: words.word(at?.owner ?? ""),
    witnesses: count(at?.witnesses ?? 0, words),
    time: at?.until.replace("T", " ").replace("Z", "") ?? "",
  };
}

/** Return what sentences say of each sensitive feature: of many values their number and the ends, no interval. */
function sensitiveOf(spec: Spec, words: Words): readonly Item[] {
  return spec.sensitiveFeatures.map((feature) => {
    const { kind, domain } = feature;
    const ordered = kind === "numeric" ? [...domain].sort((left, right) => exact(left).compare(exact(right))) : domain;
    const name = shownName(spec, feature, words.language);
    const texts = {
      name: words.word(name),
      quoted_name: words.quoted(name),
      values: domain.map((value) => words.word(value)).join(", "),
      n: count(ordered.length, words),
      first: words.word(ordered[0] ?? ""),
      last: words.word(ordered.at(-1) ?? ""),
    };
    return { texts, facts: { values: ordered.length > MAX_VALUES ? "many" : "few" } };
  });
}

/** Return what a decision is called: the context's texts, but not its nonce, nor text that could mislead. */
function shownOf(context: Context, words: Words): readonly string[] {
  return [...context]
    .filter(([name, text]) => name !== "nonce" && !complaint(name) && !complaint(text))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, text]) => `${words.word(name)} ${words.word(text)}`);
}

/** Return the features of which the owner states that they only ever move the score one way. */
function moving(spec: Spec, way: Feature["monotone"]): readonly Feature[] {
  return spec.fields.features.filter((feature) => feature.monotone === way);
}

function count(number: number, words: Words): string {
  return words.number(new Fraction(BigInt(number)));
}
