/** What a verification leaves to its reader. Twin of the end of verifier/verify.py. */

import type { KeyDocument } from "./documents.js";
import { type Check, CHECKS, type Facts, type Policy } from "./facts.js";
import { quoted } from "./names.js";
import type { Spec } from "./spec.js";
import { plain } from "./text.js";

/** What no policy checks. */
export const ALWAYS_LEFT_TO_YOU = [
  `${CHECKS.same}, and decides with this model`,
  "that the other features are not proxies for the sensitive ones, and that the spec's units are right",
] as const;

/** What is left where a log proof came along and no policy checked it. */
export const LOG_LEFT_OPEN = CHECKS.log;

const ABOUT_USE = "that the owner decides with this model";

const ABOUT_LOSS =
  "that the committed integers decide as the owner's model does: the owner states that rounding the model to " +
  "integers may have changed it (allow_loss in the spec)";

/** The longest name of a contributor, and how many of them are shown. */
const [NAME, NAMES] = [64, 8];

/**
 * List the checks that the policy leaves open, of those that are needed, and those of no policy. What is not pinned
 * comes first: everything else is worth no more than it. `words` has the checks in words.
 */
export function leftOpen(
  { spec, key, pins }: Facts,
  policy: Policy,
  needed: readonly Check[],
  words: Readonly<Partial<Record<Check, string>>>,
): readonly string[] {
  const { covers } = policy;
  const all = [...needed];
  if (!pins.key) all.unshift("key");
  if (!pins.commitment) all.unshift("commitment");
  if (key.setup === "single-party") all.push("setup");
  const open = all.filter((check) => !covers.has(check)).map((check) => words[came(check, covers)] ?? check);
  const rounded = spec.fields.allow_loss ? [ABOUT_LOSS] : [];
  const [shown, ...others] = ALWAYS_LEFT_TO_YOU;
  const always = [covers.has("same") ? ABOUT_USE : shown, ...others];
  const made = pins.key ? contributorsOf(key) : [];
  return [...open, ...made, ...rounded, ...aboutMonotone(spec), ...(policy.stillOpen?.() ?? []), ...always];
}

/** List what the owner states of features by `monotone`, which no proof shows: one line for each direction. */
function aboutMonotone({ fields: { features, labels } }: Spec): readonly string[] {
  const ways = [["increasing", "falls"], ["decreasing", "rises"]] as const;
  return ways.flatMap(([way, moves]) => {
    const named = features.filter(({ monotone }) => monotone === way).map(({ name }) => quoted(name));
    const score = `that the score for ${quoted(labels[1] ?? "")} never ${moves} as ${named.join(" or ")} grows`;
    return named.length ? [`${score}: the owner states it (monotone in the spec)`] : [];
  });
}

/** Return what stays open of a check where the file that it is made with came with the certificate itself. */
function came(check: Check, covers: ReadonlySet<Check>): Check {
  if (check === "query" && covers.has("foundQuery")) return "foundQuery";
  return check === "context" && covers.has("foundContext") ? "foundContext" : check;
}

/** List what no transcript shows of those who made a key. */
function contributorsOf({ ceremony }: KeyDocument): readonly string[] {
  if (ceremony === undefined) return [];
  const { powers, signers } = ceremony;
  const names = signers.slice(0, NAMES).map((signer) => short(signer.split("+", 1)[0] ?? ""));
  const more = signers.length > NAMES ? ` and ${signers.length - NAMES} more` : "";
  const shown = `(phase 2: ${names.join(", ")}${more})`;
  const forgot = `that one contributor of each phase of the key's ceremony forgot the secret ${shown}`;
  if (powers.origin === "ceremony") return [forgot];
  return [forgot, `that anybody contributed to the imported powers of tau (SHA-256 ${short(powers.source)})`];
}

/** Return the beginning of untrusted text; no character is cut in two. */
function short(text: string): string {
  return [...plain(text)].slice(0, NAME).join("");
}
