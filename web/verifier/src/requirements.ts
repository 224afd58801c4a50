/** Policies from plain values, as files and forms have them. Twin of verifier/requirements.py. */

import type { Context, QueryDocument, SetupKind } from "./documents.js";
import { SpecError } from "./errors.js";
import type { Policy } from "./facts.js";
import { fromHex } from "./field.js";
import { Logged, type LogTerms } from "./logged.js";
import { NoteError } from "./notes.js";
import { ZERO } from "./numbers.js";
import { ForContext, ForQuery, KeyIs, MinRadius, ModelIs, ProofSystemIs, SetupIs } from "./policy.js";
import type { ProofSystem } from "./proof_systems.js";
import { NoRanges, type Range, RangesWithin } from "./range_policies.js";
import { sentence } from "./sentence.js";
import { SignedBy } from "./signed_by.js";
import { decimal } from "./spec_check.js";
import { plain } from "./text.js";
import { TranscriptIs } from "./transcripts.js";

/** A value that is no requirement: `field` is that of Requirements, the message says what is wrong. */
export class RequirementError extends Error {
  override readonly name = "RequirementError";
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** What is required; each field stands for one policy, and one that is null or false for none. */
export interface Requirements {
  readonly query: QueryDocument | null;
  readonly context: Context | null;
  /** Exact decimal text. */
  readonly min_radius: string | null;
  readonly no_ranges: boolean;
  readonly ranges_within: ReadonlyMap<string, Range> | null;
  readonly setup: SetupKind | null;
  readonly proof_system: ProofSystem | null;
  /** 64 hexadecimal digits, as the next two. */
  readonly model_commitment: string | null;
  readonly key_fingerprint: string | null;
  readonly transcript: string | null;
  /** Verifier keys, and how many of them must have signed. */
  readonly signed_by: { readonly keys: readonly string[]; readonly least: number } | null;
  /** What is demanded of a log, a log proof, and the time in POSIX seconds. */
  readonly log: readonly [LogTerms, Uint8Array, number] | null;
}

/**
 * Return the policies that are required. Throws RequirementError naming the field whose value is refused, and
 * CertificateFormatError for a context that can be guessed.
 */
export function policiesOf(required: Requirements): readonly Policy[] {
  const given = <T>(value: T | null, make: (value: T) => Policy): readonly Policy[] =>
    value === null ? [] : [make(value)];
  const { ranges_within: ranges } = required;
  return [
    ...given(required.query, (query) => new ForQuery(query)),
    ...given(required.context, (context) => new ForContext(context)),
    ...given(required.min_radius, leastRadius),
    ...(required.no_ranges ? [new NoRanges()] : []),
    ...given(ranges?.size ? ranges : null, (ends) => refusing("ranges_within", () => new RangesWithin(ends))),
    ...given(required.setup, (kind) => new SetupIs(kind)),
    ...given(required.proof_system, (name) => new ProofSystemIs(name)),
    ...given(required.model_commitment, (digits) => new ModelIs(element("model_commitment", digits))),
    ...given(required.key_fingerprint, (digits) => new KeyIs(sha256("key_fingerprint", digits))),
    ...given(required.transcript, (digits) => new TranscriptIs(sha256("transcript", digits))),
    ...given(required.signed_by, ({ keys, least }) => refusing("signed_by", () => new SignedBy(keys, least))),
    ...given(required.log, (log) => refusing("log", () => new Logged(...log))),
  ];
}

/** Require a radius that is not below 0. */
function leastRadius(text: string): Policy {
  const field = "min_radius";
  try {
    if (decimal(text, field).compare(ZERO) < 0) throw new RequirementError(field, `${text} is below 0`);
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new RequirementError(field, `'${plain(text.slice(0, 40))}' is not a decimal number`);
  }
  return new MinRadius(text);
}

/** Return the hexadecimal digits of a field element. */
function element(field: string, text: string): string {
  sha256(field, text);
  if (fromHex(text) === undefined) throw new RequirementError(field, sentence("value.not_below_order"));
  return text;
}

/** Return the hexadecimal digits of a SHA-256. */
function sha256(field: string, text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new RequirementError(field, sentence("format.want_digest"));
  return text;
}

/** Return a policy, with what it refuses as the error about a field. */
function refusing(field: string, make: () => Policy): Policy {
  try {
    return make();
  } catch (error) {
    const known = error instanceof SpecError || error instanceof NoteError || error instanceof RangeError;
    throw known ? new RequirementError(field, error.message) : error;
  }
}
