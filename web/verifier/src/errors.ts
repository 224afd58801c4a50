/**
 * Why a certificate is not accepted: errors and their reasons. Twin of verifier/errors.py and ffi/errors.py.
 *
 * Malformed input and refusals have separate roots, so that one is never taken for the other.
 */

/** Stable names of reasons, in the order in which a verification can meet them; docs/certificate.md explains each. */
export type Reason =
  // A file cannot be used.
  | "unreadable" | "too-long" | "not-json" | "wrong-fields" | "not-canonical" | "other-format" | "out-of-range"
  | "bad-element" | "not-base64" | "bad-spec" | "bad-query" | "repeated-name" | "weak-nonce" | "bad-shape"
  | "no-transcript" | "key-bytes-differ" | "no-keys" | "not-a-bundle" | "wrong-files" | "file-differs"
  | "not-a-log-proof"
  // The bytes of a proof or a verifying key are malformed.
  | "wrong-length" | "wrong-count" | "point-not-canonical" | "coordinate-too-large" | "off-curve" | "outside-subgroup"
  | "degenerate-key"
  // The key is not trusted, or the statement does not follow.
  | "key-not-trusted" | "setup-differs" | "proof-system-differs" | "model-differs" | "spec-differs" | "domain-differs"
  | "unknown-values" | "ranges-differ" | "shape-differs" | "unknown-label" | "radius-too-large" | "gain-too-large"
  | "words-differ" | "commitment-not-opened" | "relation-fails" | "pairings-differ"
  // A policy is not met.
  | "other-query" | "other-context" | "context-lacks" | "too-old" | "radius-too-small" | "ranges-not-accepted"
  | "ranges-too-narrow" | "other-setup" | "other-transcript" | "too-few-signers" | "other-proof-system" | "other-key"
  | "other-model" | "no-policy-met" | "other-receipt" | "no-log-proof" | "other-log" | "not-in-log"
  | "too-few-witnesses" | "tree-too-small" | "log-too-old" | "other-entry" | "other-owner" | "gain-too-small"
  | "other-gain";

class ReasonedError extends Error {
  readonly reason: Reason;

  constructor(message: string, reason: Reason) {
    super(message);
    this.reason = reason;
  }
}

/** A file is malformed: version, field, length, form. Nothing was verified. */
export class CertificateFormatError extends ReasonedError {
  override readonly name = "CertificateFormatError";
}

/** The files are well formed, and the certificate is refused. The message says which step refused it and why. */
export class VerificationError extends ReasonedError {
  override readonly name: string = "VerificationError";
}

/** The statement may be true, but does not meet the relying party's policy. */
export class PolicyError extends VerificationError {
  override readonly name = "PolicyError";
}

/** The certificate's key is not among the trusted ones, or is degenerate. */
export class UntrustedKeyError extends VerificationError {
  override readonly name = "UntrustedKeyError";
}

/** The statement does not follow: a recomputed value differs, or the proof does not hold. */
export class ProofError extends VerificationError {
  override readonly name = "ProofError";
}

/** Bytes of a key, a digest or a proof that are not in their one canonical form. */
export class MalformedInputError extends ReasonedError {
  override readonly name = "MalformedInputError";
}

/** A proof that does not hold for its key and digest. */
export class RefusedError extends ReasonedError {
  override readonly name = "RefusedError";
}

/** A spec without a single meaning, a row that does not fit its spec, or text of yours that is no decimal number. */
export class SpecError extends Error {
  override readonly name = "SpecError";
}
