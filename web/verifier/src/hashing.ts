/**
 * Hashing bytes to a field element by RFC 9380 with SHA-256, as the proof system derives its commitment's challenge.
 * Twin of verifier/hashing.py.
 */

import { bigEndian, integer, joined, sha256, utf8 } from "./bytes.js";
import { ORDER } from "./field.js";

const BLOCK = 64;
const DIGEST = 32;
// 254 bits and 128 more, so that the remainder is as good as uniform: RFC 9380, section 5.1.
const ELEMENT_BYTES = 48;

/** Return the field element of a message under a domain text (RFC 9380, section 5.2, one element). */
export function hashToField(message: Uint8Array, domain: string): bigint {
  return integer(expandMessage(message, domain, ELEMENT_BYTES)) % ORDER;
}

/** Return `length` pseudo-random bytes: expand_message_xmd of RFC 9380, section 5.3.1. */
export function expandMessage(message: Uint8Array, domain: string, length: number): Uint8Array {
  const name = utf8(domain);
  const suffix = joined(name, Uint8Array.of(name.length));
  const head = joined(new Uint8Array(BLOCK), message, bigEndian(BigInt(length), 2), Uint8Array.of(0), suffix);
  const first = sha256(head);
  const blocks: Uint8Array[] = [];
  let block: Uint8Array = new Uint8Array(DIGEST);
  for (let number = 1; blocks.length * DIGEST < length; number++) {
    const before = block;
    const mixed = first.map((byte, at) => byte ^ (before[at] ?? 0));
    block = sha256(joined(mixed, Uint8Array.of(number), suffix));
    blocks.push(block);
  }
  return joined(...blocks).subarray(0, length);
}
