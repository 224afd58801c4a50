/**
 * Signed notes: a text with Ed25519 signatures below it, as C2SP describes them (https://c2sp.org/signed-note). Twin of
 * verifier/notes.py, without what signs.
 *
 * A note is text that ends with a line break, an empty line, and lines of "— NAME BASE64". The base64 holds four bytes
 * of the key's hash, and the signature. A key is one line, NAME+HASH+BASE64. Names are visible ASCII only, so that no
 * two of them look alike.
 */

import { hex, joined, same, sha256, utf8 } from "./bytes.js";
import { holds, PUBLIC_BYTES, SIGNATURE_BYTES } from "./ed25519.js";
import { sentence } from "./sentence.js";
import { trimmed } from "./text.js";

export const MAX_NOTE_BYTES = 1 << 16;
export const MAX_SIGNATURES = 64;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@:/-]{0,63}$/;
/** What a key is for: signatures of notes, and those of witnesses, with a time (https://c2sp.org/tlog-cosignature). */
const [ED25519, COSIGNATURE] = [1, 4];
const HASH_BYTES = 4;
const PRIVATE = "PRIVATE+KEY+";
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// Where Python ends lines.
const ENDS = /\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029]/u;
// A line break is the one control character that a note may have.
const CONTROL = /[\0-\t\v-\x1f]/;

/** Text that is no signed note, or no key of one; one line that says why. */
export class NoteError extends Error {
  override readonly name = "NoteError";
}

/** One line below a note. */
export interface Signature {
  readonly name: string;
  readonly identifier: Uint8Array;
  readonly signature: Uint8Array;
}

/** A text and the signatures below it, none of them verified. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly Signature[];
}

/** The name and the public key of a signer, 32 bytes. */
export class VerifierKey {
  readonly name: string;
  readonly public: Uint8Array;
  /** The four bytes by which a signature names this key. */
  readonly identifier: Uint8Array;
  /** Those by which a cosignature names it. */
  readonly cosigner: Uint8Array;

  constructor(name: string, publicKey: Uint8Array) {
    this.name = name;
    this.public = Uint8Array.from(publicKey);
    this.identifier = identifierOf(name, ED25519, publicKey);
    this.cosigner = identifierOf(name, COSIGNATURE, publicKey);
  }

  /** Read "NAME+HASH+BASE64"; throws NoteError. That of a `witness` may be a key for cosignatures alone. */
  static parse(text: string, witness = false): VerifierKey {
    if (text.startsWith(PRIVATE)) {
      throw new NoteError(sentence("note.secret_key"));
    }
    const [name = "", hashed, ...encoded] = text.split("+");
    const data = base64Bytes(encoded.join("+"));
    const cosigning = witness && data[0] === COSIGNATURE;
    if (data.length !== 1 + PUBLIC_BYTES || (data[0] !== ED25519 && !cosigning)) {
      throw new NoteError(sentence("note.not_ed25519_key"));
    }
    const key = new VerifierKey(knownName(name), data.subarray(1));
    if (hex(cosigning ? key.cosigner : key.identifier) !== hashed) {
      throw new NoteError(sentence("note.verifier_key_damaged"));
    }
    return key;
  }

  /** Return whether a note has a signature under this key; throws NoteError for one that does not hold. */
  signed(note: Note): boolean {
    const found = note.signatures.filter((line) => line.name === this.name && same(line.identifier, this.identifier));
    const text = utf8(note.text);
    for (const { signature } of found) {
      // Below a note of any kind, whoever writes a line chooses how long it is.
      if (signature.length !== SIGNATURE_BYTES || !holds(this.public, signature, text)) {
        throw new NoteError(sentence("note.signature_wrong", { signer: this.name }));
      }
    }
    return found.length > 0;
  }
}

/** Return the four bytes that name a key of a kind. */
function identifierOf(name: string, kind: number, publicKey: Uint8Array): Uint8Array {
  return sha256(joined(utf8(`${name}\n`), Uint8Array.of(kind), publicKey)).slice(0, HASH_BYTES);
}

/**
 * Read a signed note; throws NoteError. Nothing is verified. All signatures are of Ed25519, but for those of a note of
 * `anyKind`, such as a checkpoint with cosignatures.
 */
export function parseNote(data: Uint8Array, anyKind = false): Note {
  if (data.length > MAX_NOTE_BYTES) throw new NoteError(sentence("note.too_long", { bytes: MAX_NOTE_BYTES }));
  const whole = decoded(data);
  const at = whole.lastIndexOf("\n\n");
  const below = whole.slice(at + 2);
  if (at < 0 || !below.endsWith("\n")) {
    throw new NoteError(sentence("note.malformed"));
  }
  const lines = below.slice(0, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) throw new NoteError(sentence("note.too_many_signatures", {
    count: MAX_SIGNATURES,
  }));
  const text = whole.slice(0, at + 1);
  if (!trimmed(text) || CONTROL.test(text)) {
    throw new NoteError(sentence("note.text_malformed"));
  }
  return { text, signatures: lines.map((line) => signatureOf(line, anyKind)) };
}

/**
 * Return those of the keys that signed a note, in their order; throws NoteError if a signature under one of them does
 * not hold. Signatures under other keys mean nothing and are passed over.
 */
export function whoSigned(note: Note, keys: readonly VerifierKey[]): readonly VerifierKey[] {
  return keys.filter((key) => key.signed(note));
}

/**
 * Read verifier keys, one a line, without empty lines and those that begin with "#".
 *
 * Throws NoteError naming `where` and the line, also for no key, or a name or a public key that stands there twice.
 */
export function parseKeys(text: string, where: string): readonly VerifierKey[] {
  const keys: VerifierKey[] = [];
  text.split(ENDS).forEach((line, at) => {
    const key = trimmed(line);
    if (key && !line.startsWith("#")) keys.push(naming(`${where}: line ${at + 1}`, () => VerifierKey.parse(key)));
  });
  return naming(where, () => distinct(keys));
}

/**
 * Return the keys; throws NoteError for none, or a name or a public key that stands there twice: one person with two
 * names must not count as two.
 */
export function distinct(keys: readonly VerifierKey[]): readonly VerifierKey[] {
  if (!keys.length) throw new NoteError(sentence("note.no_verifier_key"));
  for (const values of [keys.map((key) => key.name), keys.map((key) => hex(key.public))]) {
    if (new Set(values).size !== values.length) throw new NoteError(sentence("note.signer_twice"));
  }
  return keys;
}

/** Return what is made, with `where` before the error that making it throws. */
function naming<T>(where: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof NoteError ? new NoteError(`${where}: ${error.message}`) : error;
  }
}

function decoded(data: Uint8Array): string {
  try {
    return DECODER.decode(data);
  } catch {
    throw new NoteError(sentence("note.not_utf8"));
  }
}

/** Read a line of a signature. */
function signatureOf(line: string, anyKind: boolean): Signature {
  const [dash, name = "", ...encoded] = line.split(" ");
  const data = base64Bytes(encoded.join(" "));
  if (dash !== "—" || (!anyKind && data.length !== HASH_BYTES + SIGNATURE_BYTES)) {
    throw new NoteError(sentence("note.line_not_ed25519"));
  }
  if (data.length <= HASH_BYTES) throw new NoteError(sentence("note.line_not_signature"));
  return { name: knownName(name), identifier: data.subarray(0, HASH_BYTES), signature: data.subarray(HASH_BYTES) };
}

/** Read base64 in its one spelling; returns nothing for anything else, which no key or signature is. */
export function base64Bytes(text: string): Uint8Array {
  try {
    const data = atob(text);
    return Uint8Array.from(btoa(data) === text ? data : "", (sign) => sign.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Return a name that a signer can have; throws NoteError. */
export function knownName(name: string): string {
  if (NAME.test(name)) return name;
  throw new NoteError(sentence("note.signer_name_malformed"));
}
