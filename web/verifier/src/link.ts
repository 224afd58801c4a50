/**
 * The link of a kept model: the file that its owner publishes once for a key, beside the commitment. Twin of
 * verifier/link.py.
 *
 * Certificates under a kept key leave it to a link that their model is the committed one. Trust nothing in a link
 * before linked.ts compared it and its proof was checked.
 */

import { bigEndian } from "./bytes.js";
import { base64Bytes, checkLength } from "./certificate.js";
import { element, type Mark, parseDocument } from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import { BYTES } from "./field.js";
import * as table from "./fields.js";
import { document } from "./kinds.js";
import { sentence } from "./sentence.js";

const LINK: Mark = ["equiproof-link", 1];
const FIELDS = document(table.LINK);
const DIGITS = /^[0-9a-f]{64}$/;

/** The most bytes of a link: all its texts have a fixed length, but for the kind of its key's set-up. */
const MAX_LINK_BYTES = 1300;

/** A link: its fields as they stand, and what is read of them. */
export interface LinkDocument {
  readonly fields: table.Link;
  /** The first commitment of every certificate under the key, compressed in 32 bytes. */
  readonly point: Uint8Array;
  /** What certificates show of the model, and the digest of the spec: field elements. */
  readonly shown: bigint;
  readonly specDigest: bigint;
  readonly proof: Uint8Array;
}

/** Read a link; throws CertificateFormatError naming `where` and the field. */
export function parseLink(data: Uint8Array, where = "link"): LinkDocument {
  const fields = parseDocument(data, FIELDS, LINK, where);
  if (data.length > MAX_LINK_BYTES) {
    const message = sentence("link.too_long", { where, actual: data.length, most: MAX_LINK_BYTES });
    throw new CertificateFormatError(message, "too-long");
  }
  const field = (name: string): string => `${where}: ${sentence("link.field", { name })}`;
  element(fields.model_commitment, field("model_commitment"));
  const specDigest = element(fields.spec_digest, field("spec_digest"));
  const shown = element(fields.shown, field("shown"));
  const digests = { key: fields.key, point: fields.point, link_key: fields.link_key.fingerprint };
  for (const [name, digits] of Object.entries(digests)) {
    if (DIGITS.test(digits)) continue;
    throw new CertificateFormatError(`${field(name)}: ${sentence("format.want_digest")}`, "wrong-fields");
  }
  const proof = checkLength(base64Bytes(fields.proof, where), fields, where);
  return { fields, point: bigEndian(BigInt(`0x${fields.point}`), BYTES), shown, specDigest, proof };
}
