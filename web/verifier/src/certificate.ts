/** The certificate file, read strictly. Trust nothing in it before `verify` recomputed it. Twin of
 * verifier/certificate.py. */

import { checkQuery, element, type Mark, parseDocument, type QueryDocument, TOOLS } from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import * as table from "./fields.js";
import { document } from "./kinds.js";
import { KEPT_PROOF_BYTES, PROOF_BYTES } from "./proof_systems.js";
import type { Reading } from "./reading.js";
import { sentence } from "./sentence.js";
import type { AnyStatement, Statement } from "./statement.js";

const CERTIFICATE: Mark = ["equiproof-certificate", 2];
const MAX_LABEL = 1 << 14;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const FIELDS = document({ ...table.CERTIFICATE, tools: TOOLS });

/** The fields that all kinds of certificates have, beside a statement and its words. */
type Proven = Omit<table.Certificate, "statement" | "reading" | "query">;

/**
 * A file with a statement S in words R and its proof: its fields as they stand, field elements, and bytes. `query` is
 * the applicant's data where the owner disclosed it; those about a box have none.
 */
export interface ProofFile<R, S extends AnyStatement = Statement> {
  readonly fields: Proven & { readonly reading: R; readonly query?: QueryDocument | null };
  readonly statement: S;
  readonly proof: Uint8Array;
}

/** A certificate. */
export type Certificate = ProofFile<Reading> & { readonly fields: table.Certificate };

/** Read a certificate file; throws CertificateFormatError naming `where` and the field. */
export function parseCertificate(data: Uint8Array, where = "certificate"): Certificate {
  const fields = parseDocument(data, FIELDS, CERTIFICATE, where);
  if (!inRange(fields.statement)) {
    const message = sentence("certificate.statement_out_of_bounds", { where });
    throw new CertificateFormatError(message, "out-of-range");
  }
  return { fields, ...partsOf(fields, where) };
}

/** Return whether label and R2 are numbers that a statement of some spec can have. */
export function inRange({ label, radius_squared: radius }: table.StatementFields): boolean {
  return isLabel(label) && radius >= 0;
}

/** Return whether a number is that of a label of some spec. */
export function isLabel(label: number): boolean {
  return label >= 0 && label < MAX_LABEL;
}

/** A file with a statement and a proof. */
type Written = Proven & Pick<table.Certificate, "query"> & { readonly statement: table.StatementFields };

/** Return statement and proof of a file; throws CertificateFormatError if one of them or a query is malformed. */
export function partsOf(fields: Written, where: string): Pick<Certificate, "statement" | "proof"> {
  const statement = toStatement(fields.statement, where);
  const proof = base64Bytes(fields.proof, where);
  if (fields.query !== null) checkQuery(fields.query, `${where}: field query`);
  const kept = statement.shown !== undefined && fields.proof_system === "groth16-bn254";
  return { statement, proof: checkLength(proof, fields, where, kept ? KEPT_PROOF_BYTES : undefined) };
}

/** Return a proof; throws CertificateFormatError unless it is of this length, that of every one of its proof system. */
export function checkLength(
  proof: Uint8Array,
  { proof_system: system }: Pick<Proven, "proof_system">,
  where: string,
  length = PROOF_BYTES[system],
): Uint8Array {
  if (proof.length !== length) {
    const message = sentence("certificate.proof_length_wrong", { where, actual: proof.length, required: length });
    throw new CertificateFormatError(message, "wrong-length");
  }
  return proof;
}

/** Return a statement's parts as field elements. */
function toStatement(fields: table.StatementFields, where: string): Statement {
  const readText = (name: string, digits: string): bigint => element(digits, `${where}: field statement.${name}`);
  const read = (name: Exclude<keyof typeof fields, "label" | "radius_squared" | "shown">): bigint =>
    readText(name, fields[name]);
  return {
    modelCommitment: read("model_commitment"),
    specDigest: read("spec_digest"),
    domainDigest: read("domain_digest"),
    queryCommitment: read("query_commitment"),
    contextDigest: read("context_digest"),
    label: fields.label,
    radiusSquared: BigInt(fields.radius_squared),
    ...(fields.shown === undefined ? {} : { shown: readText("shown", fields.shown) }),
  };
}

/** Decode base64 in its one canonical spelling. */
export function base64Bytes(digits: string, where: string): Uint8Array {
  if (!BASE64.test(digits)) {
    throw new CertificateFormatError(`${where}: ${sentence("certificate.proof_not_base64")}`, "not-base64");
  }
  const decoded = atob(digits);
  if (btoa(decoded) !== digits) {
    const message = `${where}: ${sentence("certificate.proof_not_canonical_base64")}`;
    throw new CertificateFormatError(message, "not-canonical");
  }
  return Uint8Array.from(decoded, (sign) => sign.charCodeAt(0));
}
