/**
 * Poseidon2 over BN254, exactly as the circuits compute it. Twin of circuits/poseidon2.py.
 *
 * Width 2, 8 full and 56 partial rounds, degree 5; Merkle-Damgard with IV 0, feed-forward of the right input and no
 * padding, so that every caller puts a domain tag and a length first. Source: https://eprint.iacr.org/2023/323.
 */

import { integer, utf8 } from "./bytes.js";
import { ORDER } from "./field.js";
import { keccak256 } from "./keccak.js";

const FULL = 8;
const PARTIAL = 56;
const SEED = `Poseidon2-BN254[t=2,rF=${FULL},rP=${PARTIAL},d=5]`;

/** The keys of a round: two in a full one, one in a partial one. */
type Round = readonly [bigint] | readonly [bigint, bigint];

let rounds: readonly Round[] | undefined;

/** Hash field elements, one compression each, starting from 0. */
export function hashElements(elements: Iterable<bigint>): bigint {
  let state = 0n;
  for (const element of elements) state = compress(state, element);
  return state;
}

/** Return the second lane of the permutation of (left, right), plus `right`. */
export function compress(left: bigint, right: bigint): bigint {
  return (permute(left, right)[1] + right) % ORDER;
}

/** Apply the Poseidon2 permutation to two field elements. */
export function permute(left: bigint, right: bigint): readonly [bigint, bigint] {
  rounds ??= roundKeys();
  let [a, b] = external(left, right);
  for (const [first, second] of rounds) {
    if (second === undefined) {
      const raised = fifthPower(a + first);
      // The internal matrix [[2, 1], [1, 3]].
      [a, b] = [(2n * raised + b) % ORDER, (raised + 3n * b) % ORDER];
    } else {
      [a, b] = external(fifthPower(a + first), fifthPower(b + second));
    }
  }
  return [a, b];
}

/** Return the keys of every round: a chain of Keccak-256 from the text of the parameters. */
export function roundKeys(): readonly Round[] {
  let link = keccak256(utf8(SEED));
  const next = (): bigint => {
    link = keccak256(link);
    return integer(link) % ORDER;
  };
  return Array.from({ length: FULL + PARTIAL }, (_, round): Round => {
    const full = round < FULL / 2 || round >= FULL / 2 + PARTIAL;
    return full ? [next(), next()] : [next()];
  });
}

/** Multiply by the external matrix [[2, 1], [1, 2]]. */
function external(left: bigint, right: bigint): readonly [bigint, bigint] {
  return [(2n * left + right) % ORDER, (left + 2n * right) % ORDER];
}

/** Return value^5, the S-box. */
function fifthPower(value: bigint): bigint {
  const square = (value * value) % ORDER;
  return (((square * square) % ORDER) * value) % ORDER;
}
