/** The policy about transcripts. Twin of the first class in verifier/transcripts.py; signed_by.ts has the other. */

import { transcriptOf } from "./documents.js";
import { PolicyError } from "./errors.js";
import { type Check, type Facts, keysOf, madeBy, type Policy } from "./facts.js";
import { sentence } from "./sentence.js";

/**
 * Require the key that a transcript makes, by the transcript digest that `equiproof keys check` printed.
 *
 * The digest covers the ceremony, or the powers of a universal set-up, and both keys. It is computed anew from the
 * trusted key's metadata. A certificate that comes with a link is refused, since one digest names one of two keys.
 */
export class TranscriptIs implements Policy {
  readonly ofBoxes = true;
  readonly digest: string;
  readonly covers: ReadonlySet<Check> = new Set(["key", "linkKey", "setup", "transcript"]);

  constructor(digest: string) {
    this.digest = digest;
  }

  /** Compare digests; a key of a single party has none. */
  check(facts: Facts): readonly string[] {
    for (const [key] of keysOf(facts)) {
      const found = transcriptOf(key);
      if (found !== undefined && found === this.digest) continue;
      const shown =
        found === undefined
          ? sentence("key.without_transcript")
          : sentence("key.transcript_is", { transcript: found.slice(0, 16) });
      const message = sentence("policy.transcript_differs", { stated: shown, required: this.digest.slice(0, 16) });
      throw new PolicyError(message, "other-transcript");
    }
    const [maker, transcript] = [madeBy(facts.key.setup), this.digest.slice(0, 16)];
    return [sentence("checked.transcript", { maker, transcript })];
  }
}
