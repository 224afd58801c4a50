/** What the first check would pay for, done while a reader looks for a file. */

import { GENERATOR1, GENERATOR2, multiplyToOne } from "../../verifier/src/curve.js";
import { hashElements } from "../../verifier/src/poseidon2.js";

/** Make the tables of the hash, and run the arithmetic once: browsers compile what runs. */
export function ready(): void {
  hashElements([0n]);
  multiplyToOne([GENERATOR1, GENERATOR2], [GENERATOR1.negative, GENERATOR2]);
}
