/** Trusted keys: the store of keys that a relying party trusts, by fingerprint. Twin of verifier/trust.py. */

import { hex, sha256 } from "./bytes.js";
import { fingerprintOf, type KeyDocument, parseKey } from "./documents.js";
import { CertificateFormatError, UntrustedKeyError } from "./errors.js";

const MAX_KEY_BYTES = 1 << 12;

/** The files of a key folder; `name` stands in errors. */
export interface KeyFiles {
  readonly name?: string;
  /** The bytes of key.json. */
  readonly document: Uint8Array;
  /** The bytes of verifying.key; undefined where it is missing. */
  readonly verifying: Uint8Array | undefined;
}

/** A verifying key with its metadata; its bytes are those that the metadata names. */
export interface TrustedKey {
  readonly document: KeyDocument;
  readonly verifying: Uint8Array;
}

/** The keys that a relying party trusts. */
export class TrustStore {
  readonly #keys: ReadonlyMap<string, TrustedKey>;

  /** Trust each of these keys; throws CertificateFormatError for no key or a broken one. */
  constructor(keys: readonly KeyFiles[]) {
    if (!keys.length) {
      const message = "keys: no key is given; get the key folder from whoever published the commitment";
      throw new CertificateFormatError(message, "no-keys");
    }
    this.#keys = new Map(keys.map(readKey).map((key) => [fingerprintOf(key.document), key]));
  }

  /** Return the key of a fingerprint; throws UntrustedKeyError for one that is not trusted. */
  find(fingerprint: string): TrustedKey {
    const found = this.#keys.get(fingerprint);
    if (found !== undefined) return found;
    const message = `key ${fingerprint.slice(0, 16)}... is not among the ${this.#keys.size} trusted keys`;
    throw new UntrustedKeyError(message, "key-not-trusted");
  }
}

/** Read the files of a key; throws CertificateFormatError for malformed files, or files of different keys. */
function readKey({ name = "key", document, verifying }: KeyFiles): TrustedKey {
  const found = parseKey(document, `${name}/key.json`);
  const where = `${name}/verifying.key`;
  if (verifying === undefined) throw new CertificateFormatError(`${where}: it is missing`, "unreadable");
  // A copy: the caller's bytes may change after they were hashed. Of a file that is too long, one byte more is enough.
  const kept = Uint8Array.from(verifying.subarray(0, MAX_KEY_BYTES + 1));
  if (hex(sha256(kept)) !== found.verifying_key) {
    const message = `${where}: not the key that key.json names; make or fetch it again`;
    throw new CertificateFormatError(message, "key-bytes-differ");
  }
  return { document: found, verifying: kept };
}
