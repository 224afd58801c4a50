/**
 * Receipts: what an applicant is given when a decision is made, before anybody knows whether it will be looked at. A
 * certificate that is made later is about a receipt, or is not. Twin of verifier/receipt.py.
 */

import { canonicalBytes } from "./canonical.js";
import { element, parseDocument } from "./documents.js";
import { CertificateFormatError, PolicyError } from "./errors.js";
import { aboutABall, type Check, type Facts, type Policy } from "./facts.js";
import { toHex } from "./field.js";
import { RECEIPT, type Receipt } from "./fields.js";
import { document } from "./kinds.js";
import { sentence } from "./sentence.js";
import type { Statement } from "./statement.js";

const FIELDS = document(RECEIPT);
const MAX_LABEL = 1 << 14;

/** A receipt; `label` is an index of the spec's labels, or null where a person decides. */
export type { Receipt };

/** Read a receipt; throws CertificateFormatError naming `where` and the field. */
export function parseReceipt(data: Uint8Array, where = "receipt"): Receipt {
  const found = parseDocument(data, FIELDS, ["equiproof-receipt", 1], where);
  const { label, time, salt } = found;
  for (const name of ["model_commitment", "query_commitment", "context_digest"] as const) {
    element(found[name], `${where}: field ${name}`);
  }
  if (label !== null && (label < 0 || label >= MAX_LABEL)) {
    throw new CertificateFormatError(sentence("receipt.label_out_of_bounds", { where }), "out-of-range");
  }
  if (!isTime(time)) {
    throw new CertificateFormatError(sentence("receipt.time_malformed", { where }), "wrong-fields");
  }
  if (!/^[0-9a-f]{64}$/.test(salt)) throw wrong(where, "salt", sentence("format.want_digest"));
  return found;
}

/** Return the bytes of a receipt, whose SHA-256 a register holds. */
export function receiptBytes(receipt: Receipt): Uint8Array {
  return canonicalBytes(receipt);
}

/** Return whether a text is an instant in UTC, from the year 1000 on, in its one spelling. */
export function isTime(text: string): boolean {
  const time = new Date(text);
  const known = /^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/.test(text) && !Number.isNaN(+time);
  return known && `${time.toISOString().slice(0, 19)}Z` === text;
}

/** Throw PolicyError unless a statement is about the receipt. */
export function refuseOther(receipt: Receipt, statement: Statement): void {
  const refuse = (message: string): never => {
    throw new PolicyError(message, "other-receipt");
  };
  for (const [name, value, other] of [
    ["model_commitment", statement.modelCommitment, sentence("receipt.other_model")],
    ["query_commitment", statement.queryCommitment, sentence("receipt.other_data")],
    ["context_digest", statement.contextDigest, sentence("receipt.other_context")],
  ] as const) {
    if (toHex(value) !== receipt[name]) refuse(sentence("receipt.about_other", { other }));
  }
  if (receipt.label === null) refuse(sentence("receipt.decided_by_person"));
  if (statement.label !== receipt.label) refuse(sentence("receipt.decision_differs"));
}

/** Require that the certificate is about this receipt; `found` came with the certificate itself. */
export class ForReceipt implements Policy {
  readonly ofDecisions = true;
  readonly receipt: Receipt;
  readonly found: boolean;
  readonly covers: ReadonlySet<Check> = new Set();

  constructor(receipt: Receipt, found = false) {
    [this.receipt, this.found] = [receipt, found];
  }

  check(facts: Facts): readonly string[] {
    refuseOther(this.receipt, aboutABall(facts));
    const whose = this.found ? sentence("reading.receipt_that_came") : sentence("receipt.yours_is");
    return [sentence("checked.receipt", { whose, time: this.receipt.time })];
  }
}

function wrong(where: string, name: string, why: string): CertificateFormatError {
  return new CertificateFormatError(`${where}: field ${name}: ${why}`, "wrong-fields");
}
