/**
 * Verification for a relying party. Twin of verifier/verify.py.
 *
 * `verify` accepts a certificate that passes nine steps. (1) It parses strictly. (2) Its key is trusted, and of the
 * set-up kind and the proof system that the certificate states; of a ceremony's key the policy names the transcript or
 * signers. (3) It names the trusted model commitment. (4) It states the spec digest that is recomputed from the trusted
 * spec, (5) and the domain digest, recomputed over the full product of the sensitive values. (6) The key's shape fits
 * this spec; label and radius are in range; under a kept key there is a link of this key, commitment and spec, whose
 * own key is trusted, and the certificate shows what the link shows. (7) Its words and units follow from its numbers.
 * (8) It meets the policy, in what this asks of keys also with the link's. (9) The proofs hold: the link's under its
 * key, and the certificate's for the recomputed statement digest under the key, about the link's model.
 *
 * The caller MUST get the commitment file from a source that is the same for every customer, and trust the keys, or say
 * by its pins what came with the certificate itself: that is then the first thing that was not checked.
 */

import { type Certificate, parseCertificate } from "./certificate.js";
import { domainDigest } from "./commitment.js";
import { type CommitmentDocument, parseCommitment, type QueryDocument } from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import { CHECKS, type Pins, type Policy } from "./facts.js";
import { type LinkDocument, parseLink } from "./link.js";
import { type Reading, readingOf, sentenceOf } from "./reading.js";
import { sentence } from "./sentence.js";
import { fits, nameOf, provesRanges } from "./shape.js";
import { checkRadius, coveredValues, type Matter, type Passed, refuse, Steps } from "./steps.js";
import { type KeyFiles, TrustStore } from "./trust.js";
import { interval, radiusOfAny } from "./units.js";

/** The bytes of the files of a verification. */
export interface Files {
  readonly certificate: Uint8Array;
  /** The commitment that the owner publishes, from a source that is the same for everybody. */
  readonly commitment: Uint8Array;
  /** The keys that you trust. */
  readonly keys: readonly KeyFiles[];
  /** The link that the owner publishes for a kept key, whose certificates are refused without it. */
  readonly link?: Uint8Array | undefined;
  /** The keys for links that you trust. */
  readonly linkKeys?: readonly KeyFiles[] | undefined;
}

/** Read the link of a verification, where there is one. */
export const linkOf = ({ link }: Files): LinkDocument | undefined => link && parseLink(link, "link.json");

/** A certificate that passed every step; only a verification makes one. */
export type Verified = Passed<Reading>;

/** The statement of a certificate: that no sensitive value plays a part in a decision. */
const DECISION: Matter<Reading> = {
  fits(statement, shape, spec) {
    if (statement.domainDigest !== domainDigest(spec)) {
      const message = sentence("certificate.domain_differs");
      refuse(message, "domain-differs");
    }
    if (provesRanges(shape) !== spec.fields.use_ranges) {
      const [proven, required] = [reach(provesRanges(shape)), reach(spec.fields.use_ranges)];
      refuse(sentence("key.reach_differs", { stated: proven, required }), "ranges-differ");
    }
    if (!fits(shape, spec)) {
      refuse(sentence("key.shape_unfit", { shape: nameOf(shape).slice(0, 80) }), "shape-differs");
    }
  },
  holds: (statement, _, spec) => checkRadius(statement, spec),
  words({ label, radiusSquared }, spec) {
    const reading = readingOf(spec, label, radiusSquared);
    return [reading, sentenceOf(reading)];
  },
  covered: (spec) => [
    coveredValues(spec),
    ...(spec.fields.use_ranges ? [sentence("reading.covers_ranges_only")] : []),
  ],
  needs: (spec) => ["query", "context", "radius", ...(spec.fields.use_ranges ? (["ranges"] as const) : [])],
  checks: CHECKS,
};

/**
 * Verify a certificate against a commitment, trusted keys and a policy.
 *
 * Returns what was verified. Throws CertificateFormatError for malformed files, of which nothing was verified, and
 * UntrustedKeyError, ProofError or PolicyError for a certificate that is refused; the `reason` of each is stable.
 */
export function verify(files: Files, policy: Policy): Verified {
  const certificate = parseCertificate(files.certificate, "certificate.json");
  const commitment = parseCommitment(files.commitment, "commitment.json");
  const link = linkOf(files);
  return new Verifier(commitment, new TrustStore(files.keys, files.linkKeys), BOTH, link).verify(certificate, policy);
}

const BOTH: Pins = { commitment: true, key: true };

/**
 * Verifies certificates about one committed model under trusted keys; both are pinned unless `pins` says otherwise.
 * `link` is the one that the owner published for a kept key, whose certificates are refused without it.
 */
export class Verifier {
  readonly #steps: Steps;

  constructor(commitment: CommitmentDocument, keys: TrustStore, pins: Pins = BOTH, link?: LinkDocument) {
    this.#steps = new Steps(commitment, keys, pins, link);
  }

  /** Return what was verified, or throw as {@link verify} does. */
  verify(certificate: Certificate | Uint8Array, policy: Policy): Verified {
    const parsed = certificate instanceof Uint8Array ? parseCertificate(certificate) : certificate;
    return this.#steps.take(parsed, policy, DECISION);
  }
}

/** Return, for each feature of an applicant's data, its value and the values among which it alone may move. */
export function intervalsOf({ spec, statement }: Verified, query: QueryDocument): ReadonlyMap<string, string> {
  const radius = radiusOfAny(spec, statement.radiusSquared);
  return new Map(
    spec.plainFeatures.map((feature) => {
      const value = query.features.get(feature.name);
      if (value === undefined && feature.missing === undefined) {
        const missing = sentence("query.feature_missing", { feature: `'${feature.name}'` });
        throw new CertificateFormatError(`query: ${missing}`, "bad-query");
      }
      return [feature.name, interval(spec, feature, radius, value)];
    }),
  );
}

/** Write which neighbors a statement covers. */
function reach(ranges: boolean): string {
  return ranges ? sentence("reading.neighbors_inside_ranges") : sentence("reading.all_neighbors");
}
