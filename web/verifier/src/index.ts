/** Verifies Equiproof certificates in browsers and in Node: the relying party's side, and nothing of the owner's. */

export { type Certificate, parseCertificate } from "./certificate.js";
export {
  type CommitmentDocument,
  type Context,
  fingerprintOf,
  type KeyDocument,
  parseCommitment,
  parseContext,
  parseKey,
  parseQuery,
  type QueryDocument,
  type SetupKind,
  transcriptOf,
} from "./documents.js";
export {
  CertificateFormatError,
  MalformedInputError,
  PolicyError,
  ProofError,
  type Reason,
  RefusedError,
  SpecError,
  UnsupportedError,
  UntrustedKeyError,
  VerificationError,
} from "./errors.js";
export { verifyProof, VerifyingKey } from "./pairing.js";
export {
  AllOf,
  AnyOf,
  type Check,
  CHECKS,
  type Facts,
  ForContext,
  ForQuery,
  KeyIs,
  MinRadius,
  ModelIs,
  NoRanges,
  type Policy,
  ProofSystemIs,
  SetupIs,
  UnsafeNoPolicy,
} from "./policy.js";
export type { ProofSystem } from "./proof_systems.js";
export type { Reading } from "./reading.js";
export type { Feature, Spec, SpecFields } from "./spec.js";
export type { Statement } from "./statement.js";
export { TranscriptIs } from "./transcripts.js";
export { type KeyFiles, TrustStore } from "./trust.js";
export { ALWAYS_LEFT_TO_YOU, type Files, intervalsOf, type Verified, Verifier, verify } from "./verify.js";
