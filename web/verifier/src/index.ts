/** Verifies Equiproof certificates in browsers and in Node: the relying party's side, and nothing of the owner's. */

export { openBundle, type Own, type Parts, verifyBundle } from "./bundle.js";
export { type Certificate, parseCertificate } from "./certificate.js";
export { AllOf, AnyOf, UnsafeNoPolicy } from "./combined.js";
// A module of policies exports nothing else: so that a class is all that a policy takes.
export * from "./context_policies.js";
export {
  type CommitmentDocument,
  type Context,
  fingerprintOf,
  type KeyDocument,
  type LinkKeyDocument,
  parseCommitment,
  parseContext,
  parseKey,
  parseLinkKey,
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
  UntrustedKeyError,
  VerificationError,
} from "./errors.js";
export { type Check, CHECKS, type Facts, type Pins, type Policy } from "./facts.js";
export { ALWAYS_LEFT_TO_YOU } from "./left_open.js";
export { type Sentences, speak } from "./language.js";
export { type LinkDocument, parseLink } from "./link.js";
export { verifyProof, VerifyingKey } from "./pairing.js";
export { PlonkVerifyingKey } from "./plonk.js";
export * from "./policy.js";
export type { ProofSystem } from "./proof_systems.js";
export { ForReceipt, parseReceipt, type Receipt } from "./receipt.js";
export * from "./range_policies.js";
export type { Reading } from "./reading.js";
export type { Feature, Spec, SpecFields } from "./spec.js";
export type { AnyStatement, BoxStatement, Statement } from "./statement.js";
export * from "./transcripts.js";
export { type KeyFiles, TrustStore } from "./trust.js";
export { type Files, intervalsOf, type Verified, Verifier, verify } from "./verify.js";
