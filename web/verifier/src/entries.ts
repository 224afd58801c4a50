/** What a public register holds: eight kinds of entries. Twin of verifier/entries.py. */

import { parse } from "./canonical.js";
import { parseDocument } from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import * as table from "./fields.js";
import { anything, document, type Kind } from "./kinds.js";
import { complaint } from "./names.js";
import { isTime } from "./receipt.js";
import { sentence } from "./sentence.js";

const MAX_ENTRY_BYTES = (1 << 16) - 1;
const MAX_WHY = 200;
/** The fields of entries that are digests. */
const DIGESTS = [
  "link", "commitment", "key", "transcript", "digest", "successor", "receipt", "certificate", "box", "head",
] as const;
const HIDDEN = /[\0-\x1f\x7f-\x9f\u2028\u2029]/;
const DIGITS = /^[0-9a-f]{64}$/;

const DECISION = document(table.DECISION_ENTRY);
const KINDS = {
  commitment: document(table.COMMITMENT_ENTRY),
  key: document(table.KEY_ENTRY),
  link: document(table.LINK_ENTRY),
  retire: document(table.RETIRE_ENTRY),
  decision: DECISION,
  certificate: document(table.CERTIFICATE_ENTRY),
  box: document(table.BOX_ENTRY),
  trail: document(table.TRAIL_ENTRY),
};

/** An entry; which fields it has beside these follows from its kind. */
export interface Entry {
  readonly format: string;
  readonly version: number;
  readonly kind: keyof typeof KINDS;
  readonly [name: string]: string | number | null;
}

/** Read an entry; throws CertificateFormatError naming `where` and the field. */
export function parseEntry(data: Uint8Array, where = "entry"): Entry {
  if (data.length > MAX_ENTRY_BYTES) {
    throw new CertificateFormatError(sentence("entry.too_long", { where, bytes: MAX_ENTRY_BYTES }), "too-long");
  }
  const kind = kindOf(data, where);
  // Where the kind is unknown, any of them names what is wrong.
  const table = typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS] : DECISION;
  const entry = parseDocument(data, table as Kind<Entry>, ["equiproof-entry", 1], where);
  check(entry, where);
  return entry;
}

/** Return what a document says is its kind; throws CertificateFormatError for what is no JSON. */
function kindOf(data: Uint8Array, where: string): unknown {
  try {
    const found = parse(data, anything, where);
    return found instanceof Map ? found.get("kind") : undefined;
  } catch (error) {
    // So many brackets in each other are beyond the stack.
    if (!(error instanceof RangeError)) throw error;
    throw new CertificateFormatError(`${where}: not valid JSON`, "not-json");
  }
}

/** Refuse what the form alone lets through. */
function check(entry: Entry, where: string): void {
  for (const name of DIGESTS) {
    const digits = entry[name];
    if (typeof digits === "string" && !DIGITS.test(digits)) {
      throw wrong(where, name, sentence("format.want_digest"));
    }
  }
  const { owner, valid_from: first, why } = entry;
  const complained = typeof owner === "string" ? complaint(owner) : undefined;
  if (complained) throw wrong(where, "owner", complained.message);
  if (typeof first === "string" && !isTime(`${first}T00:00:00Z`)) {
    throw wrong(where, "valid_from", sentence("entry.want_day"));
  }
  if (typeof why === "string" && ([...why].length > MAX_WHY || HIDDEN.test(why))) {
    throw wrong(where, "why", sentence("entry.want_one_line", { most: MAX_WHY }));
  }
}

function wrong(where: string, name: string, why: string): CertificateFormatError {
  return new CertificateFormatError(`${where}: field ${name}: ${why}`, "wrong-fields");
}
