/** Trusted keys: the store of keys that a relying party trusts, by fingerprint. Twin of verifier/trust.py. */

import { hex, sha256 } from "./bytes.js";
import {
  type AnyKeyDocument,
  fingerprintOf,
  type KeyDocument,
  type LinkKeyDocument,
  parseKey,
  parseLinkKey,
} from "./documents.js";
import { CertificateFormatError, UntrustedKeyError } from "./errors.js";
import { sentence } from "./sentence.js";

export const MAX_KEY_BYTES = 1 << 12;
export const MAX_SIGNATURE_BYTES = 1 << 16;

/**
 * The files of a key folder; `name` stands in errors, and `file` for the name of the metadata, by default key.json, or
 * link-key.json of a key for links.
 */
export interface KeyFiles {
  readonly name?: string;
  readonly file?: string;
  /** The bytes of the metadata. */
  readonly document: Uint8Array;
  /** The bytes of verifying.key; undefined where it is missing. */
  readonly verifying: Uint8Array | undefined;
  /** The bytes of signatures.note, if there is one: of those who checked the transcript of the key. */
  readonly signatures?: Uint8Array | undefined;
}

/** A verifying key with its metadata, which name its bytes. `signatures` is empty without any. */
interface Trusted<D> {
  readonly document: D;
  readonly verifying: Uint8Array;
  readonly signatures: Uint8Array;
}

/** A verifying key for certificates. */
export type TrustedKey = Trusted<KeyDocument>;

/** A verifying key for links. */
export type TrustedLinkKey = Trusted<LinkKeyDocument>;

/** The keys that a relying party trusts: those for certificates, and those for links. */
export class TrustStore {
  readonly #keys: ReadonlyMap<string, TrustedKey>;
  readonly #linkKeys: ReadonlyMap<string, TrustedLinkKey>;

  /** Trust each of these keys; throws CertificateFormatError for no key for certificates, or a broken one. */
  constructor(keys: readonly KeyFiles[], linkKeys: readonly KeyFiles[] = []) {
    if (!keys.length) {
      const message = "keys: no key is given; get the key folder from whoever published the commitment";
      throw new CertificateFormatError(message, "no-keys");
    }
    this.#keys = byFingerprint(keys.map((files) => readKey(files, "key", "key.json", parseKey)));
    this.#linkKeys = byFingerprint(linkKeys.map(readLinkKey));
  }

  /** Return whether a key is trusted. */
  has(fingerprint: string): boolean {
    return this.#keys.has(fingerprint);
  }

  /** Return the key of a fingerprint; throws UntrustedKeyError for one that is not trusted. */
  find(fingerprint: string): TrustedKey {
    const found = this.#keys.get(fingerprint);
    if (found !== undefined) return found;
    const message = sentence("key.not_trusted", { fingerprint: fingerprint.slice(0, 16), count: this.#keys.size });
    throw new UntrustedKeyError(message, "key-not-trusted");
  }

  /** Return the key for links of a fingerprint; throws UntrustedKeyError for one that is not trusted. */
  findLinkKey(fingerprint: string): TrustedLinkKey {
    const found = this.#linkKeys.get(fingerprint);
    if (found !== undefined) return found;
    const count = this.#linkKeys.size;
    const message = sentence("link.key_not_trusted", { fingerprint: fingerprint.slice(0, 16), count });
    throw new UntrustedKeyError(message, "key-not-trusted");
  }
}

/** Read the files of a key for links, as {@link readKey}. */
function readLinkKey(files: KeyFiles): TrustedLinkKey {
  return readKey(files, "link key", "link-key.json", parseLinkKey);
}

/** Return keys by their fingerprints. */
function byFingerprint<D extends AnyKeyDocument>(keys: ReadonlyArray<Trusted<D>>): ReadonlyMap<string, Trusted<D>> {
  return new Map(keys.map((key) => [fingerprintOf(key.document), key]));
}

/** Read the files of a key; throws CertificateFormatError for malformed files, or files of different keys. */
function readKey<D extends AnyKeyDocument>(
  { name: given, file: own, document, verifying, signatures }: KeyFiles,
  kind: string,
  usual: string,
  parse: (data: Uint8Array, where: string) => D,
): Trusted<D> {
  const [name, file] = [given ?? kind, own ?? usual];
  const found = parse(document, `${name}/${file}`);
  const where = `${name}/verifying.key`;
  if (verifying === undefined) throw new CertificateFormatError(`${where}: it is missing`, "unreadable");
  const kept = copied(verifying, MAX_KEY_BYTES);
  if (hex(sha256(kept)) !== found.verifying_key) {
    const message = sentence("key.name_differs", { where, name: file });
    throw new CertificateFormatError(message, "key-bytes-differ");
  }
  return { document: found, verifying: kept, signatures: copied(signatures, MAX_SIGNATURE_BYTES) };
}

/** Copy bytes, which the caller may change after they were read. Of a file that is too long, one more is enough. */
function copied(data: Uint8Array | undefined, most: number): Uint8Array {
  return Uint8Array.from(data?.subarray(0, most + 1) ?? []);
}
