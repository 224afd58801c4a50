/** The policies about transcripts. Twins of two classes in verifier/transcripts.py; signed_by.ts has the third. */

import { type AnyKeyDocument, transcriptOf } from "./documents.js";
import { PolicyError } from "./errors.js";
import { type Check, type Facts, madeBy, type Policy } from "./facts.js";
import { sentence } from "./sentence.js";

/**
 * Require the key that a transcript makes, by the transcript digest that `equiproof keys check` printed.
 *
 * The digest covers the ceremony, or the powers of a universal set-up, and both keys. It is computed anew from the
 * trusted key's metadata. A certificate that comes with a link rests on two keys, and is refused unless the policy also
 * names the transcript of the link's key (LinkTranscriptIs), or signers who checked it.
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
    const [{ key, linkKey }, required] = [facts, this.digest.slice(0, 16)];
    if (transcriptOf(key) !== this.digest) {
      throw refused(sentence("policy.transcript_differs", { stated: stated(key), required }));
    }
    if (linkKey) {
      if (transcriptOf(linkKey.document) === undefined) throw refused(sentence("policy.link_without_transcript"));
      requireBoth(facts, "linkTranscript");
    }
    return [sentence("checked.transcript", { maker: madeBy(key.setup), transcript: required })];
  }
}

/**
 * Require the key of a link that a transcript makes, by its digest; goes with TranscriptIs.
 *
 * Refuses a certificate without a link, and one whose own key the policy does not name by its transcript or by signers:
 * a ceremony's link key beside a single party's key is a single party's proof.
 */
export class LinkTranscriptIs implements Policy {
  readonly digest: string;
  readonly covers: ReadonlySet<Check> = new Set(["linkKey", "linkTranscript"]);

  constructor(digest: string) {
    this.digest = digest;
  }

  /** Compare digests; a key of a single party has none. */
  check(facts: Facts): readonly string[] {
    const [key, required] = [facts.linkKey?.document, this.digest.slice(0, 16)];
    if (!key) throw refused(sentence("policy.link_absent"));
    if (transcriptOf(key) !== this.digest) {
      throw refused(sentence("policy.link_transcript_differs", { stated: stated(key), required }));
    }
    requireBoth(facts, "transcript");
    return [sentence("checked.link_transcript", { maker: madeBy(key.setup), transcript: required })];
  }
}

/** Say which transcript a key has. */
function stated(key: AnyKeyDocument): string {
  const found = transcriptOf(key);
  if (found === undefined) return sentence("key.without_transcript");
  return sentence("key.transcript_is", { transcript: found.slice(0, 16) });
}

/** Throw unless the policy makes the check of the other key's transcript, too. */
function requireBoth({ covered }: Facts, other: Check): void {
  if (!covered?.has(other)) throw refused(sentence("policy.transcripts_of_both"));
}

const refused = (message: string): PolicyError => new PolicyError(message, "other-transcript");
