/**
 * Why a certificate is not accepted: errors and their reasons. Twin of verifier/errors.py and ffi/errors.py.
 *
 * Malformed input and refusals have separate roots, so that one is never taken for the other.
 */

import type { Reason } from "./reasons.js";

export type { Reason };

/** The classes of reasons: what kind of error each comes with. It decides how one that the table lacks is shown. */
export type ReasonClass = "format" | "key" | "proof" | "policy";

abstract class ReasonedError extends Error {
  abstract readonly kind: ReasonClass;
  readonly reason: Reason;

  constructor(message: string, reason: Reason) {
    super(message);
    this.reason = reason;
  }
}

/** A file is malformed: version, field, length, form. Nothing was verified. */
export class CertificateFormatError extends ReasonedError {
  override readonly name = "CertificateFormatError";
  override readonly kind = "format";
}

/** The files are well formed, and the certificate is refused. The message says which step refused it and why. */
export class VerificationError extends ReasonedError {
  override readonly name: string = "VerificationError";
  override readonly kind: ReasonClass = "proof";
}

/** The statement may be true, but does not meet the relying party's policy. */
export class PolicyError extends VerificationError {
  override readonly name = "PolicyError";
  override readonly kind = "policy";
}

/** The certificate's key is not among the trusted ones, or is degenerate. */
export class UntrustedKeyError extends VerificationError {
  override readonly name = "UntrustedKeyError";
  override readonly kind = "key";
}

/** The statement does not follow: a recomputed value differs, or the proof does not hold. */
export class ProofError extends VerificationError {
  override readonly name = "ProofError";
}

/** Bytes of a key, a digest or a proof that are not in their one canonical form. */
export class MalformedInputError extends ReasonedError {
  override readonly name = "MalformedInputError";
  override readonly kind = "format";
}

/** A proof that does not hold for its key and digest. */
export class RefusedError extends ReasonedError {
  override readonly name = "RefusedError";
  override readonly kind = "proof";
}

/** A spec without a single meaning, a row that does not fit its spec, or text of yours that is no decimal number. */
export class SpecError extends Error {
  override readonly name = "SpecError";
}
