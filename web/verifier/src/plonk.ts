/**
 * PLONK with KZG over BN254 and one commitment: the check of the other verifiers written once more. Twin of
 * verifier/plonk.py; docs/proof.md has the formats and the equations.
 */

import { integer, joined, sha256, utf8 } from "./bytes.js";
import { alike, G1, type G1Point, type G2Point, GENERATOR1, GENERATOR2, multiplyToOne, uncompressed } from "./curve.js";
import { MalformedInputError, RefusedError } from "./errors.js";
import { ORDER, toBytes } from "./field.js";
import { hashToField } from "./hashing.js";
import { Parts, readElement } from "./parts.js";
import { Point } from "./points.js";
import { PROOF_BYTES } from "./proof_systems.js";
import { sentence } from "./sentence.js";

const COMMITMENT_DOMAIN = "BSB22-Plonk";

/** The bytes of a verifying key. */
export const PLONK_KEY_BYTES = 368;

/** It generates the multiplicative group, so that the domain and its two cosets by 5 and 25 do not meet. */
const COSET = 5n;
const MOST_BITS = 28n;
/** The root of unity that generates the largest domain, of 2^28 elements. */
const ROOT = power(COSET, (ORDER - 1n) >> MOST_BITS);
/** The first rows hold the public inputs: the statement digest alone. */
const PUBLIC_ROWS = 1n;

const POINTS = ["S1", "S2", "S3", "Ql", "Qr", "Qm", "Qo", "Qk", "Qcp"] as const;
const SAID = ["L", "R", "O", "Z", "H0", "H1", "H2", "W"] as const;
const VALUES = ["linear", "l", "r", "o", "s1", "s2", "qcp"] as const;

/** A verifying key: the domain, the commitments of the circuit's polynomials, and tau G2. */
interface Key {
  readonly size: bigint;
  readonly generator: bigint;
  readonly challengeRow: bigint;
  readonly points: Readonly<Record<(typeof POINTS)[number], G1Point>>;
  readonly tau: G2Point;
}

/** A proof that was read: points and values; `after` is W', the opening at the next row, and `z` the value there. */
interface Proof extends Readonly<Record<(typeof SAID)[number] | "D" | "after", G1Point>> {
  readonly values: Readonly<Record<(typeof VALUES)[number], bigint>>;
  readonly z: bigint;
}

/** What the prover could not choose: hashes of all that stood before. */
interface Challenges {
  readonly gamma: bigint;
  readonly beta: bigint;
  readonly alpha: bigint;
  readonly zeta: bigint;
}

/** A verifying key, ready to check proofs; the constructor throws MalformedInputError for a degenerate key. */
export class PlonkVerifyingKey {
  readonly #key: Key;

  constructor(key: Uint8Array) {
    this.#key = readKey(key);
  }

  /**
   * Check that the proof holds for the statement digest, 32 big-endian bytes.
   *
   * Throws RefusedError unless it does, MalformedInputError for malformed bytes.
   */
  verify(digest: Uint8Array, proof: Uint8Array): void {
    const read = readProof(proof);
    check(this.#key, readElement(digest, "statement digest"), read);
  }
}

/** Read a verifying key; refuse keys that no honest set-up writes. */
function readKey(data: Uint8Array): Key {
  const parts = new Parts(data, PLONK_KEY_BYTES, "verifying key");
  const [size, row] = [parts.number(), parts.number()];
  const points = recordOf(POINTS, (name) => parts.g1(name));
  const key = { size, generator: 0n, challengeRow: row + PUBLIC_ROWS, points, tau: parts.g2("tau") };
  const weakness = weaknessOf(key, row);
  if (weakness !== undefined) throw new MalformedInputError(`verifying key: ${weakness}`, "degenerate-key");
  return { ...key, generator: power(ROOT, (1n << MOST_BITS) / size) };
}

function readProof(data: Uint8Array): Proof {
  const parts = new Parts(data, PROOF_BYTES["plonk-bn254"], "proof");
  const said = recordOf(SAID, (name) => parts.g1(name));
  parts.count(VALUES.length);
  const values = recordOf(VALUES, (name) => parts.element(`value ${name}`));
  const [after, z] = [parts.g1("W'"), parts.element("value z")];
  parts.count(1);
  return { ...said, values, after, z, D: parts.g1("D") };
}

/** Return what makes a key degenerate, or undefined. */
function weaknessOf({ size, points, tau }: Key, row: bigint): string | undefined {
  if (size < 2n || size > 1n << MOST_BITS || (size & (size - 1n)) !== 0n) {
    return sentence("key.domain_size_wrong");
  }
  if (row >= size - PUBLIC_ROWS) return sentence("key.row_outside_domain");
  // Who knows tau can open every commitment to every value.
  if (tau.isInfinity) return sentence("key.secret_zero");
  const quarter = GENERATOR2.times(power(ROOT, 1n << (MOST_BITS - 2n)));
  if (alike(tau, GENERATOR2) || alike(tau, quarter)) return sentence("key.secret_root_of_one");
  const infinite = (["S1", "S2", "S3", "Ql", "Qm", "Qo", "Qcp"] as const).find((name) => points[name].isInfinity);
  if (infinite !== undefined) return sentence("point.infinite", { point: infinite });
  const { S1, S2, S3 } = points;
  if (S1.equals(S2) || S1.equals(S3) || S2.equals(S3)) return sentence("key.permutation_twice");
  return undefined;
}

/** Check a proof that was read; throws RefusedError unless it holds. */
function check(key: Key, statement: bigint, proof: Proof): void {
  const drawn = challenges(key, statement, proof);
  const { alpha, gamma, zeta } = drawn;
  const { linear, o, s1, s2 } = proof.values;
  const vanishing = power(zeta, key.size) - 1n;
  const first = lagrange(key, 0n, zeta, vanishing);
  const hashed = hashToField(uncompressed(proof.D), COMMITMENT_DOMAIN);
  const publicPart = statement * first + hashed * lagrange(key, key.challengeRow, zeta, vanishing);
  // The gates, the copies and the start of their product, all at zeta and each times its power of alpha.
  const copies = alpha * product(drawn, proof, s1, s2) * (o + gamma) * proof.z;
  if (linear !== reduced(-(publicPart - alpha * alpha * first + copies))) {
    throw new RefusedError(sentence("proof.relation_unsatisfied"), "relation-fails");
  }
  const { S1, S2, Qcp } = key.points;
  const opened = [linearised(key, proof, drawn, vanishing, first), proof.L, proof.R, proof.O, S1, S2, Qcp];
  const values = VALUES.map((name) => proof.values[name]);
  const fold = folding(zeta, opened, values, proof.z);
  const powers = opened.map((_, exponent) => power(fold, BigInt(exponent)));
  const folded = powers.reduce((sum, factor, place) => sum + factor * (values[place] ?? 0n), 0n);
  // Both openings at once, the second times a number that the prover does not know:
  // e(F - v G1 + zeta W + u (Z - z G1 + zeta w W'), G2) = e(W + u W', tau G2).
  const u = random();
  const left = sumOf([
    ...opened.map((point, place): readonly [G1Point, bigint] => [point, powers[place] ?? 0n]),
    ...([[GENERATOR1, -folded - u * proof.z], [proof.W, zeta], [proof.Z, u]] as const),
    [proof.after, u * zeta * key.generator],
  ]);
  const right = sumOf([[proof.W, 1n], [proof.after, u]]);
  if (!multiplyToOne([left, GENERATOR2], [right.negative, key.tau])) {
    throw new RefusedError(sentence("proof.pairings_differ"), "pairings-differ");
  }
}

/** Return the value at zeta of the polynomial that is 1 in a row and 0 in all others; 0 for a zeta of the domain. */
function lagrange({ generator, size }: Key, row: bigint, zeta: bigint, vanishing: bigint): bigint {
  const point = power(generator, row);
  return reduced(point * vanishing * power(reduced(size * (zeta - point)), ORDER - 2n));
}

/** Return (l + beta a + gamma)(r + beta b + gamma) for the places a and b. */
function product({ beta, gamma }: Challenges, { values }: Proof, a: bigint, b: bigint): bigint {
  return reduced((values.l + beta * a + gamma) * (values.r + beta * b + gamma));
}

/** Return the commitment to the linearised polynomial: gates + alpha copies + alpha^2 start - Z_H quotient. */
function linearised(key: Key, proof: Proof, drawn: Challenges, vanishing: bigint, first: bigint): G1Point {
  const { alpha, beta, gamma, zeta } = drawn;
  const { Ql, Qr, Qm, Qo, Qk, S3 } = key.points;
  const { l, r, o, s1, s2, qcp } = proof.values;
  const own = product(drawn, proof, zeta, COSET * zeta) * (o + beta * COSET * COSET * zeta + gamma);
  const shift = power(zeta, key.size + 2n);
  return sumOf([
    ...([[Ql, l], [Qr, r], [Qm, l * r], [Qo, o], [Qk, 1n]] as const),
    [S3, alpha * beta * proof.z * product(drawn, proof, s1, s2)],
    [proof.D, qcp],
    [proof.Z, alpha * alpha * first - alpha * own],
    ...([[proof.H0, -vanishing], [proof.H1, -vanishing * shift], [proof.H2, -vanishing * shift * shift]] as const),
  ]);
}

/** Draw the challenges: each is the SHA-256 of its name, the one before, and what the prover said since then. */
function challenges(key: Key, statement: bigint, { L, R, O, D, Z, H0, H1, H2 }: Proof): Challenges {
  const circuit = POINTS.map((name) => uncompressed(key.points[name]));
  const gamma = draw("gamma", ...circuit, toBytes(statement), ...[L, R, O].map(uncompressed));
  const beta = draw("beta", gamma);
  const alpha = draw("alpha", beta, ...[D, Z].map(uncompressed));
  const zeta = draw("zeta", alpha, ...[H0, H1, H2].map(uncompressed));
  return { gamma: element(gamma), beta: element(beta), alpha: element(alpha), zeta: element(zeta) };
}

/** Draw the challenge that folds the openings at zeta into one. */
function folding(zeta: bigint, opened: readonly G1Point[], values: readonly bigint[], shifted: bigint): bigint {
  return element(draw("gamma", toBytes(zeta), ...opened.map(uncompressed), ...[...values, shifted].map(toBytes)));
}

/** Hash a challenge's name and what it depends on. */
function draw(name: string, ...said: readonly Uint8Array[]): Uint8Array {
  return sha256(joined(utf8(name), ...said));
}

function element(digest: Uint8Array): bigint {
  return integer(digest) % ORDER;
}

/** Return a number from the system that nobody else knows, not 0 but for one chance in 2^254. */
function random(): bigint {
  return integer(crypto.getRandomValues(new Uint8Array(48))) % ORDER;
}

function sumOf(parts: ReadonlyArray<readonly [G1Point, bigint]>): G1Point {
  return Point.sum(G1, parts.map(([point, factor]) => [point, reduced(factor)] as const));
}

function power(base: bigint, exponent: bigint): bigint {
  let found = 1n;
  for (const bit of exponent.toString(2)) {
    found = (found * found) % ORDER;
    if (bit === "1") found = (found * base) % ORDER;
  }
  return found;
}

function reduced(value: bigint): bigint {
  const rest = value % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

/** Return an object of these names, its values made in their order. */
function recordOf<N extends string, T>(names: readonly N[], make: (name: N) => T): Readonly<Record<N, T>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<N, T>;
}
