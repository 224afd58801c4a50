/** The check of what a reader gave, from files to an answer in either language. */

import { type Answer, answerOf, type Findings, makingOf } from "../../verifier/src/answer.js";
import { type Parts, verifyBundle } from "../../verifier/src/bundle.js";
import { hex, sha256 } from "../../verifier/src/bytes.js";
import { AllOf } from "../../verifier/src/combined.js";
import { parseCommitment, transcriptOf } from "../../verifier/src/documents.js";
import { CertificateFormatError, VerificationError } from "../../verifier/src/errors.js";
import type { Policy } from "../../verifier/src/facts.js";
import { ForContext, ForQuery, KeyIs, MinRadius, ModelIs } from "../../verifier/src/policy.js";
import { refusal } from "../../verifier/src/refusal.js";
import { TranscriptIs } from "../../verifier/src/transcripts.js";
import { type KeyFiles, TrustStore } from "../../verifier/src/trust.js";
import type { Verified } from "../../verifier/src/verify.js";
import type { Language } from "../../verifier/src/words.js";
import { collect, type Collected, type Lacking, shownName } from "./collect.js";
import type { Given } from "./files.js";
import { speaking } from "./technical.js";

/** What is known from elsewhere than from whoever handed over the files: it is pinned. */
export interface Elsewhere {
  /** The model's fingerprint, 64 digits. */
  readonly model?: string | undefined;
  /** The key's fingerprint, or the digest of the transcript of its set-up, 64 digits. */
  readonly key?: string | undefined;
  readonly commitment?: Given | undefined;
  readonly keys?: readonly KeyFiles[] | undefined;
  /** The least radius that is enough, as decimal text. */
  readonly minimum?: string | undefined;
}

/** What a check came to. */
export type Result =
  | { readonly kind: "verified"; readonly verified: Verified; answer(language: Language): Answer }
  | { readonly kind: "refused"; answer(language: Language): Answer }
  | { readonly kind: "lacking"; readonly parts: readonly Lacking[] };

/**
 * Check what was given. A certificate that is not accepted is a result too, whatever its bytes are. Its technical
 * reason is in `language`; an answer in another one checks again, since only a check knows what fills in its sentence.
 */
export function check(files: readonly Given[], elsewhere: Elsewhere = {}, language: Language = "en"): Result {
  const outcome = attempt(files, elsewhere, language);
  if (!(outcome instanceof Error)) return outcome;
  const technical = new Map([[language, outcome.message]]);
  const told = (wanted: Language): string => {
    if (!technical.has(wanted)) {
      const again = attempt(files, elsewhere, wanted);
      technical.set(wanted, again instanceof Error ? again.message : outcome.message);
    }
    return technical.get(wanted) ?? outcome.message;
  };
  return { kind: "refused", answer: (wanted) => refusal(outcome.reason, told(wanted), wanted, outcome.kind) };
}

/** Return the result of a check, or the error of a certificate that is not accepted. */
function attempt(
  files: readonly Given[],
  elsewhere: Elsewhere,
  language: Language,
): Result | CertificateFormatError | VerificationError {
  try {
    return speaking(language, () => judged(collect(files), elsewhere));
  } catch (error) {
    if (!(error instanceof CertificateFormatError || error instanceof VerificationError)) throw error;
    return error;
  }
}

/** Return the SHA-256 of a file. */
export function digestOf({ data }: Given): string {
  return hex(sha256(data));
}

function judged(found: Collected, elsewhere: Elsewhere): Result {
  const { commitment: given } = elsewhere;
  const commitment = given && parseCommitment(given.data, shownName(given));
  const keys = elsewhere.keys && new TrustStore(elsewhere.keys);
  const [committed, store] = [commitment ?? found.commitment, keys ?? found.keys];
  if (committed === undefined || store === undefined) {
    const own = [...(commitment ? ["commitment"] : []), ...(keys ? ["key", "verifying"] : [])];
    return { kind: "lacking", parts: found.lacking.filter((part) => !own.includes(part)) };
  }
  const parts: Parts = { ...found, commitment: committed, keys: store };
  const verified = verifyBundle(parts, { commitment, keys }, policyOf(parts, found.own, elsewhere));
  const findings = findingsOf(verified, parts, found.own, elsewhere);
  return { kind: "verified", verified, answer: (language) => answerOf(findings, language) };
}

/** Require what is known from elsewhere. */
function policyOf({ certificate, keys }: Parts, own: Collected["own"], { model, key, minimum }: Elsewhere): Policy {
  const required: Policy[] = [new MinRadius(minimum ?? "0")];
  if (model !== undefined) required.push(new ModelIs(model));
  if (key !== undefined) {
    const { document } = keys.find(certificate.fields.key.fingerprint);
    required.push(transcriptOf(document) === key ? new TranscriptIs(key) : new KeyIs(key));
  }
  if (own.query) required.push(new ForQuery(own.query));
  if (own.context) required.push(new ForContext(own.context));
  return new AllOf(...required);
}

/** Return what the answer is made of. */
function findingsOf(verified: Verified, parts: Parts, own: Collected["own"], elsewhere: Elsewhere): Findings {
  const { commitment, minimum } = elsewhere;
  const { statement, spec, key, pins } = verified;
  const query = own.query ?? parts.query ?? parts.certificate.fields.query ?? undefined;
  return {
    spec,
    label: statement.label,
    radiusSquared: statement.radiusSquared,
    key: makingOf(key),
    pins: { model: pins.commitment ? (commitment ? "given" : "fingerprint") : null, key: pins.key },
    query: query?.features,
    queryFound: !own.query,
    context: own.context ?? parts.context,
    contextFound: !own.context,
    minimum: minimum && Number(minimum) > 0 ? minimum : undefined,
    log: parts.files.has("certificate.tlog-proof"),
    receipt: parts.receipt === undefined ? undefined : "found",
  };
}

