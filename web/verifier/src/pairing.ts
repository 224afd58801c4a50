/**
 * Groth16 over BN254 with one commitment: the check of the other verifiers written once more. Twin of
 * verifier/pairing.py; docs/certificate.md has the formats and the two equations.
 */

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
import { hashToField } from "./hashing.js";
import { Parts, readElement } from "./parts.js";
import { Point } from "./points.js";
import { PROOF_BYTES } from "./proof_systems.js";
import { sentence, written } from "./sentence.js";

const COMMITMENT_DOMAIN = "bsb22-commitment";

/** The bytes of a verifying key. */
export const KEY_BYTES = 528;

/** A verifying key, its points in their subgroups; `negativeSigma` is -sigma times `generator`. */
interface Key {
  readonly alpha: G1Point;
  readonly beta: G2Point;
  readonly gamma: G2Point;
  readonly delta: G2Point;
  readonly inputs: readonly [G1Point, G1Point, G1Point];
  readonly generator: G2Point;
  readonly negativeSigma: G2Point;
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
    const key = this.#key;
    const parts = new Parts(proof, PROOF_BYTES["groth16-bn254"], "proof");
    const [a, b, c] = [parts.g1("A"), parts.g2("B"), parts.g1("C")];
    parts.count(1);
    const [commitment, knowledge] = [parts.g1("D"), parts.g1(written("key.proof_of_knowledge"))];
    const statement = readElement(digest, "statement digest");
    prepare([key.negativeSigma, key.generator, b, key.beta, key.gamma, key.delta]);
    // The owner knows what it committed to: e(D, -sigma G) e(pok, G) = 1.
    if (!multiplyToOne([commitment, key.negativeSigma], [knowledge, key.generator])) {
      throw new RefusedError(sentence("proof.commitment_unopened"), "commitment-not-opened");
    }
    // e(A, B) = e(alpha, beta) e(K_0 + digest K_1 + hash K_2 + D, gamma) e(C, delta)
    const hashed = hashToField(uncompressed(commitment), COMMITMENT_DOMAIN);
    const [one, input, challenge] = key.inputs;
    const bound = Point.sum(G1, [[one, 1n], [input, statement], [challenge, hashed], [commitment, 1n]]);
    if (!multiplyToOne([a.negative, b], [key.alpha, key.beta], [bound, key.gamma], [c, key.delta])) {
      throw new RefusedError(sentence("proof.pairings_differ"), "pairings-differ");
    }
  }
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

/** Read a verifying key; refuse keys that no honest set-up writes. */
function readKey(data: Uint8Array): Key {
  const parts = new Parts(data, KEY_BYTES, "verifying key");
  const alpha = parts.g1("alpha");
  parts.g1("beta in G1");
  const [beta, gamma] = [parts.g2("beta"), parts.g2("gamma")];
  parts.g1("delta in G1");
  const delta = parts.g2("delta");
  // The points of one, of the statement digest and of the commitment's hash; one commitment, to no public input.
  parts.count(3);
  const inputs = [parts.g1("K_0"), parts.g1("K_1"), parts.g1("K_2")] as const;
  for (const wanted of [1, 0, 1]) parts.count(wanted);
  const generator = parts.g2("the commitment's G");
  const key = { alpha, beta, gamma, delta, inputs, generator, negativeSigma: parts.g2(written("key.sigma_g")) };
  const weakness = weaknessOf(key);
  if (weakness !== undefined) throw new MalformedInputError(`verifying key: ${weakness}`, "degenerate-key");
  return key;
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
  // With sigma = 1 or -1, the commitment or its negative would be its own proof of knowledge.
  if (key.generator.isInfinity || key.negativeSigma.isInfinity || alike(key.negativeSigma, key.generator)) {
    return sentence("key.commitment_degenerate");
  }
  return undefined;
}
