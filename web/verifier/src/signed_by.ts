/** The policy about signers who checked a key's transcript. Twin of the third class in verifier/transcripts.py. */

import { type AnyKeyDocument, attestationOf, transcriptOf } from "./documents.js";
import { PolicyError } from "./errors.js";
import { type Check, type Facts, keysOf, madeBy, type Policy } from "./facts.js";
import { distinct, NoteError, parseNote, VerifierKey, whoSigned } from "./notes.js";
import { sentence } from "./sentence.js";

const REASON = "too-few-signers";

/**
 * Require that at least `least` of these signers state that they checked the transcript of the key's set-up.
 *
 * `keys` are verifier keys as text. Throws NoteError for other text and for a signer that stands there twice, and
 * RangeError for a number that is not from 1 to that of the keys.
 */
export class SignedBy implements Policy {
  readonly ofBoxes = true;
  readonly keys: readonly string[];
  readonly least: number;
  readonly covers: ReadonlySet<Check> = new Set(["key", "linkKey", "linkTranscript", "setup", "transcript"]);
  readonly #known: readonly VerifierKey[];

  constructor(keys: readonly string[], least: number) {
    [this.keys, this.least] = [[...keys], least];
    this.#known = distinct(keys.map((text) => VerifierKey.parse(text)));
    if (!Number.isInteger(least) || least < 1 || least > keys.length) {
      throw new RangeError(sentence("policy.least_signers_out_of_bounds", { least, keys: keys.length }));
    }
  }

  /** Verify the signatures in the folder of each key; each must be of the text about this very key. */
  check(facts: Facts): readonly string[] {
    return keysOf(facts).map(([key, signatures]) => this.#signed(key, signatures));
  }

  /** Say who signed that they checked a key; throws PolicyError for too few. */
  #signed(key: AnyKeyDocument, signatures: Uint8Array): string {
    if (transcriptOf(key) === undefined) {
      throw new PolicyError(sentence("policy.setup_without_transcript"), REASON);
    }
    const signed = this.#signers(key, signatures).map(({ name }) => name);
    if (signed.length < this.least) {
      const message = sentence("policy.signers_too_few", {
        signed: signed.length, accepted: this.keys.length, required: this.least,
      });
      throw new PolicyError(message, REASON);
    }
    return sentence("checked.signatures", { maker: madeBy(key.setup), signers: signed.sort().join(", ") });
  }

  /** Return those of the signers whose signatures of the text about this key are in its note. */
  #signers(key: AnyKeyDocument, signatures: Uint8Array): readonly VerifierKey[] {
    if (!signatures.length) return [];
    try {
      const note = parseNote(signatures);
      if (note.text !== attestationOf(key)) throw new NoteError(sentence("present.of_another_key"));
      return whoSigned(note, this.#known);
    } catch (error) {
      if (error instanceof NoteError) throw new PolicyError(`signatures.note of the key: ${error.message}`, REASON);
      throw error;
    }
  }
}
