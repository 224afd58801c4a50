/**
 * Policies from the fields of a policy file, by the rows of the table of policies: each row names a class, a field and
 * a kind of value, and each kind has one reader. Twin of verifier/requirements.py.
 */

import TABLE from "../../../go-gnark/verify/tables/policies.json";
import * as contexts from "./context_policies.js";
import type { Context, QueryDocument } from "./documents.js";
import { SpecError } from "./errors.js";
import type { Policy } from "./facts.js";
import { LOG_REQUIREMENT, VALUES } from "./fields.js";
import { document, filled, type Kind, nullable, type Of, otherwise } from "./kinds.js";
import { Logged } from "./logged.js";
import { NoteError } from "./notes.js";
import * as policies from "./policy.js";
import * as ranges from "./range_policies.js";
import { sentence } from "./sentence.js";
import { SignedBy } from "./signed_by.js";
import { isDecimal } from "./spec_check.js";
import { plain } from "./text.js";
import * as transcripts from "./transcripts.js";

/** What the verifier has beside the policy: the applicant's query, the context, the date of today (2026-01-31). */
export interface OwnFiles {
  readonly query?: QueryDocument | undefined;
  readonly context?: Context | undefined;
  readonly today?: string | undefined;
  /** The log proof, empty where none came with the certificate. */
  readonly logProof?: Uint8Array | undefined;
  /** The time in POSIX seconds. */
  readonly now?: number | undefined;
}

/** A value that is no requirement: `field` is that of the policy file, the message says what is wrong. */
export class RequirementError extends Error {
  override readonly name = "RequirementError";
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** What the fields of a policy file hold; a field that is left out has a value that {@link isNothing}. */
export interface Required {
  readonly [field: string]: unknown;
}

/** A kind of value: how a policy file has it is the table's to say. */
interface ValueKind<T> {
  /** The value of a field that is left out, null where nothing else is said. */
  readonly absent?: T;
  /** What says more of the value than the table does. */
  readonly read?: Kind<unknown>;
  /** Return what the policy's class takes; SpecError for a value that means nothing. */
  taken(value: T, own: OwnFiles): readonly unknown[];
  /** What is said of an empty one, where it is more than nothing. */
  readonly empty?: string;
  /** Return what is said where the verifier lacks a file that the kind is about. */
  missing?(own: OwnFiles): string | undefined;
}

/** The kinds of values; the file itself has policies within policies. */
type ValueKinds = {
  readonly [K in Exclude<keyof typeof VALUES, "policies">]: ValueKind<NonNullable<Of<(typeof VALUES)[K]>>>;
};

/** A class of policies. One whose constructor allows more than a policy file does has `required` beside it. */
interface PolicyClass {
  new (...words: readonly never[]): Policy;
  required?(...words: readonly never[]): Policy;
}

const CLASSES: ReadonlyMap<string, PolicyClass> = new Map<string, PolicyClass>(
  Object.entries({ ...policies, ...ranges, ...contexts, ...transcripts, SignedBy, Logged }),
);

/** A value that a class takes as it stands. */
const asItIs = { taken: (value: unknown) => [value] };

const LOG = filled(LOG_REQUIREMENT, { witnesses: [], least: null, smallest_tree: 1, max_days: null, owner: null });

const KINDS: ValueKinds = {
  flag: { absent: false, taken: () => [] },
  decimal: {
    taken(number) {
      if (isDecimal(number)) return [number];
      throw new SpecError(sentence("value.not_decimal", { value: `'${plain(number.slice(0, 40))}'` }));
    },
  },
  names: asItIs,
  setup: asItIs,
  proof_system: asItIs,
  ranges: { ...asItIs, empty: sentence("policy.ranges_empty") },
  digits: {
    taken(digits) {
      if (!/^[0-9a-f]{64}$/.test(digits)) throw new SpecError(sentence("format.want_digest"));
      return [digits];
    },
  },
  signers: { taken: ({ keys, least }) => [keys, least] },
  query: {
    absent: false,
    taken: (_, { query }) => [query],
    missing: ({ query }) => (query ? undefined : sentence("policy.query_missing")),
  },
  context: {
    taken: (_, { context }) => [context],
    missing: ({ context }) => (context ? undefined : sentence("policy.context_missing")),
  },
  texts: { absent: new Map(), taken: (texts, { context }) => [context, texts] },
  days: {
    taken(days, { context, today }) {
      if (days < 0) throw new SpecError(`${days} is below 0`);
      return [context, days, today ?? dateOfToday()];
    },
  },
  log: {
    read: nullable(document(LOG)),
    taken: (terms, { logProof, now }) => [terms, logProof, now ?? Math.floor(Date.now() / 1000)],
    missing: ({ logProof }) => (logProof ? undefined : sentence("policy.log_proof_missing")),
  },
};

/** A row that a policy file has a field for; the name of one within another field has that field's before a point. */
interface Row {
  readonly field: string;
  readonly read: Kind<unknown>;
  readonly kind: ValueKind<unknown>;
  readonly policy: PolicyClass;
}

/** The rows, in the order in which policies are checked. */
const ROWS: readonly Row[] = Object.entries(TABLE).flatMap(([name, { field, kind }]) => {
  if (field === undefined || kind === "policies") return [];
  const policy = CLASSES.get(name);
  if (!isKind(kind)) throw new RangeError(`policies.json: ${name}: no kind of value ${kind}`);
  if (policy === undefined) throw new RangeError(`policies.json: no class ${name}`);
  const own = KINDS[kind] as ValueKind<unknown>;
  return [{ field, read: otherwise(own.read ?? VALUES[kind], own.absent ?? null), kind: own, policy }];
});

function isKind(name: string): name is keyof ValueKinds {
  return Object.hasOwn(KINDS, name);
}

/** Return the fields of a policy file, or of one of its fields, by their names. */
function fieldsOf(above = ""): Readonly<Record<string, Kind<unknown>>> {
  const within = ROWS.filter(({ field }) => field.startsWith(above) && !field.slice(above.length).includes("."));
  const readerOf = ({ field, read }: Row): Kind<unknown> => {
    const below = fieldsOf(`${field}.`);
    return Object.keys(below).length ? otherwise(nullable(document(below)), null) : read;
  };
  return Object.fromEntries(within.map((row) => [row.field.slice(above.length), readerOf(row)]));
}

/** The fields of a policy file beside `any_of`. */
export const FIELDS = fieldsOf();

/**
 * Return the policies of the fields that are required, or of those `within` them. Throws RequirementError for a value
 * that is refused, and for what the verifier lacks, with "" in place of a field; and CertificateFormatError for a
 * context that can be guessed.
 */
export function policiesOf(required: Required, own: OwnFiles, within = false): readonly Policy[] {
  const rows = ROWS.filter(({ field }) => field.includes(".") === within);
  const given = rows.map((row) => ({ ...row, value: valueOf(required, row.field) }));
  const wanted = given.filter(({ value }) => !isNothing(value));
  for (const { kind } of wanted) {
    const missing = kind.missing?.(own);
    if (missing !== undefined) throw new RequirementError("", missing);
  }
  const [full, empty] = [wanted.filter(({ value }) => !isEmpty(value)), wanted.filter(({ value }) => isEmpty(value))];
  const made = full.map((row) => refusing(row.field, () => madeOf(row, row.value, own)));
  for (const { field, kind } of empty) if (kind.empty !== undefined) throw new RequirementError(field, kind.empty);
  return made;
}

/** Return the policy of a row. */
function madeOf({ kind, policy }: Row, value: unknown, own: OwnFiles): Policy {
  const words = kind.taken(value, own) as readonly never[];
  return policy.required ? policy.required(...words) : new policy(...words);
}

/** Return whether a value is that of a field that was left out. */
export function isNothing(value: unknown): boolean {
  return value === null || value === false;
}

function isEmpty(value: unknown): boolean {
  return value instanceof Map && !value.size;
}

/** Return the value of a field, or of one within another. */
function valueOf(required: Required, field: string): unknown {
  return field.split(".").reduce<unknown>((value, name) => (value as Required | null)?.[name] ?? null, required);
}

/** Return the date of today where this program runs: a date is local, as the one in the context. */
function dateOfToday(): string {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Return a policy, with what it refuses as the error about a field. */
function refusing(field: string, make: () => Policy): Policy {
  try {
    return make();
  } catch (error) {
    // What stands within another field goes with files of the verifier's own, and RangeError may be about those.
    const ranged = error instanceof RangeError && !field.includes(".");
    const known = ranged || error instanceof SpecError || error instanceof NoteError;
    throw known ? new RequirementError(field, error.message) : error;
  }
}
