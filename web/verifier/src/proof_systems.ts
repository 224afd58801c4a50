/** The proof systems by name. Twin of circuits/proof_systems.py; verify.ts has the programs that check their proofs. */

import type { Key } from "./fields.js";

/** The proof systems that keys and certificates may name. */
export type ProofSystem = Key["proof_system"];

/** The length of every proof. */
export const PROOF_BYTES: Readonly<Record<ProofSystem, number>> = { "groth16-bn254": 196, "plonk-bn254": 584 };

/** The length of every proof of groth16-bn254 about a kept model, which has two commitments. */
export const KEPT_PROOF_BYTES = 228;
