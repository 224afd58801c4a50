/**
 * The statement: everything public that a proof is about. Its digest is the proof's one public input. Twin of
 * circuits/statement.py.
 */

import { documentDigest } from "./canonical.js";
import { tag, VERSION } from "./commitment.js";
import { ORDER } from "./field.js";
import { hashElements } from "./poseidon2.js";
import { type Shape, shapeDigest } from "./shape.js";

/** What every statement has, as field elements; scheme and shape belong to the key instead. */
interface Stated {
  readonly modelCommitment: bigint;
  readonly specDigest: bigint;
  readonly domainDigest: bigint;
  /** An index among the spec's labels. */
  readonly label: number;
  readonly contextDigest: bigint;
}

/** The parts of a statement about a ball around somebody's query. */
export interface Statement extends Stated {
  readonly queryCommitment: bigint;
  /** R2 = eps^2 4^f_x. */
  readonly radiusSquared: bigint;
  /** Undefined for a statement about a decision. */
  readonly gain?: Gain;
  /** What a link shows of a kept model; undefined for any other. */
  readonly shown?: bigint;
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

/**
 * The parts of a statement about a box: everybody in it is decided `label`. The domain digest is that of the spec's
 * table alone. Nobody's query and no radius are in it.
 */
export interface BoxStatement extends Stated {
  readonly boxCommitment: bigint;
}

/** Any statement. */
export type AnyStatement = Statement | BoxStatement;

/** Return the digest of a statement under a shape (R-STATEMENT). */
export function statementDigest(statement: AnyStatement, shape: Shape): bigint {
  const { modelCommitment, specDigest, domainDigest, contextDigest } = statement;
  const label = BigInt(statement.label);
  const start = [tag("equiproof.statement"), VERSION, tag(shape.scheme), shapeDigest(shape)];
  const head = [...start, modelCommitment, specDigest, domainDigest];
  if ("boxCommitment" in statement) return hashElements([...head, statement.boxCommitment, label, contextDigest]);
  const { queryCommitment, radiusSquared, gain, shown } = statement;
  const gained = gain ? [(gain.least + ORDER) % ORDER, BigInt(gain.fractionBits)] : [];
  const ofModel = shown === undefined ? [] : [shown];
  return hashElements([...head, queryCommitment, label, radiusSquared, contextDigest, ...gained, ...ofModel]);
}

/** Digest what a certificate was made for: nonce, policy and date, as names and texts. */
export function contextDigest(context: ReadonlyMap<string, string>): bigint {
  return documentDigest("equiproof.context.v2", context);
}
