/**
 * Bundles: a certificate with everything that it is verified with, as one file NAME.equiproof. Twin of
 * verifier/archive.py and verifier/bundle.py, and of what verifier/presented.py does with a bundle.
 *
 * Nothing in a bundle is anybody's word: who made the file chose all of it.
 */

import { hex, joined, same, sha256, utf8 } from "./bytes.js";
import { MAX_DOCUMENT_BYTES } from "./canonical.js";
import { type Certificate, parseCertificate } from "./certificate.js";
import { AllOf } from "./combined.js";
import {
  type CommitmentDocument,
  type Context,
  parseCommitment,
  parseContext,
  parseDocument,
  parseQuery,
  type QueryDocument,
} from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import type { Policy } from "./facts.js";
import { BUNDLE } from "./fields.js";
import { document } from "./kinds.js";
import { logLeftOpen, recourseLeftOpen } from "./left_open.js";
import { type LinkDocument, parseLink } from "./link.js";
import { ForContext, ForQuery } from "./policy.js";
import { ForReceipt, parseReceipt, type Receipt } from "./receipt.js";
import { sentence } from "./sentence.js";
import { plain } from "./text.js";
import { type KeyFiles, MAX_KEY_BYTES, MAX_SIGNATURE_BYTES, TrustStore } from "./trust.js";
import { type Verified, Verifier } from "./verify.js";

const MANIFEST_FILE = "manifest.json";
const MAX_BUNDLE_BYTES = 8 << 20;
const [MAX_ENTRIES, REQUIRED, HEADER_LENGTH] = [32, 4, 30];

const MANIFEST = document(BUNDLE);

/** The SHA-256 of the README for whoever unpacks a bundle: one text in all of them, so that no sender chooses it. */
const README_DIGEST = "dd6ad20eaca73205175cf7af05cafab3210e30dfe01853ef5a76615d9007d4ca";

/** What a recourse may hold: that no change helps, or up to four ways. */
export const ANSWERS = ["none", "way-1", "way-2", "way-3", "way-4"] as const;

type Part = readonly [name: string, role: string, most: number];

/** Name, role and longest content of every file that a bundle may hold, in their order; the first are in each. */
const OF_DECISION = [
  ["certificate.json", "certificate", MAX_DOCUMENT_BYTES],
  ["commitment.json", "commitment", MAX_DOCUMENT_BYTES],
  ["key/metadata.json", "key", MAX_DOCUMENT_BYTES],
  ["key/verifying.key", "verifying-key", MAX_KEY_BYTES],
  ["key/signatures.note", "signatures", MAX_SIGNATURE_BYTES],
  ["query.json", "query", MAX_DOCUMENT_BYTES],
  ["context.json", "context", MAX_DOCUMENT_BYTES],
  ["certificate.tlog-proof", "log-proof", 1 << 16],
  ["receipt.json", "receipt", MAX_DOCUMENT_BYTES],
  ["receipt.tlog-proof", "receipt-proof", 1 << 16],
  ["README-LIESMICH.txt", "readme", 2302],
] as const satisfies readonly Part[];
const OF_LINK = [
  ["link.json", "link", MAX_DOCUMENT_BYTES],
  ["link/metadata.json", "link-key", MAX_DOCUMENT_BYTES],
  ["link/verifying.key", "link-verifying-key", MAX_KEY_BYTES],
  ["link/signatures.note", "link-signatures", MAX_SIGNATURE_BYTES],
] as const satisfies readonly Part[];
const OF_RECOURSE: readonly Part[] = [
  ["recourse/key/metadata.json", "box-key", MAX_DOCUMENT_BYTES],
  ["recourse/key/verifying.key", "box-verifying-key", MAX_KEY_BYTES],
  ["recourse/key/signatures.note", "box-signatures", MAX_SIGNATURE_BYTES],
  ["recourse/wishes.json", "wishes", MAX_DOCUMENT_BYTES],
  ...ANSWERS.flatMap((name): readonly Part[] => [
    [`recourse/${name}/certificate.json`, name, MAX_DOCUMENT_BYTES],
    [`recourse/${name}/opened.json`, `${name}-box`, MAX_DOCUMENT_BYTES],
  ]),
];
const PARTS: readonly Part[] = [...OF_DECISION, ...OF_LINK, ...OF_RECOURSE];

type File = readonly [name: string, content: Uint8Array];

/** What a bundle holds. Its files were read, and nothing was verified. */
export interface Parts {
  readonly certificate: Certificate;
  readonly commitment: CommitmentDocument;
  readonly keys: TrustStore;
  /** The applicant's data and their blinding, in an applicant's own bundle. */
  readonly query: QueryDocument | undefined;
  readonly context: Context | undefined;
  /** What the applicant was given when the decision was made, in an applicant's own bundle. */
  readonly receipt: Receipt | undefined;
  /** The link of a kept key; the key for links that it names is among `keys`. */
  readonly link: LinkDocument | undefined;
  /** Every file as it stands, by its name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** What you have from elsewhere than the bundle: it is pinned, and takes the place of what came along. */
export interface Own {
  readonly commitment?: CommitmentDocument | undefined;
  readonly keys?: TrustStore | undefined;
  /** A link is nobody's word, wherever it came from: its proof is checked. */
  readonly link?: LinkDocument | undefined;
}

/**
 * Verify the certificate of a bundle. Commitment and keys that you have yourself are pinned; so is what the policy
 * names by its digits (ModelIs, KeyIs, TranscriptIs). Throws as {@link Verifier.verify} does. A recourse is left to
 * `verifyRecourse` of box.js, and named among what is not checked.
 */
export function verifyBundle(bundle: Uint8Array | Parts, own: Own, policy: Policy): Verified {
  const parts = bundle instanceof Uint8Array ? openBundle(bundle) : bundle;
  const pins = { commitment: own.commitment !== undefined, key: own.keys !== undefined };
  const [commitment, link] = [own.commitment ?? parts.commitment, own.link ?? parts.link];
  const verifier = new Verifier(commitment, own.keys ?? parts.keys, pins, link);
  const found: Policy[] = [];
  if (parts.query !== undefined) found.push(new ForQuery(parts.query, sentence("reading.query_that_came"), true));
  if (parts.context !== undefined) found.push(new ForContext(parts.context, true));
  if (parts.receipt !== undefined) found.push(new ForReceipt(parts.receipt, true));
  const verified = verifier.verify(parts.certificate, new AllOf(policy, ...found));
  const open = [
    ...(parts.files.has(OF_DECISION[7][0]) && !policy.covers.has("log") ? [logLeftOpen()] : []),
    ...(hasRecourse(parts.files) ? [recourseLeftOpen()] : []),
  ];
  return open.length ? { ...verified, notMade: [...verified.notMade, ...open] } : verified;
}

/** Read a bundle and the files in it; throws CertificateFormatError for any other bytes than a bundle's. */
export function openBundle(data: Uint8Array, where = "bundle"): Parts {
  const files = new Map(filesOf(data, where));
  const read = <T>([name]: Part, parse: (data: Uint8Array, where: string) => T): T | undefined => {
    const content = files.get(name);
    return content && parse(content, `${where}: ${name}`);
  };
  const certificate = read(OF_DECISION[0], parseCertificate);
  const commitment = read(OF_DECISION[1], parseCommitment);
  const [metadata, verifying, signatures] = OF_DECISION.slice(2, 5).map(([name]) => files.get(name));
  if (!certificate || !commitment || !metadata) {
    const file = certificate ? (commitment ? "metadata.json" : "commitment.json") : "certificate.json";
    throw wrongFiles(sentence("listed.file_missing", { where, file }));
  }
  const key = { name: `${where}: key`, file: "metadata.json", document: metadata, verifying, signatures };
  const keys = new TrustStore([key]);
  const [query, context] = [read(OF_DECISION[5], parseQuery), read(OF_DECISION[6], parseContext)];
  const receipt = read(OF_DECISION[8], parseReceipt);
  const found = { certificate, commitment, query, context, receipt, files };
  const link = read(OF_LINK[0], parseLink);
  return { ...found, link, keys: link ? new TrustStore([key], [linkKeyOf(files, where)]) : keys };
}

/** Return the files of the key of a link. */
function linkKeyOf(files: ReadonlyMap<string, Uint8Array>, where: string): KeyFiles {
  const [document = new Uint8Array(), verifying, signatures] = OF_LINK.slice(1).map(([name]) => files.get(name));
  return { name: `${where}: link`, file: "metadata.json", document, verifying, signatures };
}

/** Refuse files of a link without the link or its key. */
function checkLinkFiles(files: ReadonlyMap<string, unknown>, where: string): void {
  if (!OF_LINK.some(([name]) => files.has(name))) return;
  const missing = OF_LINK.slice(0, 3).find(([name]) => !files.has(name));
  if (missing) throw wrongFiles(sentence("listed.file_missing", { where, file: missing[0] }));
}

/** Return whether some files have what is of a recourse. */
function hasRecourse(files: ReadonlyMap<string, unknown>): boolean {
  return OF_RECOURSE.some(([name]) => files.has(name));
}

/** Refuse a recourse without what it is verified with: a query, a key, and an opened box for each certificate. */
export function checkRecourse(files: ReadonlyMap<string, unknown>, where: string): void {
  if (!hasRecourse(files)) return;
  const named = PARTS.filter(([name, role]) => files.has(name) && ANSWERS.some((one) => role.startsWith(one)))
    .map(([, role]) => role.replace(/-box$/, ""));
  const answers = named.length ? named : [ANSWERS[0]];
  const needed = ["query", "box-key", "box-verifying-key", ...answers, ...answers.map((one) => `${one}-box`)];
  const missing = PARTS.find(([name, role]) => needed.includes(role) && !files.has(name));
  if (missing) throw wrongFiles(sentence("listed.file_missing", { where, file: missing[0] }));
}

/** Return the files of a bundle behind its manifest, which lists them by role, name and digest. */
function filesOf(data: Uint8Array, where: string): readonly File[] {
  const [first, ...files] = entries(data, where);
  const at = `${where}: ${MANIFEST_FILE}`;
  if (first?.[0] !== MANIFEST_FILE) {
    const found = `'${plain(first?.[0] ?? "").slice(0, 40)}'`;
    throw wrongFiles(sentence("listed.begins_wrong", { where, first: found, required: MANIFEST_FILE }));
  }
  const manifest = parseDocument(first[1], MANIFEST, ["equiproof-bundle", 2], at);
  const names = files.map(([name]) => name);
  const unknown = names.find((name) => PARTS.every(([other]) => other !== name));
  if (unknown !== undefined) {
    const file = `'${plain(unknown).slice(0, 40)}'`;
    throw wrongFiles(sentence("listed.unknown_file", { where, file, what: sentence("word.bundle") }));
  }
  const known = PARTS.filter(([name], place) => place < REQUIRED || names.includes(name));
  const missing = known.find(([name]) => !names.includes(name));
  if (missing !== undefined) throw wrongFiles(sentence("listed.file_missing", { where, file: missing[0] }));
  if (names.length > known.length || known.some(([name], place) => name !== names[place])) {
    throw wrongFiles(sentence("listed.file_misplaced", { where }));
  }
  const listed = manifest.files.map(({ role, name }) => `${role} ${name}`).join("\n");
  if (listed !== known.map(([name, role]) => `${role} ${name}`).join("\n")) {
    throw wrongFiles(sentence("listed.files_differ", { where: at, what: sentence("word.bundle") }));
  }
  manifest.files.forEach(({ sha256: digest, name }, place) => {
    if (digest === hex(sha256(files[place]?.[1] ?? new Uint8Array()))) return;
    const what = sentence("word.bundle");
    const message = sentence("listed.digest_differs", { where: at, index: place, file: name, what });
    throw new CertificateFormatError(message, "file-differs");
  });
  known.forEach(([name, , most], place) => {
    if ((files[place]?.[1].length ?? 0) <= most) return;
    throw new CertificateFormatError(sentence("listed.file_too_long", { where, file: name, bytes: most }), "too-long");
  });
  const readme = manifest.files.find(({ role }) => role === "readme");
  if (readme && readme.sha256 !== README_DIGEST) {
    const message = sentence("listed.text_differs", { where, file: readme.name });
    throw new CertificateFormatError(message, "file-differs");
  }
  const byName = new Map(files);
  checkLinkFiles(byName, where);
  checkRecourse(byName, where);
  return files;
}

/** Return the files of an archive, of which there is one spelling: every byte follows from names and contents. */
function entries(data: Uint8Array, where: string): readonly File[] {
  if (data.length > MAX_BUNDLE_BYTES) {
    throw new CertificateFormatError(sentence("format.too_long", { where, bytes: MAX_BUNDLE_BYTES }), "too-long");
  }
  if (!begins(data, 0, LOCAL)) {
    const what = sentence("word.a_bundle");
    throw new CertificateFormatError(sentence("archive.not_a_zip", { where, what }), "not-a-bundle");
  }
  const found: File[] = [];
  let at = 0;
  while (begins(data, at, LOCAL)) {
    if (found.length === MAX_ENTRIES) {
      throw wrongFiles(sentence("archive.too_many_files", { where, most: MAX_ENTRIES }));
    }
    const file = entry(data, at, where);
    found.push(file);
    at += header(file).length + file[1].length;
  }
  if (same(data.subarray(at), directory(found))) return found;
  throw otherwise(where, sentence("archive.directory_wrong", { position: at }));
}

/** Return the entry at a place; its header must be the one that goes with its name and its content. */
function entry(data: Uint8Array, at: number, where: string): File {
  const from = at + HEADER_LENGTH;
  if (from > data.length) throw otherwise(where, sentence("archive.entry_cut_off", { position: at }));
  const view = new DataView(data.buffer, data.byteOffset + at, HEADER_LENGTH);
  const [start, stated] = [from + view.getUint16(26, true), view.getUint32(18, true)];
  const letters = data.subarray(from, start);
  if (letters.some((byte) => byte > 127)) {
    throw otherwise(where, sentence("archive.name_not_ascii", { position: from }));
  }
  const name = Array.from(letters, (byte) => String.fromCharCode(byte)).join("");
  const file: File = [name, data.slice(start, start + stated)];
  const [shown, actual] = [`'${plain(name).slice(0, 40)}'`, file[1].length];
  if (actual !== stated) {
    throw otherwise(where, sentence("archive.file_length_wrong", { file: shown, stated, actual }));
  }
  if (!begins(data, at, header(file))) throw otherwise(where, sentence("archive.file_not_plain", { file: shown }));
  return file;
}

const LOCAL = utf8("PK\x03\x04");
/** What all entries share: version 2.0, no flags, no compression, midnight, 1980-01-01. */
const SAME = little(2, 20, 0, 0, 0, 33);

/** Return what stands before an entry's content. */
function header(file: File): Uint8Array {
  return joined(LOCAL, fields(file), utf8(file[0]));
}

/** Return what both headers of an entry state: checksum and lengths; there is no extra field. */
function fields([name, content]: File): Uint8Array {
  return joined(SAME, little(4, checksum(content), content.length, content.length), little(2, name.length, 0));
}

/** Return what stands behind all entries: a record of each with its place, and the end. */
function directory(files: readonly File[]): Uint8Array {
  let at = 0;
  const records = joined(
    ...files.map((file) => {
      const [start, place] = [header(file), joined(little(2, 0, 0, 0), little(4, 0o600 << 16, at))];
      at += start.length + file[1].length;
      const [shared, name] = [start.subarray(LOCAL.length, HEADER_LENGTH), start.subarray(HEADER_LENGTH)];
      return joined(utf8("PK\x01\x02"), little(2, (3 << 8) | 20), shared, place, name);
    }),
  );
  const counts = little(2, 0, 0, files.length, files.length);
  return joined(records, utf8("PK\x05\x06"), counts, little(4, records.length, at), little(2, 0));
}

/** Return the CRC-32 of a content. */
function checksum(data: Uint8Array): number {
  let found = -1;
  for (const byte of data) {
    found ^= byte;
    for (let bit = 0; bit < 8; bit += 1) found = (found >>> 1) ^ (0xedb88320 & -(found & 1));
  }
  return ~found;
}

/** Return numbers as so many little-endian bytes each. */
function little(size: number, ...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => Array.from({ length: size }, (_, at) => value >>> (8 * at))));
}

function begins(data: Uint8Array, at: number, start: Uint8Array): boolean {
  return same(data.subarray(at, at + start.length), start);
}

/** Return the error of an archive that is spelled otherwise. */
function otherwise(where: string, problem: string): CertificateFormatError {
  return new CertificateFormatError(sentence("archive.use_as_received", { where, problem }), "not-canonical");
}

function wrongFiles(message: string): CertificateFormatError {
  return new CertificateFormatError(message, "wrong-files");
}
