/**
 * The recourse of a refused applicant in their own bundle: box certificates that say what would have been enough, or
 * that nothing would have been. Twin of verifier/enclosed.py. Each box must be one that the spec's rules of change and
 * the applicant's wishes say for whom the refusal is about (pair.ts).
 */

import { parseBox } from "./box_certificate.js";
import { BoxVerifier, type VerifiedBox } from "./box.js";
import { ANSWERS, checkRecourse, type Own, type Parts } from "./bundle.js";
import { fingerprintOf, parseKey } from "./documents.js";
import { CertificateFormatError, VerificationError } from "./errors.js";
import type { Policy } from "./facts.js";
import { type OpenedBox, parseOpenedBox } from "./opened_box.js";
import { parseWishes, type Refusal } from "./pair.js";
import { sentence } from "./sentence.js";
import { refuse } from "./steps.js";
import { TrustStore } from "./trust.js";
import type { Verified } from "./verify.js";

/** A box certificate of a recourse that was verified with its refusal, and its name in the bundle. */
export interface Answered {
  readonly name: (typeof ANSWERS)[number];
  /** Whether it says that no change helps; else it is a way. */
  readonly isNone: boolean;
  readonly opened: OpenedBox;
  readonly verified: VerifiedBox;
}

/** Of a box nothing is required but what is known from elsewhere; UnsafeNoPolicy would warn in a page's console. */
export const NOTHING: Policy = { ofBoxes: true, covers: new Set(), check: () => [] };

/**
 * Verify the recourse of a bundle whose certificate was verified, with the same commitment and keys of yours; empty
 * where there is none. Of your keys one that a single party made is pinned. Any other came with the bundle, also where
 * it is yours: which transcript you accept for it `verifyBox` asks. Throws as `verifyBox` does, naming the file.
 */
export function verifyRecourse(parts: Parts, { pins }: Verified, own: Own = {}): readonly Answered[] {
  const { certificate, query, files } = parts;
  checkRecourse(files, "bundle");
  const at = (name: string): Uint8Array | undefined => files.get(`recourse/${name}`);
  const document = at("key/metadata.json");
  if (document === undefined || query === undefined) return [];
  const [verifying, signatures] = [at("key/verifying.key"), at("key/signatures.note")];
  const came = new TrustStore([{ name: "recourse/key", file: "metadata.json", document, verifying, signatures }]);
  const key = parseKey(document, "recourse/key/metadata.json");
  const trusted = key.setup === "single-party" && own.keys?.has(fingerprintOf(key)) ? own.keys : undefined;
  const wishes = at("wishes.json");
  const refusal: Refusal = {
    certificate, query, holds: true, wishes: wishes && parseWishes(wishes, "recourse/wishes.json"),
  };
  const known = { commitment: pins.commitment, key: trusted !== undefined };
  const verifier = new BoxVerifier(own.commitment ?? parts.commitment, trusted ?? came, known);
  return ANSWERS.flatMap((name): readonly Answered[] => {
    const [made, box] = [at(`${name}/certificate.json`), at(`${name}/opened.json`)];
    if (!made || !box) return [];
    const where = `recourse/${name}/certificate.json`;
    const [read, opened] = [parseBox(made, where), parseOpenedBox(box, `recourse/${name}/opened.json`)];
    return [inFile(where, () => {
      const verified = verifier.verify(read, NOTHING, { opened, refusal });
      const isNone = verified.statement.label === certificate.statement.label;
      if (isNone !== (name === ANSWERS[0])) refuse(sentence("bundle.other_answer"), "other-box");
      return { name, isNone, opened, verified };
    })];
  });
}

/** Do something, and name the file in a refusal of it. */
function inFile<T>(name: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof CertificateFormatError || error instanceof VerificationError) {
      error.message = `${name}: ${error.message}`;
    }
    throw error;
  }
}
