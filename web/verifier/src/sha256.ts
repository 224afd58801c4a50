/** SHA-256 (FIPS 180-4). tests/web/test_hashes.py compares it with another program's. */

import { integerRoot } from "./numbers.js";

const BLOCK = 64;
const WORD = 1n << 32n;
const PRIMES = [...Array(312).keys()].filter((n) => n > 1 && !divided(n));
/** The first 32 bits behind the point: of the square roots of 8 primes, and of the cube roots of 64. */
const START = PRIMES.slice(0, 8).map((prime) => Number(integerRoot(BigInt(prime) * WORD * WORD) % WORD) | 0);
const ROUNDS = Int32Array.from(PRIMES, (prime) => Number(cubeRoot(BigInt(prime) * WORD * WORD * WORD) % WORD));

/** Return the 32 bytes of a digest. */
export function sha256(data: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((data.length + 9) / BLOCK) * BLOCK);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(data.length) * 8n);
  const [state, words] = [Int32Array.from(START), new Int32Array(BLOCK)];
  for (let at = 0; at < padded.length; at += BLOCK) {
    for (let place = 0; place < 16; place += 1) words[place] = view.getInt32(at + 4 * place);
    compress(state, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, place) => digest.setInt32(4 * place, word));
  return new Uint8Array(digest.buffer);
}

/** Work one block into the state; the words behind the block's sixteen are made of them. */
function compress(state: Int32Array, words: Int32Array): void {
  for (let at = 16; at < BLOCK; at += 1) {
    const early = words[at - 15] ?? 0;
    const late = words[at - 2] ?? 0;
    const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[at] = (words[at - 16] ?? 0) + low + (words[at - 7] ?? 0) + high;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < BLOCK; at += 1) {
    const mixed = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
    const next = (h + mixed + (ROUNDS[at] ?? 0) + (words[at] ?? 0)) | 0;
    const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + next) | 0;
    d = c;
    c = b;
    b = a;
    a = (next + other) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((value, at) => {
    state[at] = (state[at] ?? 0) + value;
  });
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function divided(number: number): boolean {
  for (let factor = 2; factor * factor <= number; factor += 1) if (number % factor === 0) return true;
  return false;
}

/** Return the largest integer whose cube is at most `value`. */
function cubeRoot(value: bigint): bigint {
  let root = 1n << 40n;
  for (;;) {
    const next = (2n * root + value / (root * root)) / 3n;
    if (next >= root) return root;
    root = next;
  }
}
