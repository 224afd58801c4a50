// The arithmetic of an audit by lot. Integers travel as decimal text, bytes as hexadecimal digits.
import { randomness, timeOf } from "../../web/verifier/src/drand.js";
import { atLeast, drawnPlaces, sealed, seedOfBeacon, seedOfNonces } from "../../web/verifier/src/lot.js";

const bytes = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, "hex"));
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");

/** A confidence such as 0.95 as a fraction. */
const fraction = (text: string): readonly [bigint, bigint] => {
  const [, digits = ""] = text.split(".");
  return [BigInt(digits), 10n ** BigInt(digits.length)];
};

export const lot_at_least = (receipts: number, drawn: number, bad: number, confidence: string): string =>
  String(atLeast(BigInt(receipts), BigInt(drawn), BigInt(bad), fraction(confidence)));
export const lot_places = (seed: string, receipts: string, drawn: number): readonly string[] =>
  drawnPlaces(bytes(seed), BigInt(receipts), drawn).map(String);
export const lot_sealed = (period: string, party: string, nonce: string): string =>
  hex(sealed(bytes(period), bytes(party), bytes(nonce)));
export const lot_seed_of_nonces = (period: string, nonces: readonly string[]): string =>
  hex(seedOfNonces(bytes(period), nonces.map(bytes)));
export const lot_seed_of_beacon = (period: string, random: string): string =>
  hex(seedOfBeacon(bytes(period), bytes(random)));
export const lot_randomness = (round: number, signature: string): string =>
  hex(randomness(BigInt(round), bytes(signature)));
export const lot_time = (round: number): string => String(timeOf(BigInt(round)));
