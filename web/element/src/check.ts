/** The check of what a reader gave, from files to an answer in either language. */

import { type Answer, answerOf, type Findings, weakerOf } from "../../verifier/src/answer.js";
import { BoxVerifier, type VerifiedBox } from "../../verifier/src/box.js";
import { type Parts, verifyBundle } from "../../verifier/src/bundle.js";
import { hex, sha256 } from "../../verifier/src/bytes.js";
import { AllOf } from "../../verifier/src/combined.js";
import { parseCommitment, transcriptOf } from "../../verifier/src/documents.js";
import { CertificateFormatError, VerificationError } from "../../verifier/src/errors.js";
import type { Policy } from "../../verifier/src/facts.js";
import { parseOpenedBox } from "../../verifier/src/opened_box.js";
import { parseWishes } from "../../verifier/src/pair.js";
import { ForContext, ForQuery, KeyIs, LinkKeyIs, MinRadius, ModelIs } from "../../verifier/src/policy.js";
import { NOTHING, verifyRecourse } from "../../verifier/src/recourse.js";
import { refusal } from "../../verifier/src/refusal.js";
import { LinkTranscriptIs, TranscriptIs } from "../../verifier/src/transcripts.js";
import { type KeyFiles, TrustStore } from "../../verifier/src/trust.js";
import type { Verified } from "../../verifier/src/verify.js";
import type { Language } from "../../verifier/src/words.js";
import { boxAnswerOf, type Shown } from "./box_answer.js";
import { collect, type Collected, type CollectedBox, type Companions, type Lacking, shownName } from "./collect.js";
import type { Given } from "./files.js";
import { withRecourse } from "./recourse_answer.js";
import { speaking } from "./technical.js";

/** What is known from elsewhere than from whoever handed over the files: it is pinned. */
export interface Elsewhere {
  /** The model's fingerprint, 64 digits. */
  readonly model?: string | undefined;
  /** The key's fingerprint, or the digest of the transcript of its set-up, 64 digits. */
  readonly key?: string | undefined;
  /** Likewise of the key of the link that a certificate of a kept model comes with, 64 digits. */
  readonly linkKey?: string | undefined;
  readonly commitment?: Given | undefined;
  readonly keys?: readonly KeyFiles[] | undefined;
  /** Keys for links, which certificates of kept models need beside those. */
  readonly linkKeys?: readonly KeyFiles[] | undefined;
  /** The least radius that is enough, as decimal text. */
  readonly minimum?: string | undefined;
  /** The opened box of a box certificate. */
  readonly opened?: Given | undefined;
}

/** A box certificate that was verified; `again` has what its verification says to technical readers in a language. */
export interface Boxed {
  readonly kind: "box";
  readonly verified: VerifiedBox;
  answer(language: Language): Answer;
  again(language: Language): VerifiedBox;
}

/** What a check came to. */
export type Result =
  | { readonly kind: "verified"; readonly verified: Verified; answer(language: Language): Answer }
  | Boxed
  | { readonly kind: "refused"; answer(language: Language): Answer }
  | { readonly kind: "lacking"; readonly about: "decision" | "box" | "alone"; readonly parts: readonly Lacking[] };

/**
 * Check what was given. A certificate that is not accepted is a result too, whatever its bytes are. Its technical
 * reason is in `language`; an answer in another one checks again, since only a check knows what fills in its sentence.
 */
export function check(files: readonly Given[], elsewhere: Elsewhere = {}, language: Language = "en"): Result {
  const outcome = attempt(files, elsewhere, language);
  if (!(outcome instanceof Error)) {
    return outcome.kind === "box" ? repeated(outcome, files, elsewhere, language) : outcome;
  }
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

function judged(found: Collected | CollectedBox | Companions, elsewhere: Elsewhere): Result {
  const { commitment: given } = elsewhere;
  const commitment = given && parseCommitment(given.data, shownName(given));
  const keys = elsewhere.keys && new TrustStore(elsewhere.keys, elsewhere.linkKeys);
  const [committed, store] = [commitment ?? found.commitment, keys ?? found.keys];
  const ofKeys = keys ? ["key", "verifying", "link_key", "link_verifying"] : [];
  const own = [...(commitment ? ["commitment"] : []), ...ofKeys];
  const parts = found.lacking.filter((part) => !own.includes(part));
  if (committed === undefined || store === undefined || found.kind === "alone" || parts.length) {
    return { kind: "lacking", about: found.kind, parts };
  }
  const pins = { commitment: commitment !== undefined, key: keys !== undefined };
  if (found.kind === "box") return judgedBox(found, new BoxVerifier(committed, store, pins), store, elsewhere);
  const whole: Parts = { ...found, commitment: committed, keys: store };
  const verified = verifyBundle(whole, { commitment, keys }, policyOf(whole, found.own, elsewhere));
  const findings = findingsOf(verified, whole, found.own, elsewhere);
  const answers = verifyRecourse(whole, verified, { commitment, keys });
  const { spec, statement: { label } } = verified;
  const wish = whole.files.get("recourse/wishes.json");
  const { wishes } = wish ? parseWishes(wish) : { wishes: new Map() };
  const answer = (language: Language): Answer =>
    withRecourse(answerOf(findings, language), spec, whole.query?.features ?? new Map(), label, answers, wishes);
  return { kind: "verified", verified, answer };
}

/** Verify a box certificate, about the opened box from elsewhere or else about one among the files. */
function judgedBox(found: CollectedBox, verifier: BoxVerifier, keys: TrustStore, elsewhere: Elsewhere): Boxed {
  const { certificate, context } = found;
  const { opened: given, minimum } = elsewhere;
  const opened = given ? parseOpenedBox(given.data, shownName(given)) : found.opened;
  const policies = [
    NOTHING,
    // No box has a radius: the verifier throws where somebody requires one.
    ...(minimum === undefined ? [] : [new MinRadius(minimum)]),
    ...pinned(certificate.fields.key.fingerprint, undefined, keys, elsewhere),
    ...(context ? [new ForContext(context, true)] : []),
  ];
  const verified = verifier.verify(certificate, new AllOf(...policies), { opened });
  const { statement, spec } = verified;
  const findings = { ...pinsOf(verified, elsewhere), spec, label: statement.label, radiusSquared: 0n };
  const disclosed = certificate.fields.box;
  const known: Shown | undefined = disclosed ? { box: disclosed, from: "found" } : undefined;
  const shown: Shown | undefined = opened ? { box: opened, from: "given" } : known;
  const answer = (language: Language): Answer =>
    boxAnswerOf({ ...findings, context, contextFound: true }, shown, language);
  return { kind: "box", verified, answer, again: () => verified };
}

/** Return the result of a check that says technical sentences in another language by checking again. */
function repeated(first: Boxed, files: readonly Given[], elsewhere: Elsewhere, language: Language): Boxed {
  const done = new Map([[language, first.verified]]);
  const again = (wanted: Language): VerifiedBox => {
    const other = done.has(wanted) ? undefined : attempt(files, elsewhere, wanted);
    if (other && !(other instanceof Error) && other.kind === "box") done.set(wanted, other.verified);
    return done.get(wanted) ?? first.verified;
  };
  return { ...first, again };
}

/** Require what is known from elsewhere. */
function policyOf({ certificate, link, keys }: Parts, own: Collected["own"], elsewhere: Elsewhere): Policy {
  const required: Policy[] = [new MinRadius(elsewhere.minimum ?? "0")];
  required.push(...pinned(certificate.fields.key.fingerprint, link?.fields.link_key.fingerprint, keys, elsewhere));
  if (own.query) required.push(new ForQuery(own.query));
  if (own.context) required.push(new ForContext(own.context));
  return new AllOf(...required);
}

/** Require the model and the keys that are known by their digits: that of the certificate, and that of its link. */
function pinned(
  fingerprint: string,
  ofLink: string | undefined,
  keys: TrustStore,
  { model, key, linkKey }: Elsewhere,
): readonly Policy[] {
  const required: Policy[] = [];
  if (model !== undefined) required.push(new ModelIs(model));
  if (key !== undefined) {
    const { document } = keys.find(fingerprint);
    required.push(transcriptOf(document) === key ? new TranscriptIs(key) : new KeyIs(key));
  }
  if (linkKey !== undefined) {
    const transcript = ofLink === undefined ? undefined : transcriptOf(keys.findLinkKey(ofLink).document);
    required.push(transcript === linkKey ? new LinkTranscriptIs(linkKey) : new LinkKeyIs(linkKey));
  }
  return required;
}

/** Return what the answer is made of. */
function findingsOf(verified: Verified, parts: Parts, own: Collected["own"], elsewhere: Elsewhere): Findings {
  const { minimum } = elsewhere;
  const { statement, spec } = verified;
  const query = own.query ?? parts.query ?? parts.certificate.fields.query ?? undefined;
  return {
    spec,
    label: statement.label,
    radiusSquared: statement.radiusSquared,
    ...pinsOf(verified, elsewhere),
    query: query?.features,
    queryFound: !own.query,
    context: own.context ?? parts.context,
    contextFound: !own.context,
    minimum: minimum && Number(minimum) > 0 ? minimum : undefined,
    log: parts.files.has("certificate.tlog-proof"),
    receipt: parts.receipt === undefined ? undefined : "found",
  };
}

/** Return how the key was made, and what is pinned. */
function pinsOf(
  { key, linkKey, pins }: Verified | VerifiedBox,
  { commitment }: Elsewhere,
): Pick<Findings, "key" | "pins"> {
  const model = pins.commitment ? (commitment ? "given" : "fingerprint") : null;
  return { key: weakerOf(key, linkKey), pins: { model, key: pins.key } };
}
