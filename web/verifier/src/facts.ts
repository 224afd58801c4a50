/** What a policy judges, and the checks that a verification makes or leaves open. Twin of verifier/facts.py. */

import type { AnyKeyDocument, KeyDocument, SetupKind } from "./documents.js";
import { sentence } from "./sentence.js";
import type { Spec } from "./spec.js";
import type { AnyStatement, Statement } from "./statement.js";
import type { TrustedLinkKey } from "./trust.js";

/** Checks that a certificate may need, said when they are listed; a verification lists those that are not made. */
export const CHECKS = {
  get commitment() {
    return sentence("unproven.compare_digits", { sentence: sentence("unproven.commitment_that_came") });
  },
  get key() {
    return sentence("unproven.key_that_came");
  },
  get linkKey() {
    return sentence("unproven.link_key_that_came");
  },
  get query() {
    return sentence("unproven.query");
  },
  get foundQuery() {
    return sentence("unproven.query_that_came");
  },
  get context() {
    return sentence("unproven.context");
  },
  get foundContext() {
    return sentence("unproven.compare_texts", { sentence: sentence("unproven.context_that_came") });
  },
  get radius() {
    return sentence("unproven.radius_size");
  },
  get ranges() {
    return sentence("unproven.ranges");
  },
  get transcript() {
    return sentence("unproven.transcript");
  },
  get linkTranscript() {
    return sentence("unproven.link_transcript");
  },
  get setup() {
    return sentence("unproven.single_party_setup");
  },
  get same() {
    return sentence("unproven.same_commitment");
  },
  get log() {
    return sentence("unproven.log_proof_unchecked");
  },
} as const;

/** A check; those of gain certificates are in gain_policies.ts in words, those of box certificates in box.ts. */
export type Check = keyof typeof CHECKS | "gain" | "gainOf" | "unit" | "box" | "boxLabel" | "refusal";

/** Return what made a key, as a noun in a sentence. */
export const madeBy = (setup: SetupKind): string =>
  setup === "ceremony" ? sentence("key.by_ceremony") : sentence("key.by_setup", { setup });

/**
 * Which parts you have from elsewhere than from whoever handed over the certificate. A part that is not pinned came
 * with the certificate itself: it is used, and nobody's word stands behind it. `key` is about both keys where a link
 * shows that the model is the committed one: one of them does not pin the other.
 */
export interface Pins {
  readonly commitment: boolean;
  readonly key: boolean;
}

/** Return the same with what a policy that makes such checks covers and pins: by digits, transcript or signers. */
export function pinnedBy(facts: Facts, { covers }: Policy): Facts {
  const { pins: { commitment, key }, linkKey } = facts;
  const keys = covers.has("key") && (linkKey === undefined || covers.has("linkKey"));
  const pins = { commitment: commitment || covers.has("commitment"), key: key || keys };
  return { ...facts, pins, covered: new Set([...(facts.covered ?? []), ...covers]) };
}

/**
 * What a policy judges: a statement whose parts were recomputed, the spec and the key, and which are pinned.
 * `signatures` is the unread note of those who checked the key's transcript, empty without one. `linkKey` is the key of
 * the link that a certificate of a kept model comes with: whatever is required of a key is required of both.
 */
export interface Facts {
  readonly statement: AnyStatement;
  readonly spec: Spec;
  readonly key: KeyDocument;
  readonly signatures: Uint8Array;
  readonly pins: Pins;
  /** The SHA-256 of the commitment file, as a register knows it. */
  readonly commitmentDigest: string;
  readonly linkKey?: TrustedLinkKey | undefined;
  /** The checks of all policies that are required together with the one that judges. */
  readonly covered?: ReadonlySet<Check> | undefined;
}

/** Return every key that the certificate rests on, each with the note of those who checked its transcript. */
export function keysOf({ key, signatures, linkKey }: Facts): ReadonlyArray<readonly [AnyKeyDocument, Uint8Array]> {
  return [[key, signatures], ...(linkKey ? [[linkKey.document, linkKey.signatures] as const] : [])];
}

/** Return the statement; throws TypeError for one about a box, of which no radius and no query can be required. */
export function aboutABall({ statement }: Facts): Statement {
  if ("boxCommitment" in statement) throw new TypeError(sentence("policy.ball_policy_elsewhere"));
  return statement;
}

/** A requirement. `covers` names the checks that it makes. */
export interface Policy {
  readonly covers: ReadonlySet<Check>;
  /** Return what was checked, in words; throws PolicyError unless the requirement is met. */
  check(facts: Facts): readonly string[];
  /** Whether it, or a part of it, is about decisions, and never about gains. */
  readonly ofDecisions?: boolean;
  /** Whether it, and each part of it, can judge a box certificate: it is about no radius, no query and no gain. */
  readonly ofBoxes?: boolean;
  /** Return what stays open of a requirement that was met. */
  stillOpen?(): readonly string[];
}
