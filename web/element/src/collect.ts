/**
 * What came together: a certificate and its companions, out of a bundle or out of loose files. Companions are found by
 * what they hold, never by their names.
 */

import { type Parts, openBundle } from "../../verifier/src/bundle.js";
import { type BoxCertificate, parseBox } from "../../verifier/src/box_certificate.js";
import { hex, sha256 } from "../../verifier/src/bytes.js";
import { type Certificate, parseCertificate } from "../../verifier/src/certificate.js";
import {
  type AnyKeyDocument,
  type CommitmentDocument,
  type Context,
  fingerprintOf,
  parseCommitment,
  parseContext,
  parseKey,
  parseLinkKey,
  parseQuery,
  type QueryDocument,
} from "../../verifier/src/documents.js";
import { CertificateFormatError } from "../../verifier/src/errors.js";
import { type LinkDocument, parseLink } from "../../verifier/src/link.js";
import { commitmentOfBox, type OpenedBox, parseOpenedBox } from "../../verifier/src/opened_box.js";
import type { Spec } from "../../verifier/src/spec.js";
import { plain } from "../../verifier/src/text.js";
import { type KeyFiles, TrustStore } from "../../verifier/src/trust.js";
import type { Given } from "./files.js";

/** Files that a certificate cannot be checked without; the certificate itself, where an opened box came without one. */
export type Lacking =
  "certificate" | "commitment" | "key" | "verifying" | "link" | "link_key" | "link_verifying";

/** Files beside a certificate, read and not verified. */
export interface Companions {
  /** An opened box came without its certificate. */
  readonly kind: "alone";
  readonly commitment: CommitmentDocument | undefined;
  readonly keys: TrustStore | undefined;
  readonly context: Context | undefined;
  readonly lacking: readonly Lacking[];
}

/** The files of one certificate, read and not verified. */
export interface Collected extends Omit<Parts, keyof Companions>, Omit<Companions, "kind"> {
  readonly kind: "decision";
  /** What was given beside a bundle, which the reader has from elsewhere. */
  readonly own: { readonly query: QueryDocument | undefined; readonly context: Context | undefined };
}

/** The files of one box certificate, read and not verified. */
export interface CollectedBox extends Omit<Companions, "kind"> {
  readonly kind: "box";
  readonly certificate: BoxCertificate;
  readonly opened: OpenedBox | undefined;
}

type Kind =
  "certificate" | "box" | "unshown" | "commitment" | "query" | "context" | "key" | "link" | "linkKey" | "opened" |
  "wishes" | "other";

const MARKS: Readonly<Record<string, Kind>> = {
  "equiproof-certificate": "certificate",
  "equiproof-box": "box",
  // Certificates of other kinds are refused by their names.
  "equiproof-gain": "unshown",
  "equiproof-commitment": "commitment",
  "equiproof-query": "query",
  "equiproof-key": "key",
  "equiproof-link": "link",
  "equiproof-opened-box": "opened",
  "equiproof-wishes": "wishes",
};
const [LONGEST_NAME, LOG] = [80, ".tlog-proof"];

/** Return a file's name for people: of bounded length, and without characters that nobody sees. */
export function shownName({ name }: Given): string {
  return [...plain(name)].slice(-LONGEST_NAME).join("");
}

/** Return whether some files are opened boxes alone, and others have a box certificate that they may belong to. */
export function opens(files: readonly Given[], others: readonly Given[]): boolean {
  return files.every(({ data }) => kindOf(data) === "opened") && others.some(({ data }) => kindOf(data) === "box");
}

/**
 * Read files by what they are; of two of a kind, and of two certificates, the later one counts. Throws
 * CertificateFormatError for a malformed one, and where none of them is a certificate or an opened box. A refusal and
 * its query with as many opened boxes as box certificates are a refusal with its recourse.
 */
export function collect(files: readonly Given[]): Collected | CollectedBox | Companions {
  const kinds = files.map(({ data }) => kindOf(data));
  const all = (kind: Kind): readonly Given[] => files.filter((_, at) => kinds[at] === kind);
  const last = <T>(kind: Kind, parse: (data: Uint8Array, where: string) => T): T | undefined => {
    const file = all(kind).at(-1);
    return file && parse(file.data, shownName(file));
  };
  const [query, context] = [last("query", parseQuery), last("context", parseContext)];
  const bundle = files.filter(({ data }) => isArchive(data)).at(-1);
  if (bundle) {
    const whole = openBundle(bundle.data, shownName(bundle));
    const link = last("link", parseLink) ?? whole.link;
    return { ...whole, link, kind: "decision", lacking: [], own: { query, context } };
  }
  const keys = (): readonly KeyFiles[] => all("key").map((file) => keyOf(file, files, parseKey));
  const beside = (): Beside => besideOf(last("commitment", parseCommitment), keys());
  // Those of a certificate of a kept model: it is checked beside its link.
  const linked = (certificate: Certificate): LinkedBeside => {
    const described = all("linkKey").map((file) => keyOf(file, files, parseLinkKey));
    const found = besideOf(last("commitment", parseCommitment), keys(), described);
    const link = last("link", parseLink);
    const kept = certificate.statement.shown !== undefined;
    return { ...found, link, lacking: [...found.lacking, ...(kept ? lackingOf(link, described) : [])] };
  };
  const [boxes, queryFile] = [all("box"), all("query").at(-1)];
  if (queryFile && boxes.length && boxes.length === all("opened").length) {
    const loose = { query: queryFile, boxes, opened: all("opened"), wishes: all("wishes").at(-1), keys: keys() };
    const certificate = last("certificate", parseCertificate);
    if (certificate) return withRecourse({ certificate, query, context }, linked(certificate), loose);
  }
  if (aboutDecision(kinds)) {
    const [first = { name: "", data: new Uint8Array() }] = [...all("unshown"), ...files];
    const certificate = last("certificate", parseCertificate) ?? parseCertificate(first.data, shownName(first));
    const log = files.filter(({ name }) => name.endsWith(LOG)).map(({ data }) => [`certificate${LOG}`, data] as const);
    const others = { receipt: undefined, files: new Map(log), own: { query: undefined, context: undefined } };
    return { kind: "decision", certificate, query, context, ...others, ...linked(certificate) };
  }
  const [certificate, opened] = [last("box", parseBox), last("opened", parseOpenedBox)];
  const { lacking, ...found } = beside();
  if (certificate) return { kind: "box", certificate, opened, context, lacking, ...found };
  return { kind: "alone", context, lacking: ["certificate", ...lacking], ...found };
}

/** The loose files of a recourse. */
interface Loose {
  readonly query: Given;
  readonly boxes: readonly Given[];
  readonly opened: readonly Given[];
  readonly wishes: Given | undefined;
  readonly keys: readonly KeyFiles[];
}

/** Return a refusal with its recourse, as a bundle of the same files has them. */
function withRecourse(
  decision: Pick<Collected, "certificate" | "query" | "context">,
  beside: LinkedBeside,
  { query: queryFile, boxes, opened, wishes, keys }: Loose,
): Collected {
  const spec = beside.commitment?.spec;
  const files = new Map([["query.json", queryFile.data]]);
  if (wishes) files.set("recourse/wishes.json", wishes.data);
  let ways = 0;
  boxes.forEach((file, place) => {
    const { statement: { label, boxCommitment }, fields: { key } } = parseBox(file.data, shownName(file));
    const own = keys.find(({ document }) => fingerprintOf(parseKey(document)) === key.fingerprint);
    if (own?.verifying) {
      files.set("recourse/key/metadata.json", own.document).set("recourse/key/verifying.key", own.verifying);
    }
    const at = `recourse/${label === decision.certificate.statement.label ? "none" : `way-${(ways += 1)}`}`;
    // One that opens none of the boxes is judged with the one at its place.
    const box = opened.find((one) => spec && isOf(one, boxCommitment, spec)) ?? opened[place];
    files.set(`${at}/certificate.json`, file.data).set(`${at}/opened.json`, box?.data ?? new Uint8Array());
  });
  const all: readonly Lacking[] = files.has("recourse/key/metadata.json") ? [] : ["key", "verifying"];
  const lacking = [...new Set([...beside.lacking, ...all])];
  const own = { query: undefined, context: undefined };
  return { kind: "decision", ...decision, receipt: undefined, files, own, ...beside, lacking };
}

/** Return whether an opened box is the one of a box commitment. */
function isOf(file: Given, boxCommitment: bigint, spec: Spec): boolean {
  try {
    return commitmentOfBox(parseOpenedBox(file.data), spec) === boxCommitment;
  } catch (error) {
    if (error instanceof CertificateFormatError) return false;
    throw error;
  }
}

type Beside = Pick<Companions, "commitment" | "keys" | "lacking">;
type LinkedBeside = Beside & { readonly link: LinkDocument | undefined };

/** Return what a certificate is checked with: a commitment, and the keys whose two files are there. */
function besideOf(
  commitment: CommitmentDocument | undefined,
  described: readonly KeyFiles[],
  ofLinks: readonly KeyFiles[] = [],
): Beside {
  const [complete, links] = [described, ofLinks].map((keys) => keys.filter(({ verifying }) => verifying));
  const keys = complete?.length ? new TrustStore(complete, links) : undefined;
  const lacking: readonly Lacking[] = [
    ...(commitment ? [] : (["commitment"] as const)),
    ...(described.length ? [] : (["key"] as const)),
    ...(keys ? [] : (["verifying"] as const)),
  ];
  return { commitment, keys, lacking };
}

/** Return what is missing of a link and its key. */
function lackingOf(link: LinkDocument | undefined, described: readonly KeyFiles[]): readonly Lacking[] {
  return [
    ...(link ? [] : (["link"] as const)),
    ...(described.length ? [] : (["link_key"] as const)),
    ...(described.some(({ verifying }) => verifying) ? [] : (["link_verifying"] as const)),
  ];
}

/** Return whether loose files are about a decision: the last certificate is of no box, and no opened box came alone. */
function aboutDecision(kinds: readonly Kind[]): boolean {
  if (kinds.lastIndexOf("box") > kinds.lastIndexOf("certificate")) return false;
  return kinds.includes("certificate") || kinds.includes("unshown") || !kinds.includes("opened");
}

/** Return a key's files: its bytes are those that the metadata names. */
function keyOf(
  file: Given,
  files: readonly Given[],
  parse: (data: Uint8Array, where: string) => AnyKeyDocument,
): KeyFiles {
  const name = shownName(file);
  const wanted = parse(file.data, name).verifying_key;
  return { name, document: file.data, verifying: files.find(({ data }) => hex(sha256(data)) === wanted)?.data };
}

/** Return what a file seems to be; its own parser judges it. */
function kindOf(data: Uint8Array): Kind {
  try {
    const found: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    if (typeof found !== "object" || found === null) return "other";
    const { format, nonce, shape } = found as Partial<Record<string, unknown>>;
    if (format === "equiproof-key" && (shape as { scheme?: unknown } | null | undefined)?.scheme === "link") {
      return "linkKey";
    }
    if (typeof format === "string") return Object.hasOwn(MARKS, format) ? (MARKS[format] ?? "other") : "other";
    return typeof nonce === "string" ? "context" : "other";
  } catch {
    return "other";
  }
}

function isArchive(data: Uint8Array): boolean {
  return data[0] === 0x50 && data[1] === 0x4b;
}
