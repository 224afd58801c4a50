/** What a policy judges, and the checks that a verification makes or leaves open. Twin of verifier/facts.py. */

import type { KeyDocument, SetupKind } from "./documents.js";
import { sentence } from "./sentence.js";
import type { Spec } from "./spec.js";
import type { Statement } from "./statement.js";

/** Checks that a certificate may need; a verification lists those that its policy does not make. */
export const CHECKS = {
  commitment: `${sentence("unproven.commitment_that_came")} (compare its 64 digits with those in a public place)`,
  key: sentence("unproven.key_that_came"),
  query: sentence("unproven.query"),
  foundQuery: sentence("unproven.query_that_came"),
  context: sentence("unproven.context"),
  foundContext: `${sentence("unproven.context_that_came")} (compare its texts with your letter)`,
  radius: sentence("unproven.radius_size"),
  ranges: sentence("unproven.ranges"),
  transcript: sentence("unproven.transcript"),
  setup: sentence("unproven.single_party_setup"),
  same: sentence("unproven.same_commitment"),
  log: sentence("unproven.log_proof_unchecked"),
} as const;

/** A check; those of gain certificates are in gain_policies.ts in words. */
export type Check = keyof typeof CHECKS | "gain" | "gainOf" | "unit";

/** Return what made a key, as a noun in a sentence. */
export const madeBy = (setup: SetupKind): string => (setup === "ceremony" ? setup : `${setup} set-up`);

/**
 * Which parts you have from elsewhere than from whoever handed over the certificate. A part that is not pinned came
 * with the certificate itself: it is used, and nobody's word stands behind it.
 */
export interface Pins {
  readonly commitment: boolean;
  readonly key: boolean;
}

/** Return these pins and those of a policy that makes such checks: by digits, transcript or signers. */
export function pinnedBy({ commitment, key }: Pins, { covers }: Policy): Pins {
  return { commitment: commitment || covers.has("commitment"), key: key || covers.has("key") };
}

/**
 * What a policy judges: a statement whose parts were recomputed, the spec and the key, and which are pinned.
 * `signatures` is the unread note of those who checked the key's transcript, empty without one.
 */
export interface Facts {
  readonly statement: Statement;
  readonly spec: Spec;
  readonly key: KeyDocument;
  readonly signatures: Uint8Array;
  readonly pins: Pins;
  /** The SHA-256 of the commitment file, as a register knows it. */
  readonly commitmentDigest: string;
}

/** A requirement. `covers` names the checks that it makes. */
export interface Policy {
  readonly covers: ReadonlySet<Check>;
  /** Return what was checked, in words; throws PolicyError unless the requirement is met. */
  check(facts: Facts): readonly string[];
  /** Whether it, or a part of it, is about decisions, and never about gains. */
  readonly ofDecisions?: boolean;
  /** Return what stays open of a requirement that was met. */
  stillOpen?(): readonly string[];
}
