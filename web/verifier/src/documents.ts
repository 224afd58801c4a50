/** The public files around a certificate, read strictly: commitment, query, context and key metadata. Twin of
 * verifier/documents.py.
 *
 * Each is one JSON object with a format mark and a version. Parsers throw CertificateFormatError naming file and field.
 */

import { hex, sha256 } from "./bytes.js";
import { canonicalBytes, type Json, parse, parseCanonical, tagged } from "./canonical.js";
import { queryCommitment } from "./commitment.js";
import { CertificateFormatError, SpecError } from "./errors.js";
import { fromHex } from "./field.js";
import * as table from "./fields.js";
import { dictionary, document, type Kind, text } from "./kinds.js";
import { mistaken } from "./mistaken.js";
import { sentence } from "./sentence.js";
import { brokenRule, brokenWords, leastOf, LINK_SHAPE, type Shape } from "./shape.js";
import { SPEC, type Spec } from "./spec.js";
import { checked } from "./spec_check.js";
import { plain, trimmed } from "./text.js";

/** A format mark and a version. */
export type Mark = readonly [string, number];

const COMMITMENT: Mark = ["equiproof-commitment", 2];
const QUERY: Mark = ["equiproof-query", 2];
const KEY: Mark = ["equiproof-key", 2];

const NONCE_LENGTH = 16;

/** Versions of software by name. Nothing checks them, so they are short. */
export const TOOLS = dictionary(text({ most: 128 }), text({ least: 1, most: 64 }), 16);

const COMMITMENT_FIELDS = document({ ...table.COMMITMENT, spec: SPEC });

/** The raw non-sensitive features, and the blinding that opens the query commitment. */
const QUERY_FIELDS = document(table.QUERY);

/**
 * The metadata of a key. Its `ceremony` says where the powers of tau come from, with digests of the ceremony's file and
 * steps, its beacon, and the verifier keys of those who contributed. `ceremony` and `powers` are absent from keys of
 * other kinds than theirs.
 */
const KEY_FIELDS = document({ ...table.KEY, tools: TOOLS });

/** The metadata of a key for links, which show that certificates of kept models are of the committed one. */
const LINK_KEY_FIELDS = document({ ...table.LINK_KEY_DOCUMENT, shape: LINK_SHAPE, tools: TOOLS });

/** By kind of set-up, the field that says how others took part: there in keys of this kind, and in no others. */
const MADE_BY = { ceremony: "ceremony", universal: "powers" } as const;

/** What an owner publishes once for all customers: the model commitment and the spec that it binds. */
export interface CommitmentDocument {
  readonly modelCommitment: string;
  readonly spec: Spec;
  /** The SHA-256 of the file, as a register knows it. */
  readonly digest: string;
}

export type QueryDocument = table.Query;
export type KeyDocument = table.Key;
export type LinkKeyDocument = table.LinkKeyDocument;
/** The metadata of a key, whatever it is for. */
export type AnyKeyDocument = KeyDocument | LinkKeyDocument;
/** How a key was made; whoever ran a single-party set-up could forge proofs under it. */
export type SetupKind = KeyDocument["setup"];
export type Context = ReadonlyMap<string, string>;

/** Read one of the project's files in its canonical form. */
export function parseDocument<T extends Json & { readonly format: string; readonly version: number }>(
  data: Uint8Array,
  kind: Kind<T>,
  mark: Mark,
  where: string,
): T {
  const found = ofItsKind(() => parseCanonical(data, kind, where), data, mark, where);
  checkMark(found, mark, where);
  return found;
}

/** Return what is read, or throw why not: of a certificate of another kind, which kind it is. */
function ofItsKind<T>(read: () => T, data: Uint8Array, mark: Mark, where: string): T {
  try {
    return read();
  } catch (error) {
    const other = error instanceof CertificateFormatError ? mistaken(data, mark[0]) : undefined;
    if (other === undefined) throw error;
    throw new CertificateFormatError(`${where}: ${other}`, (error as CertificateFormatError).reason);
  }
}

/** Refuse another format or version. */
export function checkMark({ format, version }: { format: string; version: number }, mark: Mark, where: string): void {
  if (format === mark[0] && version === mark[1]) return;
  const found = `'${plain(format.slice(0, 40))}'`;
  const message = sentence("format.version_unknown", {
    where, format: found, version, known_format: `'${mark[0]}'`, known_version: mark[1],
  });
  throw new CertificateFormatError(message, "other-format");
}

/** Read a commitment file; a spec with more than one meaning is refused. */
export function parseCommitment(data: Uint8Array, where = "commitment"): CommitmentDocument {
  const found = parseDocument(data, COMMITMENT_FIELDS, COMMITMENT, where);
  element(found.model_commitment, sentence("format.field_model_commitment", { where }));
  const spec = fitted(() => checked(found.spec), `${where}: field spec`, "bad-spec");
  return { modelCommitment: found.model_commitment, spec, digest: hex(sha256(data)) };
}

/** Read a query file. */
export function parseQuery(data: Uint8Array, where = "query"): QueryDocument {
  return checkQuery(parseDocument(data, QUERY_FIELDS, QUERY, where), where);
}

/** Return a query after checking its marks and its blinding. */
export function checkQuery(query: QueryDocument, where: string): QueryDocument {
  checkMark(query, QUERY, where);
  element(query.blinding, `${where}: field blinding`);
  return query;
}

/**
 * Return the query commitment that these features open; throws CertificateFormatError unless they fit the spec.
 *
 * Any name but those of non-sensitive features is refused: the commitment would not bind its value.
 */
export function commitmentOf(query: QueryDocument, spec: Spec): bigint {
  const known = new Set(spec.plainFeatures.map((feature) => feature.name));
  const extra = [...query.features.keys()].find((name) => !known.has(name));
  if (extra !== undefined) {
    const message = sentence("query.unknown_feature", { feature: `'${plain(extra.slice(0, 40))}'` });
    throw new CertificateFormatError(message, "bad-query");
  }
  const columns = fitted(() => spec.encode(query.features), "query", "bad-query");
  return queryCommitment(spec.fields.input_bits, element(query.blinding, sentence("query.field_blinding")), columns);
}

/** Read key metadata; a model without a circuit is refused, and a kind of set-up without how it was made. */
export function parseKey(data: Uint8Array, where = "key"): KeyDocument {
  const found = parseDocument(data, KEY_FIELDS, KEY, where);
  checkShape(found.shape, where);
  if (found.shape.model !== undefined) checkTwoCommitments(found, where);
  checkOrigin(found, where);
  return found;
}

/** Read the metadata of a key for links; throws as {@link parseKey}. */
export function parseLinkKey(data: Uint8Array, where = "link key"): LinkKeyDocument {
  const found = parseDocument(data, LINK_KEY_FIELDS, KEY, where);
  checkShape(leastOf(found.shape), where);
  refuseBroken(brokenWords(found.shape), where);
  checkTwoCommitments(found, where);
  checkOrigin(found, where);
  return found;
}

/** Refuse a key of a kept model, or of links, whose proof system has no two commitments. */
function checkTwoCommitments({ proof_system: system }: AnyKeyDocument, where: string): void {
  if (system === "groth16-bn254") return;
  const message = sentence("key.kept_proof_system", { where, proof_system: system });
  throw new CertificateFormatError(message, "bad-shape");
}

/** Refuse a kind of set-up without how it was made, or with how keys of another kind are. */
function checkOrigin(key: AnyKeyDocument, where: string): void {
  for (const kind of ["ceremony", "universal"] as const) {
    const name = MADE_BY[kind];
    if (key[name] !== undefined && key.setup !== kind) {
      const message = sentence("key.digest_superfluous", { where, field: name, setup: key.setup });
      throw new CertificateFormatError(message, "wrong-fields");
    }
    if (key[name] === undefined && key.setup === kind) {
      const message = sentence("key.digest_missing", { where, field: name, setup: kind });
      throw new CertificateFormatError(message, "no-transcript");
    }
  }
  if (key.setup === "universal" && key.proof_system === "groth16-bn254") {
    const message = sentence("key.powers_alone", { where, proof_system: key.proof_system });
    throw new CertificateFormatError(message, "wrong-fields");
  }
}

/** Throw CertificateFormatError, naming the field `shape` of a document, for a model without a circuit. */
function checkShape(shape: Shape, where: string): void {
  refuseBroken(brokenRule(shape), where);
}

/** Refuse a rule of a shape that is broken, if there is one. */
function refuseBroken(broken: ReturnType<typeof brokenRule>, where: string): void {
  if (broken === undefined) return;
  const [field, , message] = broken;
  throw new CertificateFormatError(`${where}: field shape.${field}: ${message}`, "bad-shape");
}

/** Return the name by which certificates and policies know a key: SHA-256 over the canonical metadata. */
export function fingerprintOf(key: AnyKeyDocument): string {
  return hex(tagged("equiproof.key.v2", canonicalBytes(key)));
}

/**
 * Return the transcript digest: SHA-256 over everything that a ceremony fixes; undefined for a key of a single party.
 *
 * It covers the digests of both keys: one that covered the steps alone would fit any key, put beside them.
 */
export function transcriptOf(key: AnyKeyDocument): string | undefined {
  const { ceremony, powers, proving_key, shape, system_digest, verifying_key } = key;
  const made = { proving_key, shape, system_digest, verifying_key };
  if (ceremony === undefined && powers === undefined) return undefined;
  const fixed = ceremony === undefined ? { powers, ...made } : { ceremony, ...made };
  return hex(tagged("equiproof.transcript.v2", canonicalBytes(fixed)));
}

/** Return the text that somebody signs who has checked the transcript of a key. */
export function attestationOf(key: AnyKeyDocument): string {
  return `equiproof-key-checked/v2\nfingerprint ${fingerprintOf(key)}\ntranscript ${transcriptOf(key) ?? ""}\n`;
}

/** Read a context: one flat JSON object of names and texts, with a nonce. */
export function parseContext(data: Uint8Array, where = "context"): Context {
  let repeated = false;
  const kind = dictionary(text(), text(), Infinity, () => {
    repeated = true;
  });
  const context = parse(data, kind, where);
  if (repeated) throw new CertificateFormatError(sentence("format.name_twice", { where }), "repeated-name");
  return checkContext(context, where);
}

/**
 * Return a context after checking that it has a "nonce" of at least 16 characters, outer blanks aside: a context's
 * digest is public, and dates and policies can be guessed.
 */
export function checkContext(context: Context, where: string): Context {
  if ([...trimmed(context.get("nonce") ?? "")].length < NONCE_LENGTH) {
    const message = sentence("query.nonce_too_short", { where, least: NONCE_LENGTH });
    throw new CertificateFormatError(message, "weak-nonce");
  }
  return context;
}

/** Read a field element; throws CertificateFormatError naming `where`. */
export function element(digits: string, where: string): bigint {
  const value = fromHex(digits);
  if (value !== undefined) return value;
  const message = `${where}: want 64 lower-case hexadecimal digits of a number below the field's order`;
  throw new CertificateFormatError(message, "bad-element");
}

/** Return the result, with an error of the spec as that of a file. */
export function fitted<T>(result: () => T, where: string, reason: "bad-spec" | "bad-query"): T {
  try {
    return result();
  } catch (error) {
    if (error instanceof SpecError) throw new CertificateFormatError(`${where}: ${plain(error.message)}`, reason);
    throw error;
  }
}
