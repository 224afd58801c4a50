/**
 * Checkpoints of a log, cosignatures of witnesses and log proofs, as C2SP describes them (https://c2sp.org:
 * tlog-checkpoint, tlog-cosignature, tlog-proof). Twin of verifier/checkpoint.py and tlog_proof.py, without what signs.
 */

import { integer, same, utf8 } from "./bytes.js";
import { holds, SIGNATURE_BYTES } from "./ed25519.js";
import { EMPTY_ROOT, HASH_BYTES, MAX_PATH, MAX_SIZE, type Tree } from "./merkle.js";
import { base64Bytes, knownName, type Note, NoteError, parseNote, type VerifierKey } from "./notes.js";
import { sentence } from "./sentence.js";
import { plain } from "./text.js";

export const MAX_PROOF_BYTES = 1 << 16;

const [FIRST, EXTRA, INDEX] = ["c2sp.org/tlog-proof@v1", "extra ", "index "];
const NUMBER = /^(?:0|[1-9][0-9]{0,18})$/;
const TIME_BYTES = 8;
const ASCII = new TextDecoder("latin1");

/** Bytes that are no checkpoint or no log proof; one line that says why. */
export class LogFormatError extends Error {
  override readonly name = "LogFormatError";
}

/** A checkpoint of another log, or one that whoever must have signed it did not sign; one line that says why. */
export class UnsignedError extends Error {
  override readonly name = "UnsignedError";
}

/** A checkpoint that the log signed, and the note with every signature. */
export interface SignedCheckpoint {
  readonly origin: string;
  readonly tree: Tree;
  readonly note: Note;
}

/** The parts of a log proof, unjudged: `extra` is the entry, `path` leads from it upwards. */
export interface TlogProof {
  readonly index: bigint;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: Uint8Array;
  readonly extra: Uint8Array;
}

/** Read the text of a checkpoint, of which there is one spelling; throws LogFormatError. */
export function parseCheckpoint(text: string): { readonly origin: string; readonly tree: Tree } {
  const lines = text.split("\n");
  const [origin = "", size = "", encoded = "", end] = lines;
  if (lines.length !== 4 || end) {
    throw new LogFormatError(sentence("checkpoint.malformed"));
  }
  const number = numberOf(size);
  if (number === undefined) {
    const shown = `'${plain(size.slice(0, 24))}'`;
    throw new LogFormatError(sentence("checkpoint.size_malformed", { size: shown }));
  }
  const root = base64Bytes(encoded);
  if (root.length !== HASH_BYTES) {
    throw new LogFormatError(sentence("checkpoint.root_malformed", { bytes: HASH_BYTES }));
  }
  if (!number && !same(root, EMPTY_ROOT)) {
    throw new LogFormatError(sentence("checkpoint.empty_log_root"));
  }
  return { origin: knownName(origin), tree: { size: number, root } };
}

/** Return a decimal number from 0 to 2^63 - 1 in its one spelling; undefined for anything else. */
function numberOf(text: string): bigint | undefined {
  const number = NUMBER.test(text) ? BigInt(text) : MAX_SIZE + 1n;
  return number > MAX_SIZE ? undefined : number;
}

/**
 * Read a signed checkpoint of this log; cosignatures and signatures of others are passed over. Throws NoteError or
 * LogFormatError for bytes that are none, UnsignedError for one of another log, or one that the log did not sign.
 */
export function openCheckpoint(data: Uint8Array, log: VerifierKey): SignedCheckpoint {
  const note = parseNote(data, true);
  const found = parseCheckpoint(note.text);
  if (found.origin !== log.name) {
    throw new UnsignedError(sentence("checkpoint.of_other_log", { origin: found.origin, log: log.name }));
  }
  if (!signedBy(log, note)) throw new UnsignedError(sentence("checkpoint.unsigned", { log: log.name }));
  return { ...found, note };
}

function signedBy(log: VerifierKey, note: Note): boolean {
  try {
    return log.signed(note);
  } catch (error) {
    throw error instanceof NoteError ? new UnsignedError(sentence("checkpoint.cosignature_refused", {
      log: log.name, problem: error.message,
    })) : error;
  }
}

/**
 * Return which of the witnesses, by name, cosigned a checkpoint, and when, in POSIX seconds: of several times, the
 * last. Throws UnsignedError where one under these keys does not hold; those of others are passed over.
 */
export function cosigned({ note }: SignedCheckpoint, witnesses: readonly VerifierKey[]): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  for (const witness of witnesses) {
    for (const { name, identifier, signature } of note.signatures) {
      if (name !== witness.name || !same(identifier, witness.cosigner)) continue;
      const time = timeOf(signature, witness, note.text);
      found.set(name, time > (found.get(name) ?? 0n) ? time : (found.get(name) ?? 0n));
    }
  }
  return found;
}

/** Return the time of a cosignature that holds. */
function timeOf(data: Uint8Array, witness: VerifierKey, text: string): bigint {
  const time = integer(data.subarray(0, TIME_BYTES));
  const message = utf8(`cosignature/v1\ntime ${time}\n${text}`);
  const known = data.length === TIME_BYTES + SIGNATURE_BYTES && time <= MAX_SIZE;
  if (!known || !holds(witness.public, data.subarray(TIME_BYTES), message)) {
    throw new UnsignedError(sentence("checkpoint.cosignature_wrong", { witness: witness.name }));
  }
  return time;
}

/** Read a log proof, of which there is one spelling; throws LogFormatError. The checkpoint is not read. */
export function parseTlogProof(data: Uint8Array): TlogProof {
  if (data.length > MAX_PROOF_BYTES) throw new LogFormatError(sentence("log_proof.too_long", {
    bytes: MAX_PROOF_BYTES,
  }));
  const at = data.findIndex((byte, place) => byte === 10 && data[place + 1] === 10);
  const [first, ...lines] = ASCII.decode(data.subarray(0, Math.max(at, 0))).split("\n");
  const checkpoint = data.slice(at + 2);
  if (at < 0 || first !== FIRST || !checkpoint.length) {
    throw new LogFormatError(sentence("log_proof.malformed", { first: FIRST }));
  }
  const written = lines[0]?.startsWith(EXTRA) ? lines.shift()?.slice(EXTRA.length) : undefined;
  const extra = base64Bytes(written ?? "");
  if (written !== undefined && !extra.length) throw new LogFormatError(sentence("log_proof.extra_line_not_base64"));
  const index = lines[0]?.startsWith(INDEX) ? numberOf(lines.shift()?.slice(INDEX.length) ?? "") : undefined;
  if (index === undefined) {
    throw new LogFormatError(sentence("log_proof.index_missing"));
  }
  if (lines.length > MAX_PATH) throw new LogFormatError(sentence("log_proof.too_many_hashes", { count: MAX_PATH }));
  const path = lines.map(base64Bytes);
  if (path.some(({ length }) => length !== HASH_BYTES)) {
    throw new LogFormatError(sentence("log_proof.line_not_hash", { bytes: HASH_BYTES }));
  }
  return { index, path, checkpoint, extra };
}
