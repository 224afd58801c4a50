/**
 * The box certificate, read strictly, and its words. Trust nothing in it before it was verified. Twin of
 * verifier/box.py.
 *
 * It states that everybody in a box gets one label, whatever the listed sensitive values are. Which box that is, its
 * holder shows by the opened box. It is a file of its own kind: what takes a certificate refuses it.
 */

import { base64Bytes, checkLength, isLabel, type ProofFile } from "./certificate.js";
import { element, type Mark, parseDocument, TOOLS } from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import * as table from "./fields.js";
import { document } from "./kinds.js";
import { quoted } from "./names.js";
import { checkOpenedBox } from "./opened_box.js";
import { sentence } from "./sentence.js";
import type { Spec } from "./spec.js";
import type { BoxStatement } from "./statement.js";

const BOX: Mark = ["equiproof-box", 2];

const FIELDS = document({ ...table.BOX, tools: TOOLS });

/** A statement about a box for people: its label, and the sensitive features by name. */
export type BoxReading = table.BoxReading;

/** A box certificate; `fields.box` is the opened box where the owner disclosed it. */
export interface BoxCertificate extends ProofFile<BoxReading, BoxStatement> {
  readonly fields: table.Box;
}

/** Read a box certificate; throws CertificateFormatError naming `where` and the field. */
export function parseBox(data: Uint8Array, where = "box certificate"): BoxCertificate {
  const fields = parseDocument(data, FIELDS, BOX, where);
  if (!isLabel(fields.statement.label)) {
    throw new CertificateFormatError(sentence("box.statement_out_of_bounds", { where }), "out-of-range");
  }
  const statement = toStatement(fields.statement, where);
  const proof = checkLength(base64Bytes(fields.proof, where), fields, where);
  if (fields.box !== null) checkOpenedBox(fields.box, `${where}: field box`);
  return { fields, statement, proof };
}

/** Return a statement's parts as field elements. */
function toStatement(fields: table.BoxFields, where: string): BoxStatement {
  const read = (name: Exclude<keyof typeof fields, "label">): bigint =>
    element(fields[name], `${where}: field statement.${name}`);
  return {
    modelCommitment: read("model_commitment"),
    specDigest: read("spec_digest"),
    domainDigest: read("domain_digest"),
    boxCommitment: read("box_commitment"),
    contextDigest: read("context_digest"),
    label: fields.label,
  };
}

/** Return the reading of a label, an index below the number of label names. */
export function boxReadingOf({ fields, sensitiveFeatures }: Spec, label: number): BoxReading {
  return { label: fields.labels[label] ?? "", sensitive: sensitiveFeatures.map(({ name }) => name) };
}

/** Return one sentence that promises no more than the statement. */
export function boxSentenceOf({ label, sensitive }: BoxReading): string {
  const names = sensitive.map(quoted).join(` ${sentence("word.and")} `);
  return sentence("box.read", { sensitive: names, label: quoted(label) });
}
