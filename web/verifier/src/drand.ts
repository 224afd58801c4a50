/**
 * A round of drand's quicknet: a public random value, which nobody knows before its time. Twin of
 * equiproof/register/lot/drand.py.
 *
 * The signature is BLS, in G1 of BLS12-381, over SHA-256 of the round's number. It must be in its one spelling and in
 * the subgroup of prime order: other bytes that pass would give another random value, chosen by whoever wrote them.
 */

import { bls12_381 } from "@noble/curves/bls12-381.js";

import { bigEndian, same, sha256 } from "./bytes.js";
import { sentence } from "./sentence.js";

const { G1, G2, fields, pairingBatch } = bls12_381;

type Point = InstanceType<typeof G1.Point>;

const [GENESIS, PERIOD] = [1_692_803_367n, 3n];
const MOST_ROUNDS = 1n << 36n;
const SIGNATURE_BYTES = 48;
const DOMAIN = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const KEY =
  "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451" +
  "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a";

/** A signature that is not that of the beacon's round. */
export class BeaconError extends Error {
  override readonly name = "BeaconError";
}

/** Return when a round comes out, in POSIX seconds; BeaconError for a number that no round has. */
export function timeOf(round: bigint): bigint {
  if (round < 1n || round >= MOST_ROUNDS) throw new BeaconError(sentence("beacon.round_out_of_bounds", {
    round, most: MOST_ROUNDS - 1n,
  }));
  return GENESIS + (round - 1n) * PERIOD;
}

/** Return the random value of a round, 32 bytes; BeaconError unless quicknet signed the round. */
export function randomness(round: bigint, signature: Uint8Array): Uint8Array {
  timeOf(round);
  const point = decoded(signature);
  const hashed = G1.hashToCurve(sha256(bigEndian(round, 8)), { DST: DOMAIN });
  const found = pairingBatch([
    { g1: point, g2: G2.Point.BASE },
    { g1: hashed.negate(), g2: G2.Point.fromHex(KEY) },
  ]);
  if (!fields.Fp12.eql(found, fields.Fp12.ONE)) {
    throw new BeaconError(sentence("beacon.signature_of_other_round", { round }));
  }
  return sha256(signature);
}

/** Read a signature: a point of the subgroup in its one spelling. */
function decoded(signature: Uint8Array): Point {
  if (signature.length !== SIGNATURE_BYTES) {
    throw new BeaconError(sentence("beacon.signature_length_wrong", {
      actual: signature.length, required: SIGNATURE_BYTES,
    }));
  }
  const point = onCurve(signature);
  if (point === undefined || !same(point.toBytes(true), signature)) {
    throw new BeaconError(sentence("beacon.signature_not_point"));
  }
  if (point.is0() || !point.isTorsionFree()) {
    throw new BeaconError(sentence("beacon.signature_not_in_subgroup"));
  }
  return point;
}

/** Return the point of 48 bytes; undefined for bytes that encode none. */
function onCurve(signature: Uint8Array): Point | undefined {
  try {
    return G1.Point.fromBytes(Uint8Array.from(signature));
  } catch {
    return undefined;
  }
}
