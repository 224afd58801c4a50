/** Whether the public register holds the model of a bundle, checked on this device by the keys that the page names. */

import { hex, sha256 } from "../../verifier/src/bytes.js";
import type { Parts } from "../../verifier/src/bundle.js";
import { CertificateFormatError, VerificationError } from "../../verifier/src/errors.js";
import { LogPins, shownTime } from "../../verifier/src/logged.js";

/** What the page pins of the register, as the service gives it. */
export interface Pinned {
  readonly key: string;
  readonly witnesses: readonly string[];
  readonly least: number;
  readonly owner: string;
}

/** What was found: the model's place, that no proof came along, or that the register holds another model. */
export type Found =
  | {
      readonly kind: "logged";
      readonly log: string;
      readonly owner: string;
      /** Until when so many witnesses saw it, "" where none are pinned. */
      readonly until: string;
      readonly count: number;
    }
  | { readonly kind: "unlogged" }
  | { readonly kind: "other" };

const [PROOF, COMMITMENT] = ["certificate.tlog-proof", "commitment.json"];

/** Look for the model of a bundle in the register; `now` is in POSIX seconds. */
export function look(parts: Parts, pinned: Pinned | null, now: number): Found {
  const [proof, commitment] = [parts.files.get(PROOF), parts.files.get(COMMITMENT)];
  if (!pinned || !proof || !commitment) return { kind: "unlogged" };
  try {
    const pins = new LogPins(pinned);
    const { entry, time, witnesses } = pins.stand(proof, BigInt(now));
    const held = entry.kind === "commitment" && entry["commitment"] === hex(sha256(commitment));
    if (!held || entry["owner"] !== pinned.owner) return { kind: "other" };
    return { kind: "logged", log: pins.log.name, owner: pinned.owner, until: shownTime(time), count: witnesses.length };
  } catch (error) {
    if (error instanceof CertificateFormatError || error instanceof VerificationError) return { kind: "other" };
    throw error;
  }
}
