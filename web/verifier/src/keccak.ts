/** Keccak-256, as Ethereum has it, not SHA-3 (FIPS 202): the padding differs. tests/web/test_hashes.py compares it. */

const RATE = 136;
const LANES = 25;
const HALVES = 2 * LANES;
const ROUNDS = 24;

/** Where each half of a lane comes from, and from where the bits that are turned into it, and how many. */
const [OWN, OTHER, BITS] = walk();
/** What lane 0 is changed by in each round: its lower and its upper half. */
const CONSTANTS: ReadonlyArray<readonly [number, number]> = constants();

/** Return the 32 bytes of a digest. */
export function keccak256(data: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor(data.length / RATE) + 1) * RATE);
  padded.set(data);
  padded[data.length] = 1;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const view = new DataView(padded.buffer);
  // Lane by lane, the lower half first.
  const state = new Int32Array(HALVES);
  for (let at = 0; at < padded.length; at += RATE) {
    for (let place = 0; place < RATE / 4; place += 1) {
      state[place] = (state[place] ?? 0) ^ view.getInt32(at + 4 * place, true);
    }
    permute(state);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let place = 0; place < 8; place += 1) digest.setInt32(4 * place, state[place] ?? 0, true);
  return new Uint8Array(digest.buffer);
}

/** Work 24 rounds into the state. Plain loops: the first hashes are made before anything is compiled. */
function permute(state: Int32Array): void {
  const [sums, moved] = [new Int32Array(10), new Int32Array(HALVES)];
  for (const [low, high] of CONSTANTS) {
    mixColumns(state, sums);
    moved.set(state.subarray(0, 2));
    for (let at = 2; at < HALVES; at += 1) {
      const by = BITS[at] ?? 0;
      moved[at] = ((state[OWN[at] ?? 0] ?? 0) << by) | ((state[OTHER[at] ?? 0] ?? 0) >>> (32 - by));
    }
    for (let row = 0; row < HALVES; row += 10) {
      for (let at = 0; at < 10; at += 1) {
        const next = moved[row + ((at + 2) % 10)] ?? 0;
        state[row + at] = (moved[row + at] ?? 0) ^ (~next & (moved[row + ((at + 4) % 10)] ?? 0));
      }
    }
    state[0] = (state[0] ?? 0) ^ low;
    state[1] = (state[1] ?? 0) ^ high;
  }
}

/** Change each lane by the sums of the two columns beside its own, one of them turned by a bit. */
function mixColumns(state: Int32Array, sums: Int32Array): void {
  for (let at = 0; at < 10; at += 1) {
    const upper = (state[at] ?? 0) ^ (state[at + 10] ?? 0) ^ (state[at + 20] ?? 0);
    sums[at] = upper ^ (state[at + 30] ?? 0) ^ (state[at + 40] ?? 0);
  }
  for (let column = 0; column < 10; column += 1) {
    // Of the column behind, its own half and the one that a bit comes from.
    const after = (column + 2) % 10;
    const change = (sums[(column + 8) % 10] ?? 0) ^ ((sums[after] ?? 0) << 1) ^ ((sums[after ^ 1] ?? 0) >>> 31);
    for (let at = column; at < HALVES; at += 10) state[at] = (state[at] ?? 0) ^ change;
  }
}

/** Each lane but the first is turned to the left, and put where the next one of a walk stood. */
function walk(): readonly [Uint8Array, Uint8Array, Uint8Array] {
  const tables = [new Uint8Array(HALVES), new Uint8Array(HALVES), new Uint8Array(HALVES)] as const;
  let [x, y] = [1, 0];
  for (let step = 1; step < LANES; step += 1) {
    const from = 2 * (x + 5 * y);
    [x, y] = [y, (2 * x + 3 * y) % 5];
    const by = ((step * (step + 1)) / 2) % 64;
    for (const half of [0, 1]) {
      // By 32 bits or more, the halves change places.
      const own = by < 32 ? half : 1 - half;
      [from + own, from + 1 - own, by % 32].forEach((value, table) => {
        (tables[table] ?? tables[0])[2 * (x + 5 * y) + half] = value;
      });
    }
  }
  return tables;
}

function constants(): ReadonlyArray<readonly [number, number]> {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    const halves: [number, number] = [0, 0];
    for (let bit = 0; bit < 7; bit += 1) {
      const place = (1 << bit) - 1;
      if (register & 1) halves[place >> 5] = (halves[place >> 5] ?? 0) ^ (1 << (place & 31));
      register = register & 0x80 ? (register << 1) ^ 0x171 : register << 1;
    }
    return halves;
  });
}
