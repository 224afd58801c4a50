/**
 * The link of a kept certificate: whether it belongs to the certificate, and what checks proofs beside it. Twin of
 * verifier/linked.py and of circuits/kept.py.
 *
 * A certificate under a kept key does not open the model commitment. A link does, once for all of them: both show one
 * value of one model. So such a certificate is refused without a link, and whatever is asked of its key is asked of the
 * link's key, too.
 */

import { bigEndian, integer } from "./bytes.js";
import { canonicalText, tagged } from "./canonical.js";
import { tag } from "./commitment.js";
import { type CommitmentDocument, fingerprintOf } from "./documents.js";
import {
  CertificateFormatError,
  MalformedInputError,
  ProofError,
  type Reason,
  RefusedError,
  UntrustedKeyError,
} from "./errors.js";
import { BYTES } from "./field.js";
import { KeptKey, type LinkedKey } from "./kept.js";
import type { LinkDocument } from "./link.js";
import { VerifyingKey } from "./pairing.js";
import { hashElements } from "./poseidon2.js";
import { sentence } from "./sentence.js";
import { shapeDigest } from "./shape.js";
import type { AnyStatement } from "./statement.js";
import type { TrustedKey, TrustedLinkKey, TrustStore } from "./trust.js";

/** The version of what a link proves. */
const VERSION = 1n;

/** A link that belongs to a trusted key and a commitment, under a trusted key of its own; it is not proven yet. */
export interface Linked {
  readonly document: LinkDocument;
  readonly key: TrustedLinkKey;
  readonly certificateKey: TrustedKey;
}

/**
 * Return the link of a certificate that states this under a key; undefined under a key that needs none (6).
 *
 * Throws ProofError for a certificate of the other form than its key's, for a missing link, and for one of another
 * certificate; UntrustedKeyError for one whose own key is not trusted.
 */
export function linked(
  statement: AnyStatement,
  key: TrustedKey,
  link: LinkDocument | undefined,
  keys: TrustStore,
  commitment: CommitmentDocument,
): Linked | undefined {
  const shown = "shown" in statement ? statement.shown : undefined;
  if (key.document.shape.model === undefined) {
    if (shown !== undefined) refuse(sentence("link.form_ordinary"), "form-differs");
    return undefined;
  }
  if (shown === undefined) return refuse(sentence("link.form_kept"), "form-differs");
  if (link === undefined) {
    const fingerprint = fingerprintOf(key.document).slice(0, 16);
    return refuse(sentence("link.missing", { fingerprint }), "no-link");
  }
  const found = { document: link, key: trustedLinkKey(link, keys), certificateKey: key };
  checkLink(found, commitment);
  if (shown !== link.shown) refuse(sentence("link.shown_differs"), "shown-differs");
  return found;
}

/**
 * Throw ProofError unless a link is of its certificate key, this commitment and its spec, and both keys fit: they are
 * for models of one architecture, in the same words, and for inputs of one width.
 */
function checkLink({ document: link, key, certificateKey }: Linked, commitment: CommitmentDocument): void {
  const required = fingerprintOf(certificateKey.document);
  if (link.fields.key !== required) {
    const message = sentence("link.other_key", {
      stated: link.fields.key.slice(0, 16), required: required.slice(0, 16),
    });
    refuse(message, "link-of-another-key");
  }
  if (link.fields.model_commitment !== commitment.modelCommitment) {
    refuse(sentence("link.other_model"), "link-of-another-model");
  }
  if (link.specDigest !== commitment.spec.digest) refuse(sentence("link.other_spec"), "link-of-another-spec");
  const [shape, own] = [key.document.shape, certificateKey.document.shape];
  const sameWords = (shape.node_words === undefined) === (own.passed === undefined);
  if (!sameWords || canonicalText(shape.architecture) !== canonicalText(own.architecture)) {
    refuse(sentence("link.other_architecture"), "link-of-another-architecture");
  }
  if (shape.input_bits !== own.input_bits) {
    const message = sentence("link.other_input_bits", { stated: shape.input_bits, required: own.input_bits });
    refuse(message, "link-of-other-input-bits");
  }
}

/** Return the trusted key that a link names. */
function trustedLinkKey({ fields }: LinkDocument, keys: TrustStore): TrustedLinkKey {
  const key = keys.findLinkKey(fields.link_key.fingerprint);
  if (key.document.setup !== fields.link_key.setup) {
    const message = sentence("link.setup_differs", { stated: fields.link_key.setup, actual: key.document.setup });
    throw new UntrustedKeyError(message, "setup-differs");
  }
  const [stated, actual] = [fields.proof_system, key.document.proof_system];
  if (stated !== actual) {
    throw new UntrustedKeyError(sentence("link.proof_system_differs", { stated, actual }), "proof-system-differs");
  }
  return key;
}

/** Return a statement whose digest is taken with what the link shows, whatever the certificate states. */
export function shownBy<S extends AnyStatement>(statement: S, link: Linked | undefined): S {
  return link === undefined ? statement : { ...statement, shown: link.document.shown };
}

/**
 * Check the proof of a link, and return what checks certificates beside it.
 *
 * Throws ProofError unless the link holds, CertificateFormatError for a malformed one, and MalformedInputError for a
 * malformed or degenerate key.
 */
export function opened(link: Linked): LinkedKey {
  const { document, key, certificateKey } = link;
  const links = new VerifyingKey(key.verifying);
  const kept = new KeptKey(certificateKey.verifying);
  try {
    return kept.open(links, document, (r) => linkStatement(link, r));
  } catch (error) {
    if (error instanceof MalformedInputError) {
      throw new CertificateFormatError(sentence("link.proof_wrong", { problem: error.message }), error.reason);
    }
    if (error instanceof RefusedError) {
      throw new ProofError(sentence("link.proof_refused", { problem: error.message }), "link-fails");
    }
    throw error;
  }
}

/** Return the public input of a link: the model commitment's polynomial at r is behind what is shown, for this spec. */
function linkStatement({ document: { fields, shown, specDigest }, key, certificateKey }: Linked, r: bigint): bigint {
  const head = [tag("equiproof.link.statement"), VERSION, shapeDigest(key.document.shape)];
  const commitment = integerOf(fields.model_commitment);
  return hashElements([...head, commitment, specDigest, keyElement(certificateKey), r, shown]);
}

/** Return the element that a link's digest has for the certificate key: 31 bytes of a hash of its fingerprint. */
function keyElement({ document }: TrustedKey): bigint {
  const fingerprint = bigEndian(integerOf(fingerprintOf(document)), BYTES);
  return integer(tagged("equiproof.link.key", fingerprint).subarray(0, 31));
}

/** Return the integer of hexadecimal digits. */
function integerOf(digits: string): bigint {
  return BigInt(`0x${digits}`);
}

function refuse(message: string, reason: Reason): never {
  throw new ProofError(message, reason);
}
