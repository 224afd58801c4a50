/**
 * Groth16 over BN254 with one commitment or two: the check of the other verifiers written once more. Twin of
 * verifier/pairing.py; docs/proof.md has the formats and the two equations.
 */

import { joined } from "./bytes.js";
import {
  alike,
  G1,
  type G1Point,
  type G2Point,
  GENERATOR1,
  GENERATOR2,
  multiplyToOne,
  prepare,
  uncompressed,
} from "./curve.js";
import { MalformedInputError, RefusedError } from "./errors.js";
import { toBytes } from "./field.js";
import { hashToField } from "./hashing.js";
import { INDEX_BYTES, Parts, readElement } from "./parts.js";
import { Point } from "./points.js";
import { KEPT_PROOF_BYTES, PROOF_BYTES } from "./proof_systems.js";
import { sentence, written } from "./sentence.js";

const COMMITMENT_DOMAIN = "bsb22-commitment";
const FOLDING_DOMAIN = "G16-BSB22";

/** How many commitments the proofs of a key have: two where the model is kept. */
export type Commitments = 1 | 2;

/** The bytes of a verifying key and of a proof, by the number of commitments. */
const KEY_LENGTHS = { 1: 528, 2: 700 } as const;
const PROOF_LENGTHS = { 1: PROOF_BYTES["groth16-bn254"], 2: KEPT_PROOF_BYTES } as const;

/**
 * A verifying key, its points in their subgroups. `inputs` are the points of one, of the statement digest and of each
 * commitment's hash; each of `negativeSigmas` is -sigma of a commitment times `generator`.
 */
export interface Key {
  readonly alpha: G1Point;
  readonly beta: G2Point;
  readonly gamma: G2Point;
  readonly delta: G2Point;
  readonly inputs: readonly G1Point[];
  readonly generator: G2Point;
  readonly negativeSigmas: readonly G2Point[];
}

/** A proof: A, B and C of Groth16, the commitments to private wires, and one proof of knowledge for all of them. */
interface Proof {
  readonly a: G1Point;
  readonly b: G2Point;
  readonly c: G1Point;
  readonly commitments: readonly G1Point[];
  readonly knowledge: G1Point;
}

/** A verifying key, ready to check proofs; the constructor throws MalformedInputError for a degenerate key. */
export class VerifyingKey {
  readonly #key: Key;

  constructor(key: Uint8Array) {
    this.#key = readKey(key);
  }

  /**
   * Check that the proof holds for the statement digest, 32 big-endian bytes.
   *
   * Throws RefusedError unless it does, MalformedInputError for malformed bytes.
   */
  verify(digest: Uint8Array, proof: Uint8Array): void {
    const points = readProof(proof);
    check(this.#key, points, readElement(digest, "statement digest"));
  }
}

/** Check the two equations of a proof; throws RefusedError unless both hold. */
export function check(key: Key, { a, b, c, commitments, knowledge }: Proof, statement: bigint): void {
  prepare([...key.negativeSigmas, key.generator, b, key.beta, key.gamma, key.delta]);
  const hashes = challenges(commitments);
  // The owner knows what it committed to: e(D_1, -sigma_1 G) e(f D_2, -sigma_2 G) e(pok, G) = 1.
  const opened = commitments.map((point, place): readonly [G1Point, G2Point] => [
    place ? point.times(folding(hashes)) : point,
    key.negativeSigmas[place] ?? key.generator,
  ]);
  if (!multiplyToOne(...opened, [knowledge, key.generator])) {
    throw new RefusedError(sentence("proof.commitment_unopened"), "commitment-not-opened");
  }
  // e(A, B) = e(alpha, beta) e(K_0 + digest K_1 + hash K_2 .. + D .., gamma) e(C, delta)
  const factors = [1n, statement, ...hashes];
  const bound = Point.sum(G1, [
    ...key.inputs.map((point, place): readonly [G1Point, bigint] => [point, factors[place] ?? 0n]),
    ...commitments.map((point): readonly [G1Point, bigint] => [point, 1n]),
  ]);
  if (!multiplyToOne([a.negative, b], [key.alpha, key.beta], [bound, key.gamma], [c, key.delta])) {
    throw new RefusedError(sentence("proof.pairings_differ"), "pairings-differ");
  }
}

/** Return the hash of each commitment; each takes those of the commitments before it, too. */
export function challenges(commitments: readonly G1Point[]): readonly bigint[] {
  const hashes: bigint[] = [];
  for (const commitment of commitments) {
    hashes.push(hashToField(joined(uncompressed(commitment), ...hashes.map(toBytes)), COMMITMENT_DOMAIN));
  }
  return hashes;
}

/** Return the factor of the second commitment in the proof of knowledge, which the hashes of both decide. */
export function folding(hashes: readonly bigint[]): bigint {
  return hashToField(joined(...hashes.map(toBytes)), FOLDING_DOMAIN);
}

/** Read a proof; throws MalformedInputError naming the first wrong part. */
export function readProof(data: Uint8Array, count: Commitments = 1): Proof {
  const parts = new Parts(data, PROOF_LENGTHS[count], "proof");
  const [a, b, c] = [parts.g1("A"), parts.g2("B"), parts.g1("C")];
  parts.count(count);
  const commitments = (count === 1 ? ["D"] : ["D1", "D2"]).map((name) => parts.g1(name));
  return { a, b, c, commitments, knowledge: parts.g1(written("key.proof_of_knowledge")) };
}

/**
 * Check a proof (196 bytes) for a statement digest (32) under a verifying key (528).
 *
 * Returns nothing if the proof holds. Throws RefusedError if it does not, MalformedInputError for malformed bytes or a
 * degenerate key. What the digest stands for, and whether the key deserves trust, is left to the caller.
 */
export function verifyProof(key: Uint8Array, digest: Uint8Array, proof: Uint8Array): void {
  new VerifyingKey(key).verify(digest, proof);
}

/** Read a verifying key; throws MalformedInputError for malformed bytes and for what no honest set-up writes. */
export function readKey(data: Uint8Array, commitments: Commitments = 1): Key {
  const parts = new Parts(data, KEY_LENGTHS[commitments], "verifying key");
  const alpha = parts.g1("alpha");
  parts.g1("beta in G1");
  const [beta, gamma] = [parts.g2("beta"), parts.g2("gamma")];
  parts.g1("delta in G1");
  const delta = parts.g2("delta");
  // The points of one, of the statement digest and of each commitment's hash.
  const inputs = counted(parts, 2 + commitments, (place) => parts.g1(`K_${place}`));
  // The hash of a commitment takes those of the commitments before it, and no other input.
  counted(parts, commitments, (earlier) => counted(parts, earlier, (place) => parts.count(2 + place, INDEX_BYTES)));
  const pairs = counted(parts, commitments, () => [
    parts.g2("the commitment's G"), parts.g2(written("key.sigma_g")),
  ] as const);
  const [generator = GENERATOR2] = pairs.map(([own]) => own);
  const key = { alpha, beta, gamma, delta, inputs, generator, negativeSigmas: pairs.map(([, sigma]) => sigma) };
  // All commitments are opened by one equation, so that their generator is one.
  const one = pairs.every(([own]) => own.equals(generator));
  const weakness = one ? weaknessOf(key) : sentence("key.commitment_degenerate");
  if (weakness !== undefined) throw new MalformedInputError(`verifying key: ${weakness}`, "degenerate-key");
  return key;
}

/** Read how many there are, always so many, and each of them. */
function counted<T>(parts: Parts, count: number, read: (place: number) => T): readonly T[] {
  parts.count(count);
  return Array.from({ length: count }, (_, place) => read(place));
}

/** Return what makes a key degenerate, or undefined. Each of these made forged proofs possible in a deployed system. */
function weaknessOf(key: Key): string | undefined {
  // A forgery for a point is, up to a sign, a forgery for its negative.
  if (alike(key.gamma, key.delta)) {
    return sentence("key.gamma_delta");
  }
  for (const [name, point] of [["beta", key.beta], ["delta", key.delta]] as const) {
    if (point.isInfinity || alike(point, GENERATOR2)) {
      return sentence("key.point_degenerate", { point: name });
    }
  }
  // Ceremonies set gamma to the generator, which is sound as long as the discrete logarithm of delta is unknown.
  if (key.gamma.isInfinity) return sentence("key.gamma_infinite");
  if (key.alpha.isInfinity || alike(key.alpha, GENERATOR1)) {
    return sentence("key.alpha_degenerate");
  }
  const open = key.inputs.findIndex((point) => point.isInfinity);
  if (open >= 0) return sentence("key.input_infinite", { number: open });
  // With sigma = 1 or -1, the commitment or its negative would be its own proof of knowledge. With one sigma for two
  // commitments, up to sign, the second could move what the first is of: a certificate would be of another model.
  const known = [key.generator];
  for (const sigma of key.negativeSigmas) {
    if (key.generator.isInfinity || sigma.isInfinity || known.some((other) => alike(sigma, other))) {
      return sentence("key.commitment_degenerate");
    }
    known.push(sigma);
  }
  return undefined;
}
