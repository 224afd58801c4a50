/**
 * Commitments and digests. Twin of circuits/commitment.py.
 *
 * All are Poseidon2 over (domain tag, version, sizes, ..., packed integers). Packing is injective: every integer is
 * shifted by the lower end of its width and takes that width in bits of a 248-bit element (docs/relation.md).
 */

import { integer, utf8 } from "./bytes.js";
import { hashElements } from "./poseidon2.js";
import type { Spec } from "./spec.js";

export const VERSION = 2n;
const PACK_BITS = 248;

/** Return a domain tag as a field element: its ASCII bytes, big-endian. */
export function tag(text: string): bigint {
  return integer(utf8(text));
}

/** Pack signed integers of one width into field elements; throws RangeError where one does not fit. */
export function pack(values: Iterable<bigint>, width: number): readonly bigint[] {
  const offset = 1n << BigInt(width - 1);
  const packed: bigint[] = [];
  let element = 0n;
  let used = 0;
  for (const value of values) {
    if (value < -offset || value >= offset) throw new RangeError(`${value} does not fit ${width} bits`);
    if (used + width > PACK_BITS) {
      packed.push(element);
      [element, used] = [0n, 0];
    }
    element |= (value + offset) << BigInt(used);
    used += width;
  }
  return used ? [...packed, element] : packed;
}

/** Commit to a query's n_x integers (R-QUERY). */
export function queryCommitment(inputBits: number, blinding: bigint, query: readonly bigint[]): bigint {
  const packed = pack(query, inputBits);
  const sizes = [query.length, inputBits, packed.length].map(BigInt);
  return hashElements([tag("equiproof.query"), VERSION, ...sizes, blinding, ...packed]);
}

/** Digest the integers that the circuit takes from a spec (R-DOMAIN): its table, and the box where there is one. */
export function domainDigest(spec: Spec): bigint {
  const { box, fields } = spec;
  const packed = pack([...spec.domainTable, ...(box ?? [])].flat(), fields.input_bits);
  const sizes = [spec.plainColumns, spec.sensitiveColumns, spec.domainTable.length];
  const head = [...sizes, fields.input_fraction_bits, fields.input_bits, packed.length].map(BigInt);
  const name = box === undefined ? "equiproof.domain" : "equiproof.domain.ranges";
  return hashElements([tag(name), VERSION, ...head, ...packed]);
}
