/**
 * Verification of gain certificates for a relying party: how much a sensitive value gains a person at least. Twin of
 * verifier/verify_gain.py. A module of its own: a page that verifies certificates only does not load it.
 *
 * The nine steps are those of verify.ts, of which these differ. (1) The file is of its own kind. (5) The domain digest
 * is that of the two rows that the statement names, which are rows of the trusted spec's table, and not the same. (6)
 * The key's shape is of relation `gain` under this spec, and the least gain has the width that it has there. (9) The
 * statement digest covers the least gain and its unit.
 *
 * The caller MUST get the commitment file from a source that is the same for every customer, and trust the keys.
 */

import { rowsDigest } from "./commitment.js";
import { type CommitmentDocument, parseCommitment } from "./documents.js";
import type { Check, Policy } from "./facts.js";
import {
  type GainCertificate,
  type GainReading,
  gainReadingOf,
  gainSentenceOf,
  parseGain,
  valuesInWords,
} from "./gain_certificate.js";
import { gainChecks } from "./gain_policies.js";
import { showsGain } from "./levels.js";
import type { LinkDocument } from "./link.js";
import { sentence } from "./sentence.js";
import { fitsGain, holdsGain, nameOf } from "./shape.js";
import { checkRadius, type Matter, type Passed, refuse, Steps } from "./steps.js";
import { TrustStore } from "./trust.js";
import { type Files, linkOf } from "./verify.js";

export { type GainCertificate, type GainReading, type GainStatement, parseGain } from "./gain_certificate.js";
export { GainOf, MinGain, type SensitiveValues } from "./gain_policies.js";

/** A gain certificate that passed every step; only a verification makes one. */
export type VerifiedGain = Passed<GainReading>;

/** The checks that policies make of a gain certificate, in the order in which those not made are listed. */
const NEEDED: readonly Check[] = ["query", "context", "gainOf", "gain", "radius"];

/**
 * Verify a gain certificate against a commitment, trusted keys and a policy. Returns and throws as `verify` does, and
 * TypeError for a policy about decisions.
 */
export function verifyGain(files: Files, policy: Policy): VerifiedGain {
  const certificate = parseGain(files.certificate, "gain.json");
  const commitment = parseCommitment(files.commitment, "commitment.json");
  const link = linkOf(files);
  return new GainVerifier(commitment, new TrustStore(files.keys, files.linkKeys), link).verify(certificate, policy);
}

/** Verifies gain certificates about one committed model under trusted keys; `link` is as for `Verifier`. */
export class GainVerifier {
  readonly #steps: Steps;

  constructor(commitment: CommitmentDocument, keys: TrustStore, link?: LinkDocument) {
    this.#steps = new Steps(commitment, keys, { commitment: true, key: true }, link);
  }

  /** Return what was verified, or throw as {@link verifyGain} does. */
  verify(certificate: GainCertificate | Uint8Array, policy: Policy): VerifiedGain {
    const parsed = certificate instanceof Uint8Array ? parseGain(certificate) : certificate;
    if (policy.ofDecisions) throw new TypeError(sentence("policy.decision_policy_elsewhere", { policy: "a policy" }));
    return this.#steps.take(parsed, policy, matterOf(parsed));
  }
}

/** The statement of a gain certificate. */
function matterOf({ statement, fields }: GainCertificate): Matter<GainReading> {
  const rows = fields.statement;
  return {
    fits({ domainDigest }, shape, spec) {
      const table = spec.domainTable;
      const [first, second] = [table[rows.first], table[rows.second]];
      if (first === undefined || second === undefined || first === second) {
        const message = sentence("gain.values_malformed", {
          first: rows.first, second: rows.second, most: table.length,
        });
        return refuse(message, "unknown-values");
      }
      if (domainDigest !== rowsDigest(spec, [first, second])) {
        const message = sentence("certificate.gain_values_differ");
        refuse(message, "domain-differs");
      }
      if (!fitsGain(shape, spec)) {
        refuse(sentence("key.shape_without_gains", { shape: nameOf(shape).slice(0, 80) }), "shape-differs");
      }
    },
    holds(stated, shape, spec) {
      checkRadius(stated, spec);
      const { gain } = stated;
      if (gain !== undefined && !holdsGain(shape, gain.least)) {
        refuse(sentence("gain.beyond_shape"), "gain-too-large");
      }
      if (gain !== undefined && !showsGain(spec, gain.least, gain.fractionBits)) {
        refuse(sentence("gain.no_level"), "not-a-level");
      }
    },
    words(_, spec) {
      const reading = gainReadingOf(spec, statement, rows);
      return [reading, gainSentenceOf(reading, statement.gain)];
    },
    covered(spec) {
      const { first, second } = gainReadingOf(spec, statement, rows);
      return [sentence("gain.compares", { first: valuesInWords(first), second: valuesInWords(second) })];
    },
    // The sentence has a number in the owner's unit, whatever the policy demands; a gain of 0 has none.
    needs: () => (statement.gain.least === 0n ? NEEDED : [...NEEDED, "unit"]),
    checks: gainChecks(),
  };
}
