/** JSON documents: one canonical form (RFC 8785), one strict parser. Twin of circuits/canonical.py. */

import { integer, joined, same, sha256, utf8 } from "./bytes.js";
import { CertificateFormatError } from "./errors.js";
import type { Kind } from "./kinds.js";
import { Reader } from "./reader.js";
import { sentence } from "./sentence.js";

export const MAX_DOCUMENT_BYTES = 4 << 20;

/** What a document holds; `undefined` is a field that is absent. */
export type Json = null | boolean | number | string | readonly Json[] | ReadonlyMap<string, Json> | JsonObject;

interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** Return the RFC 8785 form of a document: names sorted by UTF-16 code units, texts and numbers as ECMAScript does. */
export function canonicalText(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalText).join(",")}]`;
  const entries: Array<readonly [string, Json | undefined]> = isMap(value) ? [...value] : Object.entries(value);
  const written = entries
    .filter((entry): entry is readonly [string, Json] => entry[1] !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, part]) => `${JSON.stringify(name)}:${canonicalText(part)}`);
  return `{${written.join(",")}}`;
}

/** Return the bytes of the canonical form. */
export function canonicalBytes(value: Json): Uint8Array {
  return utf8(canonicalText(value));
}

/** Hash a document to an integer below 2^248: SHA-256 over a domain text and its canonical form, cut to 31 bytes. */
export function documentDigest(domain: string, value: Json): bigint {
  return integer(tagged(domain, canonicalBytes(value)).subarray(0, 31));
}

/** Return the SHA-256 of a domain text, a zero byte and the data. */
export function tagged(domain: string, data: Uint8Array): Uint8Array {
  return sha256(joined(utf8(domain), Uint8Array.of(0), data));
}

/** Decode a JSON document; unknown fields and wrong types are refused. `where` names it in errors. */
export function parse<T>(data: Uint8Array, kind: Kind<T>, where: string): T {
  return read(data, kind, where)[0];
}

/**
 * Decode a document of which there is one spelling only: doubled names, spaces, another order, 1.0 for 1 and integers
 * beyond 2^53 are refused.
 */
export function parseCanonical<T extends Json>(data: Uint8Array, kind: Kind<T>, where: string): T {
  const [document, inexact] = read(data, kind, where);
  if (inexact || !same(canonicalBytes(document), data)) {
    const message = sentence("format.not_canonical", { where });
    throw new CertificateFormatError(message, "not-canonical");
  }
  return document;
}

function read<T>(data: Uint8Array, kind: Kind<T>, where: string): readonly [T, boolean] {
  if (data.length > MAX_DOCUMENT_BYTES) {
    const message = sentence("format.too_long", { where, bytes: MAX_DOCUMENT_BYTES });
    throw new CertificateFormatError(message, "too-long");
  }
  const from = new Reader(data, where);
  const document = kind.read(from, "");
  from.end();
  return [document, from.inexact];
}

// `instanceof` and `Array.isArray` do not narrow readonly kinds by themselves.
function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

function isMap(value: object): value is ReadonlyMap<string, Json> {
  return value instanceof Map;
}
