/**
 * Certificates of kept models: a key whose proofs have two commitments, and the link that they need. Twin of
 * verifier/kept.py.
 *
 * The first commitment of a proof is of the model, and one point in all certificates under a key. Alone it says nothing
 * of the model commitment: a link, which is proven once under a key of links, shows that both are of one model. So a
 * key of a kept model checks no proof but beside a link.
 */

import { same } from "./bytes.js";
import { readG1 } from "./curve.js";
import { RefusedError } from "./errors.js";
import { BYTES, toBytes } from "./field.js";
import { challenges, check, type Key, readKey, readProof, type VerifyingKey } from "./pairing.js";
import { COUNT_BYTES, readElement } from "./parts.js";
import { sentence } from "./sentence.js";

/** Where the first commitment stands: behind A, B, C and the count of the commitments. */
const FIRST_AT = 4 * BYTES + COUNT_BYTES;

/** What the owner of a kept model publishes once for a key. */
export interface Opening {
  /** The commitment to the model in all certificates, compressed in 32 bytes. */
  readonly point: Uint8Array;
  /** What certificates show of the model, a field element. */
  readonly shown: bigint;
  /** Shows under the key of links that both are of the model commitment. */
  readonly proof: Uint8Array;
}

/** A verifying key for circuits of kept models; the constructor throws MalformedInputError for a degenerate key. */
export class KeptKey {
  readonly #key: Key;

  constructor(key: Uint8Array) {
    this.#key = readKey(key, 2);
  }

  /**
   * Check a link under the key of links, and return what checks certificates beside it.
   *
   * `statement` returns the statement digest of the link from r, where the polynomial of the model was evaluated; r
   * follows from the point alone. The caller puts what is shown into the digest of each certificate. Throws
   * RefusedError unless the link holds, MalformedInputError for malformed bytes.
   */
  open(links: VerifyingKey, { point, proof }: Opening, statement: (r: bigint) => bigint): LinkedKey {
    const [r = 0n] = challenges([readG1(point, "link: point")]);
    links.verify(toBytes(statement(r)), proof);
    return new LinkedKey(this.#key, point);
  }
}

/** A verifying key beside a link that holds. Only {@link KeptKey.open} makes one. */
export class LinkedKey {
  readonly #key: Key;
  readonly #point: Uint8Array;

  constructor(key: Key, point: Uint8Array) {
    [this.#key, this.#point] = [key, point];
  }

  /**
   * Check that the proof holds for the statement digest, 32 big-endian bytes, and is of the link's model.
   *
   * Throws RefusedError unless it is, MalformedInputError for malformed bytes.
   */
  verify(digest: Uint8Array, proof: Uint8Array): void {
    const points = readProof(proof, 2);
    const statement = readElement(digest, "statement digest");
    if (!same(proof.subarray(FIRST_AT, FIRST_AT + BYTES), this.#point)) {
      throw new RefusedError(sentence("proof.first_commitment_differs"), "first-commitment-differs");
    }
    check(this.#key, points, statement);
  }
}
