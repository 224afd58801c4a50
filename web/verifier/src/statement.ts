/**
 * The statement: everything public that a proof is about. Its digest is the proof's one public input. Twin of
 * circuits/statement.py.
 */

import { documentDigest } from "./canonical.js";
import { tag, VERSION } from "./commitment.js";
import { ORDER } from "./field.js";
import { hashElements } from "./poseidon2.js";
import { type Shape, shapeDigest } from "./shape.js";

/** The parts of a statement as field elements; scheme and shape belong to the key instead. */
export interface Statement {
  readonly modelCommitment: bigint;
  readonly specDigest: bigint;
  readonly domainDigest: bigint;
  readonly queryCommitment: bigint;
  /** An index among the spec's labels. */
  readonly label: number;
  /** R2 = eps^2 4^f_x. */
  readonly radiusSquared: bigint;
  readonly contextDigest: bigint;
  /** Undefined for a statement about a decision. */
  readonly gain?: Gain;
}

/**
 * What a statement about a gain has beside: every margin of the label is larger by at least `least` with one row of
 * sensitive columns than with another. One logit is 2^`fractionBits` of it, by the owner's word. The domain digest is
 * that of the two rows alone, the one that gains first.
 */
export interface Gain {
  readonly least: bigint;
  readonly fractionBits: number;
}

/** Return the digest of a statement under a shape (R-STATEMENT). */
export function statementDigest(statement: Statement, shape: Shape): bigint {
  return hashElements([
    tag("equiproof.statement"),
    VERSION,
    tag(shape.scheme),
    shapeDigest(shape),
    statement.modelCommitment,
    statement.specDigest,
    statement.domainDigest,
    statement.queryCommitment,
    BigInt(statement.label),
    statement.radiusSquared,
    statement.contextDigest,
    ...(statement.gain ? [(statement.gain.least + ORDER) % ORDER, BigInt(statement.gain.fractionBits)] : []),
  ]);
}

/** Digest what a certificate was made for: nonce, policy and date, as names and texts. */
export function contextDigest(context: ReadonlyMap<string, string>): bigint {
  return documentDigest("equiproof.context.v2", context);
}
