/** The scalar field of BN254: canonical encodings and limits. Twin of circuits/field.py. */

import { bigEndian, hex } from "./bytes.js";

/** The order r of the groups of BN254, the modulus of every number in a circuit. */
export const ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

export const BYTES = 32;

/** Return the 32 big-endian bytes of a field element. */
export function toBytes(value: bigint): Uint8Array {
  return bigEndian(value, BYTES);
}

/** Return the 64 hexadecimal digits of a field element. */
export function toHex(value: bigint): string {
  return hex(toBytes(value));
}

/** Read 64 lower-case hexadecimal digits; undefined for anything else, and for values from the order up. */
export function fromHex(text: string): bigint | undefined {
  if (!/^[0-9a-f]{64}$/.test(text)) return undefined;
  const value = BigInt(`0x${text}`);
  return value < ORDER ? value : undefined;
}
