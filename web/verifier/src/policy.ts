/**
 * Policies: what a relying party requires beyond a proof that holds. One small class for each requirement. Twin of
 * verifier/policy.py.
 */

import {
  checkContext,
  commitmentOf,
  type Context,
  fingerprintOf,
  type QueryDocument,
  type SetupKind,
} from "./documents.js";
import { PolicyError, type Reason, SpecError } from "./errors.js";
import { aboutABall, type Check, type Facts, keysOf, type Policy } from "./facts.js";
import { fromHex, toHex } from "./field.js";
import { listed, quoted } from "./names.js";
import { ZERO } from "./numbers.js";
import type { ProofSystem } from "./proof_systems.js";
import { sentence } from "./sentence.js";
import { decimal } from "./spec_check.js";
import { contextDigest } from "./statement.js";
import { plain } from "./text.js";
import { cut, radiusOfAny } from "./units.js";

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

  /** Return the policy of a policy file; SpecError for a radius below 0, which means nothing. */
  static required(radius: string): MinRadius {
    if (decimal(radius, "minimum radius").compare(ZERO) < 0) throw new SpecError(`${radius} is below 0`);
    return new MinRadius(radius);
  }

  /** Compare exactly with the radius for real values: a rounded radius would mislead on a coarse grid. */
  check(facts: Facts): readonly string[] {
    const least = decimal(this.radius, "minimum radius");
    const found = radiusOfAny(facts.spec, aboutABall(facts).radiusSquared);
    if (least.compare(ZERO) < 0 || found.compare(least) < 0) {
      throw refused(sentence("policy.radius_too_small", {
        stated: cut(found), required: this.radius,
      }), "radius-too-small");
    }
    return [sentence("checked.radius", { radius: this.radius })];
  }
}

/** Require that the certificate is about these raw features under this blinding; `found` came with it. */
export class ForQuery implements Policy {
  readonly query: QueryDocument;
  readonly source: string;
  readonly covers: ReadonlySet<Check>;

  constructor(query: QueryDocument, source = sentence("reading.query_file"), found = false) {
    this.query = query;
    this.source = source;
    this.covers = new Set([found ? "foundQuery" : "query"]);
  }

  /** Recompute the query commitment; throws CertificateFormatError too, for features that do not fit the spec. */
  check(facts: Facts): readonly string[] {
    if (commitmentOf(this.query, facts.spec) !== aboutABall(facts).queryCommitment) {
      throw refused(sentence("policy.query_differs", { source: this.source }), "other-query");
    }
    return [sentence("checked.query", { source: this.source })];
  }
}

/**
 * Require that the certificate was made for this context; `found` came with it. CertificateFormatError for one that can
 * be guessed.
 */
export class ForContext implements Policy {
  readonly ofBoxes = true;
  readonly context: Context;
  readonly covers: ReadonlySet<Check>;

  /** Keep a copy. Without a nonce it is refused: a certificate that was made without a context would match it. */
  constructor(context: Context, found = false) {
    this.context = checkContext(new Map(context), "context");
    this.covers = new Set([found ? "foundContext" : "context"]);
  }

  check({ statement }: Facts): readonly string[] {
    if (contextDigest(this.context) !== statement.contextDigest) {
      throw refused(sentence("policy.context_differs"), "other-context");
    }
    const shown = [...this.context].map(([name, value]) => `${plain(name).slice(0, 40)} ${plain(value).slice(0, 60)}`);
    const which = this.covers.has("context") ? sentence("word.this_context") : sentence("reading.context_that_came");
    return [sentence("checked.context", { source: which, fields: shown.join(", ") })];
  }
}

/** Require that the spec lists at least these features as sensitive; RangeError for no feature. */
export class CoversFeatures implements Policy {
  readonly ofBoxes = true;
  readonly features: readonly string[];
  readonly covers = NOTHING;

  constructor(features: readonly string[]) {
    if (!features.length) throw new RangeError(sentence("policy.features_unnamed"));
    this.features = [...features];
  }

  /** Compare names: a certificate covers every combination of the values of all features that its spec lists. */
  check({ spec }: Facts): readonly string[] {
    const sensitive = spec.sensitiveFeatures.map(({ name }) => name);
    const lacking = this.features.find((name) => !sensitive.includes(name));
    if (lacking !== undefined) {
      const missing = `'${plain(lacking.slice(0, 40))}'`;
      const known = listed(sensitive);
      throw refused(sentence("policy.features_not_covered", { missing, sensitive: known }), "features-not-covered");
    }
    return [sentence("checked.features_covered", { features: this.features.map(quoted).join(", ") })];
  }
}

/** Require a proof system of the trusted key. */
export class ProofSystemIs implements Policy {
  readonly ofBoxes = true;
  readonly proofSystem: ProofSystem;
  readonly covers = NOTHING;

  constructor(proofSystem: ProofSystem) {
    this.proofSystem = proofSystem;
  }

  /** Compare with the trusted key's own record; a link's key has always that of the certificate's. */
  check({ key }: Facts): readonly string[] {
    if (key.proof_system !== this.proofSystem) {
      const message = sentence("policy.proof_system_differs", { stated: key.proof_system, required: this.proofSystem });
      throw refused(message, "other-proof-system");
    }
    return [sentence("checked.proof_system", { proof_system: this.proofSystem })];
  }
}

/** Require a kind of set-up, such as a ceremony; refuses a key that is not pinned, whatever it says of itself. */
export class SetupIs implements Policy {
  readonly ofBoxes = true;
  readonly setup: SetupKind;
  readonly covers: ReadonlySet<Check>;

  constructor(setup: SetupKind) {
    this.setup = setup;
    // Requiring a single party does not remove the risk that it brings.
    this.covers = setup === "single-party" ? NOTHING : new Set(["setup"]);
  }

  check(facts: Facts): readonly string[] {
    if (!facts.pins.key) {
      throw refused(sentence("policy.setup_of_key_that_came"), "other-setup");
    }
    for (const [{ setup: stated }] of keysOf(facts)) {
      if (stated === this.setup) continue;
      throw refused(sentence("policy.setup_differs", { stated, required: this.setup }), "other-setup");
    }
    return [sentence("checked.setup", { setup: this.setup })];
  }
}

/** Require the certificate's key by its fingerprint. It does not pin the key of a link: LinkKeyIs does. */
export class KeyIs implements Policy {
  readonly ofBoxes = true;
  readonly fingerprint: string;
  readonly covers: ReadonlySet<Check> = new Set(["key"]);

  constructor(fingerprint: string) {
    this.fingerprint = fingerprint;
  }

  check({ key }: Facts): readonly string[] {
    const found = fingerprintOf(key);
    if (found !== this.fingerprint) {
      const message = sentence("policy.key_differs", {
        stated: found.slice(0, 16), required: this.fingerprint.slice(0, 16),
      });
      throw refused(message, "other-key");
    }
    return [sentence("checked.required_key")];
  }
}

/**
 * Require the key of the link that a certificate of a kept model comes with, by its fingerprint, which pins it. A
 * certificate without a link is refused.
 */
export class LinkKeyIs implements Policy {
  readonly fingerprint: string;
  readonly covers: ReadonlySet<Check> = new Set(["linkKey"]);

  constructor(fingerprint: string) {
    this.fingerprint = fingerprint;
  }

  check({ linkKey }: Facts): readonly string[] {
    if (!linkKey) throw refused(sentence("policy.link_absent"), "other-link-key");
    const found = fingerprintOf(linkKey.document);
    if (found !== this.fingerprint) {
      const message = sentence("policy.link_key_differs", {
        stated: found.slice(0, 16), required: this.fingerprint.slice(0, 16),
      });
      throw refused(message, "other-link-key");
    }
    return [sentence("checked.required_link_key")];
  }
}

/** Require one model commitment, as 64 hexadecimal digits: what a public registry pins. */
export class ModelIs implements Policy {
  readonly ofBoxes = true;
  readonly modelCommitment: string;
  readonly covers: ReadonlySet<Check> = new Set(["commitment"]);

  constructor(modelCommitment: string) {
    this.modelCommitment = modelCommitment;
  }

  /** Return the policy of a policy file; SpecError for digits of no field element. */
  static required(digits: string): ModelIs {
    if (fromHex(digits) === undefined) throw new SpecError(sentence("value.not_below_order"));
    return new ModelIs(digits);
  }

  check({ statement }: Facts): readonly string[] {
    if (toHex(statement.modelCommitment) !== this.modelCommitment) {
      throw refused(sentence("policy.model_differs"), "other-model");
    }
    return [sentence("checked.model_commitment")];
  }
}

function refused(message: string, reason: Reason): PolicyError {
  return new PolicyError(message, reason);
}
