// Log proofs, entries and receipts, as tests ask for them.
import { utf8 } from "../../web/verifier/src/bytes.js";
import { parseEntry } from "../../web/verifier/src/entries.js";
import type { Facts } from "../../web/verifier/src/facts.js";
import { fromHex } from "../../web/verifier/src/field.js";
import { BoxDated, Logged, type LogTerms, ReceiptLogged, shownTime } from "../../web/verifier/src/logged.js";
import { checkConsistency, checkInclusion } from "../../web/verifier/src/merkle.js";
import { parseReceipt, refuseOther } from "../../web/verifier/src/receipt.js";
import type { Statement } from "../../web/verifier/src/statement.js";
import { parseCheckpoint } from "../../web/verifier/src/tlog.js";

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));

/** Return what is made, or the error in place of it. */
const outcome = (make: () => unknown): Record<string, unknown> => {
  try {
    return { value: make() ?? null };
  } catch (error) {
    const { name, reason, message } = error as { name: string; reason?: string; message: string };
    return { exception: name, reason: reason ?? null, message };
  }
};

export const logged = (pins: LogTerms, proof: string, now: number, digest: string): Record<string, unknown> =>
  outcome(() => {
    const found = new Logged(pins, utf8(proof), now).judge(digest);
    const [index, size] = [Number(found.index), Number(found.size)];
    return { owner: found.entry["owner"], index, size, witnesses: found.witnesses.length, time: shownTime(found.time) };
  });

export const still_open = (pins: LogTerms, proof: string, now: number): readonly string[] =>
  new Logged(pins, utf8(proof), now).stillOpen();

/** What the log's policy says that it checked; it reads nothing else of the facts. */
export const log_check = (pins: LogTerms, proof: string, now: number, commitmentDigest: string): readonly string[] => {
  const policy = new Logged(pins, utf8(proof), now);
  if (!policy.ofDecisions) throw new Error("about gains too");
  return policy.check({ commitmentDigest } as Facts);
};

/** What a receipt (its text) is judged by: a statement, and where there are pins, a log proof. */
interface Judged {
  readonly statement: { readonly [name: string]: string & number };
  readonly pins?: LogTerms;
  readonly proof?: string;
  readonly now?: number;
}

const statementOf = (statement: Judged["statement"]): Statement => {
  const element = (name: string): bigint => fromHex(statement[name] ?? "") ?? -1n;
  const [modelCommitment, queryCommitment] = [element("model_commitment"), element("query_commitment")];
  const stated = { modelCommitment, queryCommitment, contextDigest: element("context_digest") };
  return { ...stated, label: statement["label"] } as unknown as Statement;
};
export const receipt_check = (text: string, { statement, pins, proof, now }: Judged): readonly string[] =>
  new ReceiptLogged(parseReceipt(utf8(text)), pins ?? { key: "" }, utf8(proof ?? ""), now ?? 0)
    .check({ statement: statementOf(statement) } as Facts);

export const receipt = (text: string, { statement, pins, proof, now }: Judged): Record<string, unknown> =>
  outcome(() => {
    const found = parseReceipt(utf8(text));
    refuseOther(found, statementOf(statement));
    if (pins) new ReceiptLogged(found, pins, utf8(proof ?? ""), now ?? 0).judge();
  });

/** What is said of a log that dates the file of a box certificate. */
export const box_dated = (pins: LogTerms, proof: string, now: number, file: string): Record<string, unknown> =>
  outcome(() => new BoxDated(pins, utf8(proof), now).check(utf8(file)));

/** The size of a checkpoint (its text), or why it is none. */
export const checkpoint = (text: string): Record<string, unknown> =>
  outcome(() => String(parseCheckpoint(text).tree.size));

export const entry = (text: string): Record<string, unknown> => outcome(() => parseEntry(utf8(text)).kind);

/** The messages of proofs of inclusion and of consistency that do not hold, null for those that do. */
export const inclusions = (all: ReadonlyArray<readonly [string, string, string, string[], string]>): unknown[] =>
  all.map(([leaf, index, size, path, root]) =>
    outcome(() => checkInclusion(bytes(leaf), BigInt(index), { size: BigInt(size), root: bytes(root) }, path.map(bytes)))
      ["message"] ?? null,
  );
export const consistencies = (all: ReadonlyArray<readonly [string, string, string, string, string[]]>): unknown[] =>
  all.map(([older, oldRoot, newer, newRoot, path]) => {
    const [first, second] = [{ size: BigInt(older), root: bytes(oldRoot) }, { size: BigInt(newer), root: bytes(newRoot) }];
    return outcome(() => checkConsistency(first, second, path.map(bytes)))["message"] ?? null;
  });
