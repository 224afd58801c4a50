/**
 * Verification of box certificates for a relying party: that everybody in a box gets one label. Twin of
 * verifier/verify_box.py. A module of its own: a page that verifies certificates only does not load it.
 *
 * The nine steps are those of verify.ts, of which these differ. (1) The file is of its own kind. (5) The domain digest
 * is that of the trusted spec's table, whatever its ranges are. (6) The key's shape is of a relation of boxes under
 * this spec; there is no radius. (8) The label and the opened box are those that were given, and the box that the
 * certificate discloses is its own; with a refusal the box is the one that the spec's rules of change and the wishes
 * say (pair.ts).
 *
 * The caller MUST get the commitment file from a source that is the same for every customer, and trust the keys.
 */

import { type BoxCertificate, type BoxReading, boxReadingOf, boxSentenceOf, parseBox } from "./box_certificate.js";
import { utf8 } from "./bytes.js";
import { canonicalText } from "./canonical.js";
import { rowsDigest } from "./commitment.js";
import { type CommitmentDocument, parseCommitment } from "./documents.js";
import { type Check, CHECKS, type Pins, type Policy } from "./facts.js";
import { quoted } from "./names.js";
import { boxInWords, commitmentOfBox, type OpenedBox } from "./opened_box.js";
import { paired, type Paired, type Refusal } from "./pair.js";
import { sentence } from "./sentence.js";
import { fitsBox, nameOf } from "./shape.js";
import type { Spec } from "./spec.js";
import type { BoxStatement } from "./statement.js";
import { coveredValues, type Matter, type Passed, refuse, Steps } from "./steps.js";
import { plain } from "./text.js";
import { TrustStore } from "./trust.js";
import type { Files } from "./verify.js";

export { type BoxCertificate, type BoxReading, parseBox } from "./box_certificate.js";
export { type OpenedBox, parseOpenedBox } from "./opened_box.js";
export { parseWishes, type Refusal, type Wishes } from "./pair.js";
export { type Answered, verifyRecourse } from "./recourse.js";
export type { BoxStatement } from "./statement.js";

/** What a box certificate must be about; what is not given is listed as left to you. */
export interface AskedOfBox {
  /** The opened box of its holder. */
  readonly opened?: OpenedBox | undefined;
  /** The label, by name. */
  readonly label?: string | undefined;
  /** What a log must hold of the file: a `BoxDated` of signers.js. */
  readonly dated?: { check(file: Uint8Array): string } | undefined;
  /** The refusal of whom the opened box is about: it must be one that the spec's rules of change say for them. */
  readonly refusal?: Refusal | undefined;
}

/** A box certificate that passed every step; only a verification makes one. */
export interface VerifiedBox extends Passed<BoxReading, BoxStatement> {
  /** The box in words by feature; undefined where it was not opened. */
  readonly ends: ReadonlyMap<string, string> | undefined;
  /** What the box says together with the refusal, in one sentence; undefined where none was given. */
  readonly answer: string | undefined;
  /** The names of the features that a way changes from those of the refusal; undefined where none was given. */
  readonly changed: readonly string[] | undefined;
}

/**
 * Verify a box certificate against a commitment, trusted keys and a policy. Returns and throws as `verify` does, and
 * CertificateFormatError for an opened box that does not fit the spec, and TypeError for a policy about something else
 * and for a refusal without an opened box.
 */
export function verifyBox(files: Files, policy: Policy, asked: AskedOfBox = {}): VerifiedBox {
  const certificate = parseBox(files.certificate, "box.json");
  const commitment = parseCommitment(files.commitment, "commitment.json");
  return new BoxVerifier(commitment, new TrustStore(files.keys)).verify(certificate, policy, asked);
}

/** Verifies box certificates about one committed model under trusted keys; `pins` is as for `Verifier`. */
export class BoxVerifier {
  readonly #steps: Steps;

  constructor(commitment: CommitmentDocument, keys: TrustStore, pins: Pins = { commitment: true, key: true }) {
    this.#steps = new Steps(commitment, keys, pins);
  }

  /** Return what was verified, or throw as {@link verifyBox} does. */
  verify(certificate: BoxCertificate | Uint8Array, policy: Policy, asked: AskedOfBox = {}): VerifiedBox {
    const parsed = certificate instanceof Uint8Array ? parseBox(certificate) : certificate;
    if (!policy.ofBoxes) throw new TypeError(sentence("policy.not_of_boxes", { policy: "a policy" }));
    const shown = asked.opened ?? parsed.fields.box;
    let pair: Paired | undefined;
    const together = (statement: BoxStatement, spec: Spec): readonly string[] => {
      if (!asked.refusal) return [];
      if (!shown) throw new TypeError(sentence("pair.box_missing"));
      pair = paired(spec, statement, shown, asked.refusal);
      return pair.made;
    };
    const passed = this.#steps.take(parsed, policy, matterOf(parsed, asked, together));
    const ends = shown ? boxInWords(shown, passed.spec) : undefined;
    return { ...passed, ends, answer: pair?.sentence, changed: pair?.changed };
  }
}

/** The statement of a box certificate; `together` compares it with a refusal. */
function matterOf(
  { fields }: BoxCertificate,
  { opened, label, dated, refusal }: AskedOfBox,
  together: (statement: BoxStatement, spec: Spec) => readonly string[],
): Matter<BoxReading, BoxStatement> {
  const { box } = fields;
  const ofLabel = [
    ...(label === undefined ? (["boxLabel"] as const) : []),
    ...(refusal ? (["refusal"] as const) : []),
    "context",
  ] as const;
  return {
    fits({ domainDigest }, shape, spec) {
      if (domainDigest !== rowsDigest(spec, spec.domainTable)) {
        refuse(sentence("certificate.domain_differs"), "domain-differs");
      }
      if (!fitsBox(shape, spec)) {
        refuse(sentence("key.shape_without_boxes", { shape: nameOf(shape).slice(0, 80) }), "shape-differs");
      }
    },
    holds: () => undefined,
    words(statement, spec) {
      const reading = boxReadingOf(spec, statement.label);
      return [reading, boxSentenceOf(reading)];
    },
    compared: (statement, spec) => [
      ...(label === undefined ? [] : [sameLabel(statement, spec, label)]),
      ...(opened ? [sameBox(statement, spec, opened, sentence("box.file"))] : []),
      ...(box ? [sameBox(statement, spec, box, sentence("present.certificate_itself"))] : []),
      ...together(statement, spec),
      ...(dated ? [dated.check(utf8(canonicalText(fields)))] : []),
    ],
    covered: (spec) => [coveredValues(spec)],
    needs: () => [
      ...(opened ? [] : (["box"] as const)),
      ...(refusal?.holds ? [] : ofLabel),
    ],
    checks: boxChecks(),
  };
}

/** Return the checks that a box certificate may need, in words. */
const boxChecks = () => ({
  ...CHECKS,
  box: sentence("unproven.box"),
  boxLabel: sentence("unproven.box_label"),
  refusal: sentence("unproven.refusal"),
}) as const satisfies Partial<Record<Check, string>>;

/** Return that the label is the one asked for; throws ProofError for another one. */
function sameLabel({ label: stated }: BoxStatement, spec: Spec, label: string): string {
  const found = spec.fields.labels[stated] ?? "";
  if (found !== label) {
    const required = `'${plain(label).slice(0, 40)}'`;
    refuse(sentence("box.label_differs", { stated: quoted(found), required }), "other-box");
  }
  return sentence("checked.box_label", { label: quoted(label) });
}

/** Return that a statement is about a box; throws ProofError for another one. */
function sameBox({ boxCommitment }: BoxStatement, spec: Spec, box: OpenedBox, source: string): string {
  if (commitmentOfBox(box, spec) !== boxCommitment) refuse(sentence("box.differs", { source }), "other-box");
  return sentence("checked.box", { source });
}
