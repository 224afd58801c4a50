/**
 * Verification for a relying party. Twin of verifier/verify.py.
 *
 * `verify` accepts a certificate that passes nine steps. (1) It parses strictly. (2) Its key is trusted, and of the
 * set-up kind and the proof system that the certificate states; of a ceremony's key the policy names the transcript or
 * signers. (3) It names the trusted model commitment. (4) It states the spec digest that is recomputed from the trusted
 * spec, (5) and the domain digest, recomputed over the full product of the sensitive values. (6) The key's shape fits
 * this spec; label and radius are in range. (7) Its words and units follow from its numbers. (8) It meets the policy.
 * (9) The proof holds for the recomputed statement digest under the key.
 *
 * The caller MUST get the commitment file from a source that is the same for every customer, and trust the keys, or say
 * by its pins what came with the certificate itself: that is then the first thing that was not checked.
 */

import { canonicalText } from "./canonical.js";
import { type Certificate, parseCertificate } from "./certificate.js";
import { domainDigest } from "./commitment.js";
import {
  type CommitmentDocument,
  fingerprintOf,
  type KeyDocument,
  parseCommitment,
  type QueryDocument,
} from "./documents.js";
import {
  CertificateFormatError,
  MalformedInputError,
  ProofError,
  type Reason,
  RefusedError,
  UntrustedKeyError,
} from "./errors.js";
import { type Facts, madeBy, pinnedBy, type Pins, type Policy } from "./facts.js";
import { toBytes, toHex } from "./field.js";
import { leftOpen } from "./left_open.js";
import { quoted } from "./names.js";
import { VerifyingKey } from "./pairing.js";
import { PlonkVerifyingKey } from "./plonk.js";
import { ForQuery } from "./policy.js";
import type { ProofSystem } from "./proof_systems.js";
import { type Reading, readingOf, sentenceOf } from "./reading.js";
import { fits, nameOf, provesRanges, type Shape } from "./shape.js";
import type { Spec } from "./spec.js";
import { type Statement, statementDigest } from "./statement.js";
import { type KeyFiles, type TrustedKey, TrustStore } from "./trust.js";
import { interval, radiusOfAny } from "./units.js";

/** A key of any proof system, ready to check proofs. */
type Program = Pick<VerifyingKey, "verify">;

/** The program for each proof system. */
const PROGRAMS: Readonly<Record<ProofSystem, new (key: Uint8Array) => Program>> = {
  "groth16-bn254": VerifyingKey,
  "plonk-bn254": PlonkVerifyingKey,
};

/** The bytes of the files of a verification. */
export interface Files {
  readonly certificate: Uint8Array;
  /** The commitment that the owner publishes, from a source that is the same for everybody. */
  readonly commitment: Uint8Array;
  /** The keys that you trust. */
  readonly keys: readonly KeyFiles[];
}

/** A certificate that passed every step; only a verification makes one. */
export interface Verified {
  readonly statement: Statement;
  readonly spec: Spec;
  readonly key: KeyDocument;
  readonly reading: Reading;
  /** The certificate's name: its statement digest. Anyone can re-randomise the proof's bytes. */
  readonly identity: string;
  /** The statement in one sentence. */
  readonly sentence: string;
  /** What is pinned. `key.setup` is the key's own word unless the key is. */
  readonly pins: Pins;
  /** The checks that were made, and those that are left to you, what is not pinned first. */
  readonly made: readonly string[];
  readonly notMade: readonly string[];
}

/**
 * Verify a certificate against a commitment, trusted keys and a policy.
 *
 * Returns what was verified. Throws CertificateFormatError for malformed files, of which nothing was verified, and
 * UntrustedKeyError, ProofError or PolicyError for a certificate that is refused; the `reason` of each is stable.
 */
export function verify(files: Files, policy: Policy): Verified {
  const certificate = parseCertificate(files.certificate, "certificate.json");
  const commitment = parseCommitment(files.commitment, "commitment.json");
  return new Verifier(commitment, new TrustStore(files.keys)).verify(certificate, policy);
}

/** Verifies certificates about one committed model under trusted keys; both are pinned unless `pins` says otherwise. */
export class Verifier {
  readonly #commitment: CommitmentDocument;
  readonly #keys: TrustStore;
  readonly #pins: Pins;
  readonly #loaded = new Map<TrustedKey, Program>();

  constructor(commitment: CommitmentDocument, keys: TrustStore, pins: Pins = { commitment: true, key: true }) {
    this.#commitment = commitment;
    this.#keys = keys;
    this.#pins = pins;
  }

  /** Return what was verified, or throw as {@link verify} does. */
  verify(certificate: Certificate | Uint8Array, policy: Policy): Verified {
    const parsed = certificate instanceof Uint8Array ? parseCertificate(certificate) : certificate;
    const { statement } = parsed;
    const { spec, digest: commitmentDigest } = this.#commitment;
    const key = this.#key(parsed);
    const { shape } = key.document;
    this.#checkStatement(statement, shape);
    const reading = checkReading(parsed, spec);
    const pins = pinnedBy(this.#pins, policy);
    const facts = { statement, spec, key: key.document, signatures: key.signatures, pins, commitmentDigest };
    requireTranscript(facts, policy);
    const made = checkPolicy(parsed, facts, policy);
    const digest = statementDigest(statement, shape);
    checkProof(parsed.proof, toBytes(digest), this.#program(key));
    const [identity, sentence] = [toHex(digest), sentenceOf(reading)];
    const notMade = leftOpen(facts, policy);
    return { statement, spec, key: key.document, reading, identity, sentence, pins, made, notMade };
  }

  /** Return the trusted key that the certificate names (2). */
  #key({ fields }: Certificate): TrustedKey {
    const key = this.#keys.find(fields.key.fingerprint);
    if (key.document.setup !== fields.key.setup) {
      const message = `the certificate states a ${fields.key.setup} set-up, its key had a ${key.document.setup} one`;
      throw new UntrustedKeyError(message, "setup-differs");
    }
    const [stated, actual] = [fields.proof_system, key.document.proof_system];
    if (stated !== actual) {
      const message = `the certificate states a proof of ${stated}, its key is of ${actual}`;
      throw new UntrustedKeyError(message, "proof-system-differs");
    }
    return key;
  }

  /** Return the program that checks proofs under a key, loaded once; throws UntrustedKeyError for a degenerate key. */
  #program(key: TrustedKey): Program {
    try {
      const program = this.#loaded.get(key) ?? new PROGRAMS[key.document.proof_system](key.verifying);
      this.#loaded.set(key, program);
      return program;
    } catch (error) {
      if (error instanceof MalformedInputError) throw new UntrustedKeyError(error.message, error.reason);
      throw error;
    }
  }

  /** Recompute everything that follows from the trusted spec (3) to (6). */
  #checkStatement(statement: Statement, shape: Shape): void {
    const { modelCommitment, spec } = this.#commitment;
    if (toHex(statement.modelCommitment) !== modelCommitment) {
      refuse("the certificate is about another model than the commitment file's", "model-differs");
    }
    if (statement.specDigest !== spec.digest) {
      refuse("the certificate was made under another spec than the commitment file's", "spec-differs");
    }
    if (statement.domainDigest !== domainDigest(spec)) {
      const message = "the certificate was made for other values of the sensitive features than the spec's";
      refuse(message, "domain-differs");
    }
    if (provesRanges(shape) !== spec.fields.use_ranges) {
      const [proven, required] = [reach(provesRanges(shape)), reach(spec.fields.use_ranges)];
      refuse(`the key proves ${proven}, the spec requires ${required}`, "ranges-differ");
    }
    if (!fits(shape, spec)) {
      refuse(`the key's shape ${nameOf(shape).slice(0, 80)} does not fit this spec`, "shape-differs");
    }
    if (statement.label >= spec.fields.labels.length) {
      const message = `label ${statement.label} is unknown: the spec has ${spec.fields.labels.length} labels`;
      refuse(message, "unknown-label");
    }
    if (statement.radiusSquared > spec.maxRadiusSquared) {
      refuse("the radius is above the largest one under this spec", "radius-too-large");
    }
  }
}

/** Return, for each feature of an applicant's data, its value and the values among which it alone may move. */
export function intervalsOf({ spec, statement }: Verified, query: QueryDocument): ReadonlyMap<string, string> {
  const radius = radiusOfAny(spec, statement.radiusSquared);
  return new Map(
    spec.plainFeatures.map((feature) => {
      const value = query.features.get(feature.name);
      if (value === undefined) throw new CertificateFormatError(`query: '${feature.name}' is missing`, "bad-query");
      return [feature.name, interval(spec, feature, radius, value)];
    }),
  );
}

/** Compare the certificate's words and units with those that follow from its numbers (7). */
function checkReading({ fields, statement }: Certificate, spec: Spec): Reading {
  const reading = readingOf(spec, statement.label, statement.radiusSquared);
  if (canonicalText(fields.reading) !== canonicalText(reading)) {
    refuse("the certificate's words do not match its numbers", "words-differ");
  }
  return reading;
}

/**
 * Refuse a key of others unless the policy names its transcript or signers (2): metadata is anybody's word. A key that
 * is not pinned is treated as one that its sender may have made.
 */
function requireTranscript({ key, pins }: Facts, policy: Policy): void {
  if (!pins.key || key.setup === "single-party" || policy.covers.has("transcript")) return;
  const made = madeBy(key.setup);
  const demand = `a ${made} made the key: name the digest of its transcript that you checked (TranscriptIs)`;
  const message = `${demand}, or signers that you trust to have checked it (SignedBy)`;
  throw new UntrustedKeyError(message, "no-transcript");
}

/** Check the statement against the policy, and disclosed data against its commitment (8). */
function checkPolicy({ fields }: Certificate, facts: Facts, policy: Policy): readonly string[] {
  const { spec, key, pins } = facts;
  const [name, system] = [`${fingerprintOf(key).slice(0, 16)}...`, `proof system: ${key.proof_system}`];
  const disclosed = fields.query === null ? [] : [new ForQuery(fields.query, "the certificate itself")];
  return [
    `the proof holds under the ${pins.key ? "trusted " : ""}key ${name}${
      pins.key ? ` (set-up: ${key.setup}, ` : ", which came with the certificate ("
    }${system})`,
    pins.commitment
      ? "it is about the committed model and its public spec"
      : "it is about the model and the spec of the commitment that came with it",
    `it covers all ${spec.domainTable.length} joint values of ${listed(spec)}, and no others`,
    ...(spec.fields.use_ranges ? ["it covers neighbors inside the spec's ranges, and no others"] : []),
    ...policy.check(facts),
    ...disclosed.flatMap((shown) => shown.check(facts)),
  ];
}

/** Check the proof for the statement digest (9). */
function checkProof(proof: Uint8Array, digest: Uint8Array, key: Program): void {
  try {
    key.verify(digest, proof);
  } catch (error) {
    if (error instanceof MalformedInputError) {
      throw new CertificateFormatError(`certificate: field proof: ${error.message}`, error.reason);
    }
    if (error instanceof RefusedError) throw new ProofError(error.message, error.reason);
    throw error;
  }
}

/** Write the sensitive features with the values that the spec lists: other values were not proven. */
function listed(spec: Spec): string {
  const values = (domain: readonly string[]): string => domain.map(quoted).join(" / ");
  return spec.sensitiveFeatures.map(({ name, domain }) => `${quoted(name)} (${values(domain)})`).join(", ");
}

/** Write which neighbors a statement covers. */
function reach(ranges: boolean): string {
  return ranges ? "statements about neighbors inside ranges only" : "statements about all neighbors";
}

function refuse(message: string, reason: Reason): never {
  throw new ProofError(message, reason);
}
