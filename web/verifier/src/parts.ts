/**
 * Files whose parts are all of fixed length: points, field elements and counts, each in its one form. Twin of
 * verifier/parts.py.
 */

import { bigEndian, hex, integer } from "./bytes.js";
import { type G1Point, type G2Point, readG1, readG2 } from "./curve.js";
import { MalformedInputError, type Reason } from "./errors.js";
import { BYTES, ORDER } from "./field.js";
import { sentence } from "./sentence.js";

export const COUNT_BYTES = 4;
export const INDEX_BYTES = 8;

/** Reads a file part by part; its length, and the lengths inside it, are fixed. */
export class Parts {
  readonly #data: Uint8Array;
  readonly #what: string;
  #at = 0;

  constructor(data: Uint8Array, length: number, what: string) {
    if (data.length !== length) throw malformed(`${what}: ${data.length} bytes, want ${length}`, "wrong-length");
    this.#data = data;
    this.#what = what;
  }

  g1(name: string): G1Point {
    return readG1(this.#next(BYTES), `${this.#what}: ${name}`);
  }

  g2(name: string): G2Point {
    return readG2(this.#next(2 * BYTES), `${this.#what}: ${name}`);
  }

  element(name: string): bigint {
    return readElement(this.#next(BYTES), `${this.#what}: ${name}`);
  }

  /** Read a number of eight bytes. */
  number(): bigint {
    return integer(this.#next(INDEX_BYTES));
  }

  /** Read a length that is always the same; an index is one of so many bytes. */
  count(wanted: number, bytes = COUNT_BYTES): void {
    const at = this.#at;
    if (hex(this.#next(bytes)) !== hex(bigEndian(BigInt(wanted), bytes))) {
      throw malformed(sentence("key.count_wrong", { what: this.#what, position: at, required: wanted }), "wrong-count");
    }
  }

  #next(length: number): Uint8Array {
    this.#at += length;
    return this.#data.subarray(this.#at - length, this.#at);
  }
}

/** Read 32 bytes as a field element; throws MalformedInputError naming the value. */
export function readElement(data: Uint8Array, name: string): bigint {
  const value = integer(data);
  if (data.length !== BYTES || value >= ORDER) throw malformed(sentence("value.named_not_below_order", {
    name,
  }), "bad-element");
  return value;
}

function malformed(message: string, reason: Reason): MalformedInputError {
  return new MalformedInputError(message, reason);
}
