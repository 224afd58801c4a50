// What policies promise, as tests ask for it.
import { utf8 } from "../../web/verifier/src/bytes.js";
import { AllOf } from "../../web/verifier/src/combined.js";
import { parseContext, parseQuery } from "../../web/verifier/src/documents.js";
import type { Facts, Policy } from "../../web/verifier/src/facts.js";
import { ReceiptLogged } from "../../web/verifier/src/logged.js";
import { parsePolicy } from "../../web/verifier/src/policy_file.js";
import { ForReceipt, parseReceipt } from "../../web/verifier/src/receipt.js";
import type { OwnFiles } from "../../web/verifier/src/requirements.js";

/** What the verifier has, as texts. */
interface Own {
  readonly query?: string;
  readonly context?: string;
  readonly logProof?: string;
  readonly now?: number;
}

const ownOf = ({ query, context, logProof, now }: Own): OwnFiles => ({
  query: query === undefined ? undefined : parseQuery(utf8(query), "query"),
  context: context === undefined ? undefined : parseContext(utf8(context), "context"),
  logProof: logProof === undefined ? undefined : utf8(logProof),
  now,
});

const promisesOf = (policy: Policy): readonly [readonly string[], boolean] => [
  [...policy.covers],
  policy.ofDecisions ?? false,
];

/** Which checks each policy of a policy file (its text) makes, and whether it is about decisions. */
export const promised = (text: string, own: Own): ReadonlyArray<readonly [readonly string[], boolean]> =>
  (parsePolicy(utf8(text), "policy", ownOf(own)) as AllOf).policies.map(promisesOf);

/** The same of the two policies about a receipt (its text). */
export const receipts_promised = (text: string, key: string): ReadonlyArray<readonly [readonly string[], boolean]> => {
  const receipt = parseReceipt(utf8(text));
  return [new ForReceipt(receipt), new ReceiptLogged(receipt, { key }, utf8(""), 0)].map(promisesOf);
};

/** What the last policy of a policy file (its text) says that it checked; it reads nothing else of the facts. */
export const required = (text: string, own: Own, commitmentDigest: string): readonly string[] => {
  const { policies } = parsePolicy(utf8(text), "policy", ownOf(own)) as AllOf;
  return policies.at(-1)?.check({ commitmentDigest } as Facts) ?? [];
};
