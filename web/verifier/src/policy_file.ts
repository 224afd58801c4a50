/**
 * A policy as a file: what somebody demands of every certificate, written once and read by every verification. Twin of
 * verifier/policy_file.py.
 *
 * What differs from applicant to applicant, their data and the context of their decision, is not in the file: it comes
 * from the verifier's own query and context files. docs/policies.md has the table of fields.
 */

import { parse } from "./canonical.js";
import { AllOf, AnyOf, UnsafeNoPolicy } from "./combined.js";
import { ContextHas, NotOlderThan } from "./context_policies.js";
import { checkMark, type Context, MARKED, type QueryDocument, SETUP_KIND } from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import type { Policy } from "./facts.js";
import {
  dictionary,
  document,
  flag,
  integer,
  type Kind,
  list,
  nullable,
  type Of,
  otherwise,
  pair,
  text,
} from "./kinds.js";
import { PROOF_SYSTEM } from "./proof_systems.js";
import { policiesOf, RequirementError } from "./requirements.js";
import { sentence } from "./sentence.js";

/** How deep `any_of` may be nested; and how deep it is read, so that a file cannot exhaust the stack. */
const [MAX_DEPTH, DEEPEST] = [8, 64];

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

const absent = <T>(kind: Kind<T>): Kind<T | null> => otherwise(nullable(kind), null);

const FIELDS = {
  min_radius: absent(text()),
  model_commitment: absent(text()),
  key_fingerprint: absent(text()),
  setup: absent(SETUP_KIND),
  transcript: absent(text()),
  signed_by: absent(document({ keys: list(text()), least: integer })),
  proof_system: absent(PROOF_SYSTEM),
  no_ranges: otherwise(flag, false),
  ranges_within: absent(dictionary(pair(text()))),
  query: otherwise(flag, false),
  context: absent(document({ has: otherwise(dictionary(text()), new Map()), max_days: absent(integer) })),
  log: absent(
    document({
      key: text(),
      witnesses: otherwise(list(text()), []),
      least: absent(integer),
      smallest_tree: otherwise(integer, 1),
      max_days: absent(integer),
      owner: absent(text()),
    }),
  ),
};

/** Everything here is required; of `any_of`, at least one. A field that is left out requires nothing. */
type Required = Of<ReturnType<typeof document<typeof FIELDS>>> & { readonly any_of: readonly Required[] };

function requirements(depth: number): Kind<Required> {
  return {
    read(from, path) {
      if (depth === 0) throw from.wrong(path, sentence("policy.nested_too_deep", { depth: MAX_DEPTH }));
      return document({ ...FIELDS, any_of: otherwise(list(requirements(depth - 1)), []) }).read(from, path);
    },
  };
}

const POLICY = document({ ...MARKED, requires: requirements(DEEPEST) });

/**
 * Read a policy file, in any spelling of JSON, and return the policy for what the verifier has.
 *
 * A file that requires nothing gives UnsafeNoPolicy, with its warning. Throws CertificateFormatError naming `where` and
 * the field, also where the policy requires a query or a context that the verifier does not have.
 */
export function parsePolicy(data: Uint8Array, where = "policy", own: OwnFiles = {}): Policy {
  const found = parse(data, POLICY, where);
  checkMark(found, ["equiproof-policy", 2], where);
  if (isEmpty(found.requires)) return new UnsafeNoPolicy();
  return policyOf(found.requires, own, `${where}: field requires`, MAX_DEPTH);
}

/** Return the policy of one object. */
function policyOf(required: Required, own: OwnFiles, where: string, depth: number): Policy {
  if (depth === 0) throw malformed(where, sentence("policy.nested_too_deep", { depth: MAX_DEPTH }));
  if (isEmpty(required)) throw malformed(where, sentence("policy.requires_nothing_beside"));
  const plain = plainPolicies(required, own, where);
  if (required.ranges_within?.size === 0) {
    throw malformed(`${where}.ranges_within`, sentence("policy.ranges_empty"));
  }
  const nested = required.any_of.map((one, at) => policyOf(one, own, `${where}.any_of[${at}]`, depth - 1));
  const parts = [...plain, ...ofContext(required.context, own, where)];
  return new AllOf(...parts, ...(nested.length ? [new AnyOf(...nested)] : []));
}

/** Return the policies of all fields that are one each. */
function plainPolicies(required: Required, own: OwnFiles, where: string): readonly Policy[] {
  const query = required.query ? given(own.query, where, "the applicant's query file") : null;
  const context = required.context ? given(own.context, where, "a context file") : null;
  const proof = required.log ? given(own.logProof, where, "a log proof") : new Uint8Array();
  const now = own.now ?? Math.floor(Date.now() / 1000);
  try {
    return policiesOf({ ...required, query, context, log: required.log && [required.log, proof, now] });
  } catch (error) {
    throw error instanceof RequirementError ? malformed(`${where}.${error.field}`, error.message) : error;
  }
}

/** Return what is required of the context beyond that the certificate was made for it. */
function ofContext(required: Required["context"], own: OwnFiles, where: string): readonly Policy[] {
  if (required === null || own.context === undefined) return [];
  const { has, max_days: days } = required;
  if (days !== null && days < 0) throw malformed(`${where}.context.max_days`, `${days} is below 0`);
  const named = has.size ? [new ContextHas(own.context, has)] : [];
  return [...named, ...(days === null ? [] : [new NotOlderThan(own.context, days, own.today ?? today())])];
}

/** Return whether every field is absent or has the value of an absent one. */
function isEmpty(required: Required): boolean {
  const nothing = (value: unknown): boolean => value === null || value === false || (isList(value) && !value.length);
  return Object.values(required).every(nothing);
}

/** Return the date of today where this program runs: a date is local, as the one in the context. */
function today(): string {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Return a file that the verifier has; throws CertificateFormatError where it has none. */
function given<T>(file: T | undefined, where: string, what: string): T {
  if (file === undefined) throw malformed(where, `it requires ${what}, which is missing here`);
  return file;
}

// `Array.isArray` does not narrow readonly kinds by itself.
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function malformed(where: string, why: string): CertificateFormatError {
  return new CertificateFormatError(`${where}: ${why}`, "wrong-fields");
}
