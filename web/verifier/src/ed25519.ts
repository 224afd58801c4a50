/**
 * Ed25519 signatures, verified as OpenSSL and Go's crypto/ed25519 verify them, to the last verdict.
 *
 * RFC 8032 leaves open whether the equation is multiplied by the cofactor, and programs differ in which encodings of
 * points they take. Here the number must be below the order, the equation is the plain one, and the point that follows
 * from it is written out and compared with the signature's bytes: that point has one form, while a public key may have
 * others (y from p up, or a sign for x = 0). The library's own `verify` multiplies by the cofactor, so it would accept
 * signatures that the other programs refuse.
 */

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";

import { integer, joined, same } from "./bytes.js";

const { Point } = ed25519;
const { ORDER } = Point.Fn;
export const PUBLIC_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** Return whether a signature over a message holds under a public key; throws RangeError for other lengths. */
export function holds(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (publicKey.length !== PUBLIC_BYTES || signature.length !== SIGNATURE_BYTES) {
    throw new RangeError("want a public key of 32 bytes and a signature of 64");
  }
  const [point, number] = [signature.subarray(0, PUBLIC_BYTES), littleEndian(signature.subarray(PUBLIC_BYTES))];
  const key = decoded(publicKey);
  if (key === undefined || number >= ORDER) return false;
  const challenge = littleEndian(sha512(joined(point, publicKey, message))) % ORDER;
  const wanted = Point.BASE.multiplyUnsafe(number).subtract(key.multiplyUnsafe(challenge));
  return same(wanted.toBytes(), point);
}

/** Return the point of a public key in any of its encodings; undefined for bytes that encode none. */
function decoded(publicKey: Uint8Array): InstanceType<typeof Point> | undefined {
  try {
    return Point.fromBytes(Uint8Array.from(publicKey), true);
  } catch {
    return undefined;
  }
}

function littleEndian(data: Uint8Array): bigint {
  return integer(Uint8Array.from(data).reverse());
}
