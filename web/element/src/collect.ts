/**
 * What came together: a certificate and its companions, out of a bundle or out of loose files. Companions are found by
 * what they hold, never by their names.
 */

import { type Parts, openBundle } from "../../verifier/src/bundle.js";
import { hex, sha256 } from "../../verifier/src/bytes.js";
import { parseCertificate } from "../../verifier/src/certificate.js";
import {
  type CommitmentDocument,
  type Context,
  parseCommitment,
  parseContext,
  parseKey,
  parseQuery,
  type QueryDocument,
} from "../../verifier/src/documents.js";
import { plain } from "../../verifier/src/text.js";
import { type KeyFiles, TrustStore } from "../../verifier/src/trust.js";
import type { Given } from "./files.js";

/** Files that a certificate cannot be checked without. */
export type Lacking = "commitment" | "key" | "verifying";

/** The files of one certificate, read and not verified. */
export interface Collected extends Omit<Parts, "commitment" | "keys"> {
  readonly commitment: CommitmentDocument | undefined;
  readonly keys: TrustStore | undefined;
  readonly lacking: readonly Lacking[];
  /** What was given beside a bundle, which the reader has from elsewhere. */
  readonly own: { readonly query: QueryDocument | undefined; readonly context: Context | undefined };
}

type Kind = "certificate" | "unshown" | "commitment" | "query" | "context" | "key" | "other";

const MARKS: Readonly<Record<string, Kind>> = {
  "equiproof-certificate": "certificate",
  // Certificates of other kinds are refused by their names.
  "equiproof-gain": "unshown",
  "equiproof-box": "unshown",
  "equiproof-commitment": "commitment",
  "equiproof-query": "query",
  "equiproof-key": "key",
};
const [LONGEST_NAME, LOG] = [80, ".tlog-proof"];

/** Return a file's name for people: of bounded length, and without characters that nobody sees. */
export function shownName({ name }: Given): string {
  return [...plain(name)].slice(-LONGEST_NAME).join("");
}

/**
 * Read files by what they are; of two of a kind, the later one counts. Throws CertificateFormatError for a malformed
 * one, and where none of them is a certificate.
 */
export function collect(files: readonly Given[]): Collected {
  const kinds = files.map(({ data }) => kindOf(data));
  const all = (kind: Kind): readonly Given[] => files.filter((_, at) => kinds[at] === kind);
  const last = <T>(kind: Kind, parse: (data: Uint8Array, where: string) => T): T | undefined => {
    const file = all(kind).at(-1);
    return file && parse(file.data, shownName(file));
  };
  const [query, context] = [last("query", parseQuery), last("context", parseContext)];
  const bundle = files.filter(({ data }) => isArchive(data)).at(-1);
  if (bundle) return { ...openBundle(bundle.data, shownName(bundle)), lacking: [], own: { query, context } };
  const [first = { name: "", data: new Uint8Array() }] = [...all("unshown"), ...files];
  const certificate = last("certificate", parseCertificate) ?? parseCertificate(first.data, shownName(first));
  const commitment = last("commitment", parseCommitment);
  const described = all("key").map((file) => keyOf(file, files));
  const complete = described.filter(({ verifying }) => verifying);
  const keys = complete.length ? new TrustStore(complete) : undefined;
  const log = files.filter(({ name }) => name.endsWith(LOG)).map(({ data }) => [`certificate${LOG}`, data] as const);
  const lacking: readonly Lacking[] = [
    ...(commitment ? [] : (["commitment"] as const)),
    ...(described.length ? [] : (["key"] as const)),
    ...(keys ? [] : (["verifying"] as const)),
  ];
  const own = { query: undefined, context: undefined };
  return { certificate, commitment, keys, query, context, receipt: undefined, files: new Map(log), lacking, own };
}

/** Return a key's files: its bytes are those that the metadata names. */
function keyOf(file: Given, files: readonly Given[]): KeyFiles {
  const name = shownName(file);
  const wanted = parseKey(file.data, name).verifying_key;
  return { name, document: file.data, verifying: files.find(({ data }) => hex(sha256(data)) === wanted)?.data };
}

/** Return what a file seems to be; its own parser judges it. */
function kindOf(data: Uint8Array): Kind {
  try {
    const found: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    if (typeof found !== "object" || found === null) return "other";
    const { format, nonce } = found as { format?: unknown; nonce?: unknown };
    if (typeof format === "string") return Object.hasOwn(MARKS, format) ? (MARKS[format] ?? "other") : "other";
    return typeof nonce === "string" ? "context" : "other";
  } catch {
    return "other";
  }
}

function isArchive(data: Uint8Array): boolean {
  return data[0] === 0x50 && data[1] === 0x4b;
}
