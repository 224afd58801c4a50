/**
 * Policies about a public log: that the commitment stands there for everybody to see, and a receipt too. Twin of
 * verifier/logged.py.
 *
 * The log's key is pinned, and so are witnesses, who state that they saw the log grow and never change. Without them a
 * log could show each applicant another list of entries. What happened after the checkpoint is not seen offline.
 */

import { canonicalText } from "./canonical.js";
import { hex, same, sha256, utf8 } from "./bytes.js";
import { type Entry, parseEntry } from "./entries.js";
import { CertificateFormatError, PolicyError, type Reason } from "./errors.js";
import type { Check, Facts, Policy } from "./facts.js";
import { checkInclusion, leafHash, MAX_SIZE, MerkleError } from "./merkle.js";
import { quoted } from "./names.js";
import { distinct, NoteError, VerifierKey } from "./notes.js";
import { ForReceipt, type Receipt, receiptBytes } from "./receipt.js";
import { sentence } from "./sentence.js";
import { cosigned, LogFormatError, openCheckpoint, parseTlogProof, type TlogProof, UnsignedError } from "./tlog.js";

/** How many seconds a witness's clock may be ahead. */
const SKEW = 300n;
const DAY = 86400n;
const LATEST = 253402300799n;

/** What is demanded of a log, in plain values, as a policy file has them. */
export interface LogTerms {
  /** The verifier key of the log. */
  readonly key: string;
  /** Those of witnesses, of whom so many must have cosigned; by default all. */
  readonly witnesses?: readonly string[];
  readonly least?: number | null;
  /** The fewest entries. */
  readonly smallest_tree?: number | bigint;
  /** How many days ago so many witnesses may have cosigned at most. */
  readonly max_days?: number | null;
  /** The name under which the log must hold a commitment. */
  readonly owner?: string | null;
}

/**
 * Where an entry stands; `time` is the last at which as many witnesses as pinned had seen it, and `since` the first by
 * which as many had: undefined for none.
 */
export interface Standing {
  readonly entry: Entry;
  readonly index: bigint;
  readonly size: bigint;
  readonly witnesses: readonly string[];
  readonly time: bigint | undefined;
  readonly since: bigint | undefined;
}

/** Return a time in POSIX seconds as text in UTC, such as 2026-03-04T10:00:00Z; "" for none. */
export function shownTime(time: bigint | undefined): string {
  if (time === undefined) return "";
  return `${new Date(Number(time > LATEST ? LATEST : time) * 1000).toISOString().slice(0, 19)}Z`;
}

/**
 * What a relying party pins of a log. Throws NoteError and RangeError for pins that nothing could meet, or that mean
 * nothing: a witness twice, the log as its own witness, witnesses that do not count.
 */
export class LogPins {
  readonly log: VerifierKey;
  readonly witnesses: readonly VerifierKey[];
  readonly least: number;
  readonly smallest: bigint;
  readonly owner: string | undefined;

  constructor({ key, witnesses = [], least, smallest_tree: smallest = 1, owner }: LogTerms) {
    this.witnesses = witnesses.map((line) => VerifierKey.parse(line, true));
    this.log = VerifierKey.parse(key);
    if (witnesses.length) distinct([this.log, ...this.witnesses]);
    [this.least, this.smallest, this.owner] = [least ?? witnesses.length, BigInt(smallest), owner ?? undefined];
    const all = witnesses.length;
    if (!Number.isInteger(this.least) || this.least < Math.min(all, 1) || this.least > all) {
      throw new RangeError(sentence("policy.least_witnesses_out_of_bounds", { least: this.least, witnesses: all }));
    }
    if (this.smallest < 0n || this.smallest > MAX_SIZE) {
      throw new RangeError(sentence("policy.tree_out_of_bounds", { size: this.smallest }));
    }
  }

  /**
   * Return where the entry of a log proof stands; `now` is in POSIX seconds. Throws CertificateFormatError naming
   * `where` for bytes that are no log proof, and PolicyError for one that does not show it.
   */
  stand(proof: Uint8Array, now: bigint, where = sentence("present.log_proof")): Standing {
    if (!proof.length) throw refused(sentence("log_proof.missing"), "no-log-proof");
    const { parts, tree, times } = this.#read(proof, where);
    try {
      checkInclusion(leafHash(parts.extra), parts.index, tree, parts.path);
    } catch (error) {
      throw error instanceof MerkleError ? refused(`${where}: ${error.message}`, "not-in-log") : error;
    }
    const entry = parseEntry(parts.extra, `${where}: extra`);
    const counted = [...times].filter(([, time]) => time <= now + SKEW);
    if (counted.length < this.least) {
      const more = times.size - counted.length;
      const later = more ? sentence("log.witnesses_at_future_times", { count: more }) : "";
      const [cosigned, accepted] = [counted.length, this.witnesses.length];
      const message = sentence("log.witnesses_too_few", { where, cosigned, accepted, later, required: this.least });
      throw refused(message, "too-few-witnesses");
    }
    const vouched = counted.map(([, time]) => time).sort((left, right) => (left > right ? -1 : 1));
    const [time, since] = this.least ? [vouched[this.least - 1], vouched[vouched.length - this.least]] : [];
    return { entry, index: parts.index, size: tree.size, witnesses: counted.map(([name]) => name).sort(), time, since };
  }

  /** Read a log proof, its checkpoint and the times of the pinned witnesses. */
  #read(proof: Uint8Array, where: string) {
    try {
      const parts: TlogProof = parseTlogProof(proof);
      if (!parts.extra.length) throw new LogFormatError(sentence("log_proof.entry_missing"));
      const signed = openCheckpoint(parts.checkpoint, this.log);
      return { parts, tree: signed.tree, times: cosigned(signed, this.witnesses) };
    } catch (error) {
      if (error instanceof UnsignedError) throw refused(`${where}: ${error.message}`, "other-log");
      if (!(error instanceof LogFormatError) && !(error instanceof NoteError)) throw error;
      throw new CertificateFormatError(`${where}: ${error.message}`, "not-a-log-proof");
    }
  }
}

/**
 * Require that a pinned log holds the commitment. `proof` is unread, empty for none; `now` is in POSIX seconds. Throws
 * as LogPins, and RangeError for an age where no witnesses are pinned: a log states no time.
 */
export class Logged implements Policy {
  readonly ofDecisions = true;
  readonly ofBoxes = true;
  readonly pins: LogPins;
  readonly proof: Uint8Array;
  readonly now: bigint;
  readonly maxAge: bigint | undefined;
  readonly covers: ReadonlySet<Check>;

  constructor(terms: LogTerms, proof: Uint8Array, now: number | bigint) {
    [this.pins, this.proof, this.now] = [new LogPins(terms), Uint8Array.from(proof), BigInt(now)];
    const { max_days: days } = terms;
    this.maxAge = days === null || days === undefined ? undefined : BigInt(days) * DAY;
    if (this.maxAge !== undefined && (this.maxAge < 0n || !this.pins.least)) {
      throw new RangeError(sentence("policy.age_without_witnesses"));
    }
    // Without witnesses the log itself could show everybody something else.
    this.covers = new Set(this.pins.least ? (["same", "log"] as const) : (["log"] as const));
  }

  check({ commitmentDigest }: Facts): readonly string[] {
    const found = this.judge(commitmentDigest);
    const [witnesses, time] = [found.witnesses.join(", "), shownTime(found.time)];
    const by = found.time === undefined ? "" : sentence("log.cosigned_by", { witnesses, time });
    const place = sentence("log.place", {
      log: this.pins.log.name, index: found.index, size: found.size, cosigned: by,
    });
    return [sentence("checked.log", { place, owner: ownerOf(found) })];
  }

  /** Return where the entry of a commitment stands, by the digest of its file; throws as LogPins.stand. */
  judge(digest: string): Standing {
    const found = this.pins.stand(this.proof, this.now);
    const { entry, size, time } = found;
    const { owner, smallest, least } = this.pins;
    if (entry.kind !== "commitment") {
      throw refused(sentence("log_proof.entry_of_other_kind", { kind: entry.kind }), "other-entry");
    }
    if (entry["commitment"] !== digest) {
      throw refused(sentence("log_proof.entry_of_other_commitment"), "other-entry");
    }
    if (owner !== undefined && entry["owner"] !== owner) {
      const message = sentence("policy.log_owner_differs", { stated: ownerOf(found), required: quoted(owner) });
      throw refused(message, "other-owner");
    }
    if (size < smallest) {
      const message = sentence("policy.log_too_small", { stated: size, required: smallest });
      throw refused(message, "tree-too-small");
    }
    if (this.maxAge !== undefined && time !== undefined && this.now - time > this.maxAge) {
      const message = sentence("policy.log_proof_too_old", {
        witnesses: least, time: shownTime(time), age: this.now - time, seconds: this.maxAge,
      });
      throw refused(message, "log-too-old");
    }
    return found;
  }

  stillOpen(): readonly string[] {
    const found = this.pins.stand(this.proof, this.now);
    const then = found.time === undefined
      ? sentence("log.signed_without_time")
      : shownTime(found.time);
    return [
      ...(this.pins.least ? [] : [sentence("unproven.log_witnesses")]),
      ...(this.pins.owner === undefined ? [sentence("unproven.log_owner", { owner: ownerOf(found) })] : []),
      sentence("unproven.retired_in_log", { sentence: sentence("unproven.not_retired", { time: then }) }),
    ];
  }
}

/** Require that the certificate is about a receipt, and that a pinned log holds the receipt. */
export class ReceiptLogged implements Policy {
  readonly ofDecisions = true;
  readonly receipt: Receipt;
  readonly covers: ReadonlySet<Check> = new Set();
  readonly #about: ForReceipt;
  readonly #stand: () => Standing;
  readonly #log: string;

  constructor(receipt: Receipt, terms: LogTerms, proof: Uint8Array, now: number | bigint) {
    const pins = new LogPins(terms);
    const copy = Uint8Array.from(proof);
    [this.receipt, this.#about, this.#log] = [receipt, new ForReceipt(receipt), pins.log.name];
    this.#stand = () => pins.stand(copy, BigInt(now), sentence("present.log_proof_of_receipt"));
  }

  check(facts: Facts): readonly string[] {
    const made = this.#about.check(facts);
    const found = this.judge();
    return [...made, sentence("checked.receipt_in_log", { log: this.#log, index: found.index, size: found.size })];
  }

  /** Return where the receipt's entry stands; throws as LogPins.stand. */
  judge(): Standing {
    const found = this.#stand();
    const receipt = hex(sha256(receiptBytes(this.receipt)));
    const entry = { format: "equiproof-entry", kind: "decision", receipt, version: 1 };
    if (!same(utf8(canonicalText(found.entry)), utf8(canonicalText(entry)))) {
      throw refused(sentence("log_proof.receipt_differs"), "other-entry");
    }
    return found;
  }
}

/**
 * Require that a pinned log holds the entry of a box certificate's file, and say since when witnesses had seen it. It
 * goes beside a policy (`AskedOfBox.dated`), for it judges the file, which no statement holds. Throws as LogPins, and
 * RangeError where no witnesses are pinned: a log states no time.
 */
export class BoxDated {
  readonly #stand: () => Standing;
  readonly #log: string;

  constructor(terms: LogTerms, proof: Uint8Array, now: number | bigint) {
    const pins = new LogPins(terms);
    if (!pins.least) throw new RangeError(sentence("policy.date_without_witnesses"));
    const copy = Uint8Array.from(proof);
    this.#log = pins.log.name;
    this.#stand = () => pins.stand(copy, BigInt(now), sentence("present.log_proof_of_box"));
  }

  /**
   * Return in words that the log holds the file's entry, and since when at the latest; throws as LogPins.stand. An
   * entry of another kind is refused, though it have the digest of this very file.
   */
  check(file: Uint8Array): string {
    const found = this.#stand();
    const entry = { box: hex(sha256(file)), format: "equiproof-entry", kind: "box", version: 1 };
    if (!same(utf8(canonicalText(found.entry)), utf8(canonicalText(entry)))) {
      throw refused(sentence("log_proof.box_differs"), "other-entry");
    }
    const { index, size } = found;
    return sentence("checked.box_in_log", { log: this.#log, index, size, time: shownTime(found.since) });
  }
}

function ownerOf({ entry }: Standing): string {
  const { owner } = entry;
  return typeof owner === "string" ? quoted(owner) : "";
}

function refused(message: string, reason: Reason): PolicyError {
  return new PolicyError(message, reason);
}
