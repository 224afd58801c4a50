/** Bytes, hexadecimal digits and integers, in one place. */

import { sha256 } from "./sha256.js";

export { sha256 };

const ENCODER = new TextEncoder();
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Return the UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return ENCODER.encode(text);
}

/** Return the parts, one behind the other. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Return bytes as lower-case hexadecimal digits. */
export function hex(data: Uint8Array): string {
  let digits = "";
  for (const byte of data) digits += DIGITS[byte] ?? "";
  return digits;
}

/** Return the integer of big-endian bytes; 0 for none. */
export function integer(data: Uint8Array): bigint {
  return BigInt(`0x0${hex(data)}`);
}

/** Return so many big-endian bytes of an integer from 0 up that fits them. */
export function bigEndian(value: bigint, length: number): Uint8Array {
  const digits = value.toString(16).padStart(2 * length, "0");
  return Uint8Array.from({ length }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** Return whether two runs of bytes are the same. */
export function same(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}
