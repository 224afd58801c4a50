/**
 * The arithmetic of an audit by lot: the draw, the seed that it follows from, and what it shows. Twin of
 * equiproof/register/lot/bound.py and draw.py. A module of its own: who draws by no beacon loads no curve for it.
 */

import { bigEndian, integer, joined, sha256, utf8 } from "./bytes.js";

const MOST_RECEIPTS = 1n << 32n;
const MOST_DRAWN = 10_000n;
const SEALED = utf8("equiproof.lot.sealed.v1\0");
const BY_NONCES = utf8("equiproof.lot.seed.nonces.v1\0");
const BY_BEACON = utf8("equiproof.lot.seed.beacon.v1\0");
const STREAM = utf8("equiproof.lot.draw.v1\0");
const WORDS = 1n << 64n;
const WHOLE = 32;

/** A confidence as a fraction, such as 95 of 100. */
export type Confidence = readonly [bigint, bigint];

/**
 * Return how many of all receipts are good at least, with this confidence, where `bad` of the drawn are not: the exact
 * one-sided bound of a draw without putting back. RangeError for numbers that no lot can have.
 */
export function atLeast(receipts: bigint, drawn: bigint, bad: bigint, [part, whole]: Confidence): bigint {
  const most = receipts < MOST_DRAWN ? receipts : MOST_DRAWN;
  const possible = receipts >= 1n && receipts <= MOST_RECEIPTS && drawn >= 1n && drawn <= most;
  if (!possible || bad < 0n || bad > drawn) throw new RangeError(`${bad} bad of ${drawn} drawn of ${receipts}`);
  if (part <= 0n || part >= whole) throw new RangeError("want a confidence between 0 and 1");
  const enough = (binomial(receipts, drawn) * (whole - part)) / whole + 1n;
  // So many bad ones still had a chance above the doubt; with `beyond` they had none.
  let [held, beyond] = [bad, receipts - (drawn - bad) + 1n];
  while (beyond - held > 1n) {
    const middle = (held + beyond) / 2n;
    if (drawsWith(receipts, drawn, bad, middle) >= enough) held = middle;
    else beyond = middle;
  }
  return receipts - held;
}

/** Return how many of all sets of `drawn` hold at most `bad` of `wrong` bad ones. */
function drawsWith(receipts: bigint, drawn: bigint, bad: bigint, wrong: bigint): bigint {
  const good = receipts - wrong;
  const fewest = drawn > good ? drawn - good : 0n;
  let [one, total] = [binomial(wrong, fewest) * binomial(good, drawn - fewest), 0n];
  for (let held = fewest; held <= bad && held <= wrong; held += 1n) {
    total += one;
    // The next product of binomials from this one; the division leaves nothing over.
    one = (one * (wrong - held) * (drawn - held)) / ((held + 1n) * (good - drawn + held + 1n));
  }
  return total;
}

/** Return the number of sets of `some` out of `all`. */
function binomial(all: bigint, some: bigint): bigint {
  let found = 1n;
  for (let taken = 0n; taken < some; taken += 1n) found = (found * (all - taken)) / (taken + 1n);
  return found;
}

/** Return what a party puts down before anybody opens: over the period's digest, its public key and its number. */
export function sealed(period: Uint8Array, party: Uint8Array, nonce: Uint8Array): Uint8Array {
  return digest(SEALED, period, party, nonce);
}

/** Return the seed of a period's digest and the numbers in the order of its parties. */
export function seedOfNonces(period: Uint8Array, nonces: readonly Uint8Array[]): Uint8Array {
  return digest(BY_NONCES, period, ...nonces);
}

/** Return the seed of a period's digest and the random value of a beacon's round. */
export function seedOfBeacon(period: Uint8Array, random: Uint8Array): Uint8Array {
  return digest(BY_BEACON, period, random);
}

/** Hash parts of 32 bytes behind a tag; RangeError for any other, since parts without lengths would run together. */
function digest(tag: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const wrong = parts.find(({ length }) => length !== WHOLE);
  if (wrong !== undefined) throw new RangeError(`${wrong.length} bytes, want ${WHOLE}`);
  return sha256(joined(tag, ...parts));
}

/**
 * Return the places of the drawn receipts, 0 being the period's first, in the order of the draw; the seed has 32 bytes.
 * RangeError where there are fewer.
 */
export function drawnPlaces(seed: Uint8Array, receipts: bigint, drawn: number): readonly bigint[] {
  if (seed.length !== WHOLE || drawn < 1 || BigInt(drawn) > receipts || receipts >= WORDS) {
    throw new RangeError(`${drawn} drawn of ${receipts} by a seed of ${seed.length} bytes`);
  }
  const [below, moved] = [streamOf(seed), new Map<bigint, bigint>()];
  return Array.from({ length: drawn }, (_, number) => {
    const done = BigInt(number);
    const place = done + below(receipts - done);
    const found = moved.get(place) ?? place;
    moved.set(place, moved.get(done) ?? done);
    return found;
  });
}

/** Return what gives the next number of a seed's stream below a limit, each with the same chance. */
function streamOf(seed: Uint8Array): (limit: bigint) => bigint {
  let used = 0n;
  return (limit) => {
    const fair = WORDS - (WORDS % limit);
    for (;;) {
      const block = sha256(joined(STREAM, seed, bigEndian(used, 8)));
      used += 1n;
      const word = integer(block.subarray(0, 8));
      if (word < fair) return word % limit;
    }
  };
}
