/** The proof systems by name. Twin of circuits/proof_systems.py; verify.ts has the programs that check their proofs. */

import { type Of, oneOf } from "./kinds.js";

/** The proof systems that keys and certificates may name. */
export const PROOF_SYSTEM = oneOf("groth16-bn254", "plonk-bn254");
export type ProofSystem = Of<typeof PROOF_SYSTEM>;

/** The length of every proof. */
export const PROOF_BYTES: Readonly<Record<ProofSystem, number>> = { "groth16-bn254": 196, "plonk-bn254": 584 };
