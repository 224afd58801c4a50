/**
 * What needs signatures: policy files, policies about signers of a key and about a public log, and signed notes. A
 * module of its own: a page that needs none does not load the arithmetic of Ed25519.
 */

export { type Entry, parseEntry } from "./entries.js";
export { BoxDated, Logged, LogPins, type LogTerms, ReceiptLogged, shownTime, type Standing } from "./logged.js";
export { checkConsistency, checkInclusion, leafHash, MerkleError, type Tree } from "./merkle.js";
export {
  distinct,
  type Note,
  NoteError,
  parseKeys,
  parseNote,
  type Signature,
  VerifierKey,
  whoSigned,
} from "./notes.js";
export { parsePolicy } from "./policy_file.js";
export type { OwnFiles } from "./requirements.js";
export { SignedBy } from "./signed_by.js";
export {
  cosigned,
  openCheckpoint,
  parseCheckpoint,
  parseTlogProof,
  type SignedCheckpoint,
  type TlogProof,
} from "./tlog.js";
