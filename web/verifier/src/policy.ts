/**
 * Policies: what a relying party requires beyond a proof that holds. One small class for each requirement. Twin of
 * verifier/policy.py.
 */

import {
  checkContext,
  commitmentOf,
  type Context,
  fingerprintOf,
  type KeyDocument,
  type QueryDocument,
  type SetupKind,
} from "./documents.js";
import { PolicyError, type Reason } from "./errors.js";
import { toHex } from "./field.js";
import { ZERO } from "./numbers.js";
import type { ProofSystem } from "./proof_systems.js";
import type { Spec } from "./spec.js";
import { decimal } from "./spec_check.js";
import { contextDigest, type Statement } from "./statement.js";
import { plain } from "./text.js";
import { cut, radiusOfAny } from "./units.js";

/** Checks that a certificate may need; a verification lists those that its policy does not make. */
export const CHECKS = {
  query: "that the certificate is about your own data",
  context: "that it was made for this application: nonce, policy and date",
  radius: "that the radius is large enough for you",
  ranges: "that the spec's ranges include everybody you have in mind",
  transcript: "that the transcript of the key's set-up was checked",
  setup: "that proofs under this key cannot be forged: a single party ran its set-up",
} as const;

export type Check = keyof typeof CHECKS;

/** Return what made a key, as a noun in a sentence. */
export const madeBy = (setup: SetupKind): string => (setup === "ceremony" ? setup : `${setup} set-up`);

/** What a policy judges: a statement whose parts were recomputed, the trusted spec and the trusted key. */
export interface Facts {
  readonly statement: Statement;
  readonly spec: Spec;
  readonly key: KeyDocument;
}

/** A requirement. `covers` names the checks that it makes. */
export interface Policy {
  readonly covers: ReadonlySet<Check>;
  /** Return what was checked, in words; throws PolicyError unless the requirement is met. */
  check(facts: Facts): readonly string[];
}

const NOTHING: ReadonlySet<Check> = new Set();

/** Require a radius of at least this decimal, in the spec's units; throws SpecError for other text. */
export class MinRadius implements Policy {
  readonly radius: string;
  readonly covers: ReadonlySet<Check>;

  constructor(radius: string) {
    this.radius = radius;
    // A minimum of 0 leaves open whether the radius is large enough.
    this.covers = decimal(radius, "minimum radius").compare(ZERO) > 0 ? new Set(["radius"]) : NOTHING;
  }

  /** Compare exactly with the radius for real values: a rounded radius would mislead on a coarse grid. */
  check({ spec, statement }: Facts): readonly string[] {
    const least = decimal(this.radius, "minimum radius");
    const found = radiusOfAny(spec, statement.radiusSquared);
    if (least.compare(ZERO) < 0 || found.compare(least) < 0) {
      throw refused(`the radius is ${cut(found)}, the policy requires ${this.radius}`, "radius-too-small");
    }
    return [`the radius is at least ${this.radius}`];
  }
}

/** Require a certificate about all neighbors: refuse one whose spec restricts them to ranges. */
export class NoRanges implements Policy {
  readonly covers: ReadonlySet<Check> = new Set(["ranges"]);

  check({ spec }: Facts): readonly string[] {
    if (spec.fields.use_ranges) {
      const message = "the certificate covers only neighbors inside ranges, the policy accepts no ranges";
      throw refused(message, "ranges-not-accepted");
    }
    return ["neighbors are not restricted to ranges"];
  }
}

/** Require that the certificate is about these raw features under this blinding. */
export class ForQuery implements Policy {
  readonly query: QueryDocument;
  readonly source: string;
  readonly covers: ReadonlySet<Check> = new Set(["query"]);

  constructor(query: QueryDocument, source = "the query file") {
    this.query = query;
    this.source = source;
  }

  /** Recompute the query commitment; throws CertificateFormatError too, for features that do not fit the spec. */
  check({ spec, statement }: Facts): readonly string[] {
    if (commitmentOf(this.query, spec) !== statement.queryCommitment) {
      throw refused(`the certificate is about other data than ${this.source}`, "other-query");
    }
    return [`it is about the data in ${this.source}`];
  }
}

/** Require that the certificate was made for this context; CertificateFormatError for one that can be guessed. */
export class ForContext implements Policy {
  readonly context: Context;
  readonly covers: ReadonlySet<Check> = new Set(["context"]);

  /** Keep a copy. Without a nonce it is refused: a certificate that was made without a context would match it. */
  constructor(context: Context) {
    this.context = checkContext(new Map(context), "context");
  }

  check({ statement }: Facts): readonly string[] {
    if (contextDigest(this.context) !== statement.contextDigest) {
      throw refused("the certificate was made for another context", "other-context");
    }
    const shown = [...this.context].map(([name, value]) => `${plain(name).slice(0, 40)} ${plain(value).slice(0, 60)}`);
    return [`it was made for this context: ${shown.join(", ")}`];
  }
}

/** Require a proof system of the trusted key. */
export class ProofSystemIs implements Policy {
  readonly proofSystem: ProofSystem;
  readonly covers = NOTHING;

  constructor(proofSystem: ProofSystem) {
    this.proofSystem = proofSystem;
  }

  check({ key }: Facts): readonly string[] {
    if (key.proof_system !== this.proofSystem) {
      const message = `the key's proof system is ${key.proof_system}, the policy requires ${this.proofSystem}`;
      throw refused(message, "other-proof-system");
    }
    return [`the proof system is ${this.proofSystem}`];
  }
}

/** Require a kind of set-up, such as a ceremony. */
export class SetupIs implements Policy {
  readonly setup: SetupKind;
  readonly covers: ReadonlySet<Check>;

  constructor(setup: SetupKind) {
    this.setup = setup;
    // Requiring a single party does not remove the risk that it brings.
    this.covers = setup === "single-party" ? NOTHING : new Set(["setup"]);
  }

  check({ key }: Facts): readonly string[] {
    if (key.setup !== this.setup) {
      throw refused(`the key's set-up is ${key.setup}, the policy requires ${this.setup}`, "other-setup");
    }
    return [`the key's set-up is ${key.setup}`];
  }
}

/** Require one key by its fingerprint. */
export class KeyIs implements Policy {
  readonly fingerprint: string;
  readonly covers = NOTHING;

  constructor(fingerprint: string) {
    this.fingerprint = fingerprint;
  }

  check({ key }: Facts): readonly string[] {
    const found = fingerprintOf(key);
    if (found !== this.fingerprint) {
      const message = `the key is ${found.slice(0, 16)}..., the policy requires ${this.fingerprint.slice(0, 16)}...`;
      throw refused(message, "other-key");
    }
    return ["the proof was made under the required key"];
  }
}

/** Require one model commitment, as 64 hexadecimal digits: what a public registry pins. */
export class ModelIs implements Policy {
  readonly modelCommitment: string;
  readonly covers = NOTHING;

  constructor(modelCommitment: string) {
    this.modelCommitment = modelCommitment;
  }

  check({ statement }: Facts): readonly string[] {
    if (toHex(statement.modelCommitment) !== this.modelCommitment) {
      throw refused("the certificate is about another model", "other-model");
    }
    return ["it is about the required model commitment"];
  }
}

/** Require every one of several policies; RangeError for none: use UnsafeNoPolicy for that. */
export class AllOf implements Policy {
  readonly policies: readonly Policy[];

  constructor(...policies: readonly Policy[]) {
    if (!policies.length) throw new RangeError("AllOf() requires nothing: name a policy, or say UnsafeNoPolicy()");
    this.policies = policies;
  }

  get covers(): ReadonlySet<Check> {
    return new Set(this.policies.flatMap((policy) => [...policy.covers]));
  }

  /** Check the policies in their order; the first that is not met refuses. */
  check(facts: Facts): readonly string[] {
    return this.policies.flatMap((policy) => policy.check(facts));
  }
}

/** Require at least one of several policies; RangeError for none, since no certificate could meet that. */
export class AnyOf implements Policy {
  readonly policies: readonly Policy[];

  constructor(...policies: readonly Policy[]) {
    if (!policies.length) throw new RangeError("AnyOf() can never be met: name a policy");
    this.policies = policies;
  }

  /** What all of the policies cover: which of them is met is not known beforehand. */
  get covers(): ReadonlySet<Check> {
    const all = new AllOf(...this.policies).covers;
    return new Set([...all].filter((check) => this.policies.every((policy) => policy.covers.has(check))));
  }

  /** Check the policies in their order until one is met; a refusal lists what each of them lacked. */
  check(facts: Facts): readonly string[] {
    const lacking: string[] = [];
    for (const policy of this.policies) {
      try {
        const met = policy.check(facts).join("; ") || "it requires nothing";
        return [`one of ${this.policies.length} accepted policies is met: ${met}`];
      } catch (error) {
        if (!(error instanceof PolicyError)) throw error;
        lacking.push(`(${lacking.length + 1}) ${error.message}`);
      }
    }
    throw refused(`none of ${lacking.length} accepted policies is met: ${lacking.join("; ")}`, "no-policy-met");
  }
}

/** Require nothing: any true certificate passes, of any radius, applicant and context. Warns each time. */
export class UnsafeNoPolicy implements Policy {
  readonly covers = NOTHING;

  constructor() {
    console.warn("no policy: any true certificate passes, whoever and whatever it is about");
  }

  check(): readonly string[] {
    return [];
  }
}

function refused(message: string, reason: Reason): PolicyError {
  return new PolicyError(message, reason);
}
