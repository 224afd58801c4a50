/**
 * A policy as a file: what somebody demands of every certificate, written once and read by every verification. Twin of
 * verifier/policy_file.py.
 *
 * What differs from applicant to applicant, their data and the context of their decision, is not in the file: it comes
 * from the verifier's own query and context files. docs/policies.md has the table of fields.
 */

import { parse } from "./canonical.js";
import { AllOf, AnyOf, UnsafeNoPolicy } from "./combined.js";
import { checkMark } from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import type { Policy } from "./facts.js";
import * as table from "./fields.js";
import { document, type Kind, list, otherwise } from "./kinds.js";
import { FIELDS, isNothing, type OwnFiles, policiesOf, type Required, RequirementError } from "./requirements.js";
import { sentence } from "./sentence.js";

/** How deep `any_of` may be nested; and how deep it is read, so that a file cannot exhaust the stack. */
const [MAX_DEPTH, DEEPEST] = [8, 64];

/** Everything here is required; of `any_of`, at least one. A field that is left out requires nothing. */
interface Requirements extends Required {
  readonly any_of: readonly Requirements[];
}

function requirements(depth: number): Kind<Requirements> {
  return {
    read(from, path) {
      if (depth === 0) throw from.wrong(path, sentence("policy.nested_too_deep", { depth: MAX_DEPTH }));
      const fields = { ...FIELDS, any_of: otherwise(list(requirements(depth - 1)), []) };
      return document(fields).read(from, path);
    },
  };
}

const POLICY = document({ ...table.POLICY, requires: requirements(DEEPEST) });

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
function policyOf(required: Requirements, own: OwnFiles, where: string, depth: number): Policy {
  if (depth === 0) throw malformed(where, sentence("policy.nested_too_deep", { depth: MAX_DEPTH }));
  if (isEmpty(required)) throw malformed(where, sentence("policy.requires_nothing_beside"));
  const plain = plainPolicies(required, own, where);
  const nested = required.any_of.map((one, at) => policyOf(one, own, `${where}.any_of[${at}]`, depth - 1));
  const within = plainPolicies(required, own, where, true);
  return new AllOf(...plain, ...within, ...(nested.length ? [new AnyOf(...nested)] : []));
}

/** Return the policies of all fields that are one each, or of those within a field. */
function plainPolicies(required: Required, own: OwnFiles, where: string, within = false): readonly Policy[] {
  try {
    return policiesOf(required, own, within);
  } catch (error) {
    if (!(error instanceof RequirementError)) throw error;
    throw malformed(error.field ? `${where}.${error.field}` : where, error.message);
  }
}

/** Return whether no field requires anything. */
function isEmpty({ any_of: nested, ...fields }: Requirements): boolean {
  return !nested.length && Object.values(fields).every(isNothing);
}

function malformed(where: string, why: string): CertificateFormatError {
  return new CertificateFormatError(`${where}: ${why}`, "wrong-fields");
}
