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

/** Rows of columns as integers. */
type Rows = ReadonlyArray<readonly bigint[]>;

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

/** Commit to the least and the largest integers of n_x columns (R-X-BOX). */
export function boxCommitment(
  inputBits: number,
  blinding: bigint,
  low: readonly bigint[],
  high: readonly bigint[],
): bigint {
  const packed = pack([...low, ...high], inputBits);
  const sizes = [low.length, inputBits, packed.length].map(BigInt);
  return hashElements([tag("equiproof.box"), VERSION, ...sizes, blinding, ...packed]);
}

/** Digest the integers that the circuit takes from a spec (R-DOMAIN): its table, and the box where there is one. */
export function domainDigest(spec: Spec): bigint {
  const { box, domainTable: table } = spec;
  return box === undefined ? rowsDigest(spec, table) : rowsDigest(spec, table, box, ".ranges");
}

/** Digest rows of sensitive columns, and what follows them, under a tag (R-DOMAIN). */
export function rowsDigest(spec: Spec, table: Rows, more: Rows = [], kind = ""): bigint {
  const { input_bits: bits, input_fraction_bits: fractionBits } = spec.fields;
  const packed = pack([...table, ...more].flat(), bits);
  const sizes = [spec.plainColumns, spec.sensitiveColumns, table.length];
  const head = [...sizes, fractionBits, bits, packed.length].map(BigInt);
  return hashElements([tag(`equiproof.domain${kind}`), VERSION, ...head, ...packed]);
}
