/**
 * The steps of a verification that all kinds of certificates share. Twin of verifier/steps.py. They are
 * numbered as in verify.ts.
 */

import { canonicalText, type Json } from "./canonical.js";
import type { ProofFile } from "./certificate.js";
import {
  type AnyKeyDocument,
  type CommitmentDocument,
  fingerprintOf,
  type KeyDocument,
  type LinkKeyDocument,
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
import { type Check, type Facts, keysOf, madeBy, pinnedBy, type Pins, type Policy } from "./facts.js";
import { toBytes, toHex } from "./field.js";
import { leftOpen } from "./left_open.js";
import type { LinkDocument } from "./link.js";
import { type Linked, linked, opened, shownBy } from "./linked.js";
import { showsRadius } from "./levels.js";
import { quoted } from "./names.js";
import { VerifyingKey } from "./pairing.js";
import { PlonkVerifyingKey } from "./plonk.js";
import { ForQuery } from "./policy.js";
import type { ProofSystem } from "./proof_systems.js";
import { sentence } from "./sentence.js";
import type { Shape } from "./shape.js";
import type { Spec } from "./spec.js";
import { type AnyStatement, type Statement, statementDigest } from "./statement.js";
import type { TrustedKey, TrustStore } from "./trust.js";

/** A key of any proof system, ready to check proofs. */
type Program = Pick<VerifyingKey, "verify">;

/** The program for each proof system. */
const PROGRAMS: Readonly<Record<ProofSystem, new (key: Uint8Array) => Program>> = {
  "groth16-bn254": VerifyingKey,
  "plonk-bn254": PlonkVerifyingKey,
};

/** What passed every step, with its statement in words; only a verification makes one. */
export interface Passed<R, S extends AnyStatement = Statement> {
  readonly statement: S;
  readonly spec: Spec;
  readonly key: KeyDocument;
  /** The key of the link under a kept key. */
  readonly linkKey?: LinkKeyDocument | undefined;
  readonly reading: R;
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

/** What differs between the kinds of statements. */
export interface Matter<R extends Json, S extends AnyStatement = Statement> {
  /** Check the sensitive values (5) and the key's shape (6); throws ProofError. */
  fits(statement: S, shape: Shape, spec: Spec): void;
  /** Check what is stated beside the label (6); throws ProofError. */
  holds(statement: S, shape: Shape, spec: Spec): void;
  /** Return the words that follow from a statement (7), and its one sentence. */
  words(statement: S, spec: Spec): readonly [R, string];
  /** Compare with what was given beside the policy (8), before it; throws ProofError. Returns what was checked. */
  compared?(statement: S, spec: Spec): readonly string[];
  /** Say whom and what the statement covers (8). */
  covered(spec: Spec): readonly string[];
  /** List the checks that policies make, in the order in which those not made are listed. */
  needs(spec: Spec): readonly Check[];
  /** These checks in words. */
  readonly checks: Readonly<Partial<Record<Check, string>>>;
}

/** The steps (2) to (9) about one committed model under trusted keys. */
export class Steps {
  readonly #commitment: CommitmentDocument;
  readonly #keys: TrustStore;
  readonly #pins: Pins;
  readonly #link: LinkDocument | undefined;
  readonly #loaded = new Map<TrustedKey, Program>();

  /** `link` is the one that the owner published for a kept key, whose certificates are refused without it. */
  constructor(commitment: CommitmentDocument, keys: TrustStore, pins: Pins, link?: LinkDocument) {
    this.#commitment = commitment;
    this.#keys = keys;
    this.#pins = pins;
    this.#link = link;
  }

  /** Return what was verified, or throw. */
  take<R extends Json, S extends AnyStatement>(
    file: ProofFile<R, S>,
    policy: Policy,
    matter: Matter<R, S>,
  ): Passed<R, S> {
    const { spec, digest: commitmentDigest } = this.#commitment;
    const key = this.#key(file);
    const { shape } = key.document;
    this.#checkStatement(file.statement, shape, matter);
    const link = linked(file.statement, key, this.#link, this.#keys, this.#commitment);
    const [statement, linkKey] = [shownBy(file.statement, link), link?.key];
    const [reading, words] = matter.words(statement, spec);
    if (canonicalText(file.fields.reading) !== canonicalText(reading)) {
      refuse(sentence("certificate.words_differ"), "words-differ");
    }
    const { document, signatures } = key;
    const own = { statement, spec, key: document, signatures, pins: this.#pins, commitmentDigest, linkKey };
    const facts = pinnedBy(own, policy);
    requireTranscript(facts, policy);
    const compared = matter.compared?.(statement, spec) ?? [];
    const made = [...checkPolicy(file.fields.query ?? null, facts, policy, matter.covered(spec)), ...compared];
    const digest = statementDigest(statement, shape);
    checkProof(file.proof, toBytes(digest), this.#program(key, link));
    const notMade = leftOpen(facts, policy, matter.needs(spec), matter.checks);
    const identity = toHex(digest);
    const { pins } = facts;
    const passed = { statement, spec, key: document, reading, identity, sentence: words, pins, made, notMade };
    return linkKey ? { ...passed, linkKey: linkKey.document } : passed;
  }

  /** Return the trusted key that the file names (2). */
  #key({ fields }: ProofFile<Json, AnyStatement>): TrustedKey {
    const key = this.#keys.find(fields.key.fingerprint);
    if (key.document.setup !== fields.key.setup) {
      const message = sentence("certificate.setup_differs", { stated: fields.key.setup, actual: key.document.setup });
      throw new UntrustedKeyError(message, "setup-differs");
    }
    const [stated, actual] = [fields.proof_system, key.document.proof_system];
    if (stated !== actual) {
      const message = sentence("certificate.proof_system_differs", { stated, actual });
      throw new UntrustedKeyError(message, "proof-system-differs");
    }
    return key;
  }

  /**
   * Return the program that checks proofs under a key, loaded once; under a kept key beside the link, which is proven
   * then. Throws UntrustedKeyError for a degenerate key, and as {@link opened} does.
   */
  #program(key: TrustedKey, link: Linked | undefined): Program {
    try {
      const load = (): Program => link ? opened(link) : new PROGRAMS[key.document.proof_system](key.verifying);
      const program = this.#loaded.get(key) ?? load();
      this.#loaded.set(key, program);
      return program;
    } catch (error) {
      if (error instanceof MalformedInputError) throw new UntrustedKeyError(error.message, error.reason);
      throw error;
    }
  }

  /** Recompute everything that follows from the trusted spec (3) to (6). */
  #checkStatement<S extends AnyStatement>(statement: S, shape: Shape, matter: Matter<Json, S>): void {
    const { modelCommitment, spec } = this.#commitment;
    if (toHex(statement.modelCommitment) !== modelCommitment) {
      refuse(sentence("certificate.model_differs"), "model-differs");
    }
    if (statement.specDigest !== spec.digest) {
      refuse(sentence("certificate.spec_differs"), "spec-differs");
    }
    matter.fits(statement, shape, spec);
    if (statement.label >= spec.fields.labels.length) {
      const message = sentence("certificate.label_unknown", {
        label: statement.label, count: spec.fields.labels.length,
      });
      refuse(message, "unknown-label");
    }
    matter.holds(statement, shape, spec);
  }
}

/** Refuse a radius above the largest one, and one that is no level of the spec (6). */
export function checkRadius({ radiusSquared }: Statement, spec: Spec): void {
  if (radiusSquared > spec.maxRadiusSquared) {
    refuse(sentence("certificate.radius_too_large"), "radius-too-large");
  }
  if (!showsRadius(spec, radiusSquared)) {
    refuse(sentence("certificate.radius_no_level"), "not-a-level");
  }
}

/** Write the sensitive values that a statement covers: others were not proven. */
export function coveredValues(spec: Spec): string {
  const values = (domain: readonly string[]): string => domain.map(quoted).join(" / ");
  const features = spec.sensitiveFeatures.map(({ name, domain }) => `${quoted(name)} (${values(domain)})`).join(", ");
  return sentence("reading.covers_joint_values", { count: spec.domainTable.length, features });
}

/**
 * Refuse a key of others unless the policy names its transcript or signers (2): metadata is anybody's word. A key that
 * is not pinned is treated as one that its sender may have made.
 */
function requireTranscript(facts: Facts, policy: Policy): void {
  if (!facts.pins.key || policy.covers.has("transcript")) return;
  for (const [{ setup }] of keysOf(facts)) {
    if (setup === "single-party") continue;
    throw new UntrustedKeyError(sentence("policy.key_of_others_in_code", { maker: madeBy(setup) }), "no-transcript");
  }
}

/** Check the statement against the policy, and disclosed data against its commitment (8). */
function checkPolicy(
  query: QueryDocument | null,
  facts: Facts,
  policy: Policy,
  covered: readonly string[],
): readonly string[] {
  const { key, linkKey, pins } = facts;
  const disclosed = query === null ? [] : [new ForQuery(query, sentence("present.certificate_itself"))];
  return [
    sentence("checked.proof", { key: keyInWords(key, pins) }),
    ...(linkKey ? [sentence("checked.link", { key: keyInWords(linkKey.document, pins) })] : []),
    pins.commitment
      ? sentence("reading.about_committed_model")
      : sentence("reading.about_model_that_came"),
    ...covered,
    ...policy.check(facts),
    ...disclosed.flatMap((shown) => shown.check(facts)),
  ];
}

/** Write which key it is; of one that came with the certificate, not what it says of its set-up. */
function keyInWords(key: AnyKeyDocument, pins: Pins): string {
  const [name, system] = [`${fingerprintOf(key).slice(0, 16)}...`, key.proof_system];
  return pins.key
    ? sentence("checked.trusted_key", { name, setup: key.setup, proof_system: system })
    : sentence("checked.key_that_came", { name, proof_system: system });
}

/** Check the proof for the statement digest (9). */
function checkProof(proof: Uint8Array, digest: Uint8Array, key: Program): void {
  try {
    key.verify(digest, proof);
  } catch (error) {
    if (error instanceof MalformedInputError) {
      throw new CertificateFormatError(sentence("certificate.proof_wrong", { problem: error.message }), error.reason);
    }
    if (error instanceof RefusedError) throw new ProofError(error.message, error.reason);
    throw error;
  }
}

/** Throw the error of a statement that does not follow. */
export function refuse(message: string, reason: Reason): never {
  throw new ProofError(message, reason);
}
