/** What a verification leaves to its reader. Twin of the end of verifier/verify.py. */

import type { AnyKeyDocument } from "./documents.js";
import { type Check, CHECKS, type Facts, keysOf, type Policy } from "./facts.js";
import { quoted } from "./names.js";
import { sentence } from "./sentence.js";
import type { Spec } from "./spec.js";
import { plain } from "./text.js";

/** Return what no policy checks. */
const always = (): readonly [string, string] => [
  sentence("unproven.about_same", { sentence: CHECKS.same }),
  sentence("unproven.proxies_and_units"),
];

/** What no policy checks, in English. */
export const ALWAYS_LEFT_TO_YOU = always();

/** Return what is left where a log proof came along and no policy checked it. */
export const logLeftOpen = (): string => CHECKS.log;

/** Return what is left where a recourse came along, which a module of its own verifies. */
export const recourseLeftOpen = (): string => sentence("unproven.recourse");

/** The longest name of a contributor, and how many of them are shown. */
const [NAME, NAMES] = [64, 8];

/**
 * List the checks that the policy leaves open, of those that are needed, and those of no policy. What is not pinned
 * comes first: everything else is worth no more than it. `words` has the checks in words.
 */
export function leftOpen(
  facts: Facts,
  policy: Policy,
  needed: readonly Check[],
  words: Readonly<Partial<Record<Check, string>>>,
): readonly string[] {
  const { spec, pins, linkKey } = facts;
  const { covers } = policy;
  const keys = keysOf(facts).map(([key]) => key);
  const all = [...needed];
  // One key that a policy names is pinned, and does not pin the other.
  if (!pins.key) all.unshift("key", ...(linkKey ? ["linkKey" as const] : []));
  if (!pins.commitment) all.unshift("commitment");
  if (keys.some(({ setup }) => setup === "single-party")) all.push("setup");
  const open = all.filter((check) => !covers.has(check)).map((check) => words[came(check, covers)] ?? check);
  const rounded = spec.fields.allow_loss ? [sentence("unproven.rounding_loss")] : [];
  const [same, others] = always();
  const last = [covers.has("same") ? sentence("unproven.owner_decides") : same, others];
  const made = pins.key ? keys.flatMap(contributorsOf) : [];
  return [...open, ...made, ...rounded, ...aboutMonotone(spec), ...(policy.stillOpen?.() ?? []), ...last];
}

/** List what the owner states of features by `monotone`, which no proof shows: one line for each direction. */
function aboutMonotone({ fields: { features, labels } }: Spec): readonly string[] {
  const ways = [["increasing", sentence("unproven.falls")], ["decreasing", sentence("unproven.rises")]] as const;
  return ways.flatMap(([way, moves]) => {
    const named = features.filter(({ monotone }) => monotone === way).map(({ name }) => quoted(name));
    const score = sentence("unproven.monotone_score", {
      label: quoted(labels[1] ?? ""), direction: moves, features: named.join(` ${sentence("word.or")} `),
    });
    return named.length ? [sentence("unproven.owner_states_monotone", { score })] : [];
  });
}

/** Return what stays open of a check where the file that it is made with came with the certificate itself. */
function came(check: Check, covers: ReadonlySet<Check>): Check {
  if (check === "query" && covers.has("foundQuery")) return "foundQuery";
  return check === "context" && covers.has("foundContext") ? "foundContext" : check;
}

/** List what no transcript shows of those who made a key. */
function contributorsOf({ ceremony }: AnyKeyDocument): readonly string[] {
  if (ceremony === undefined) return [];
  const { powers, signers } = ceremony;
  const names = signers.slice(0, NAMES).map((signer) => short(signer.split("+", 1)[0] ?? ""));
  const more = signers.length > NAMES ? ` ${sentence("word.more", { count: signers.length - NAMES })}` : "";
  const forgot = sentence("unproven.ceremony_contributors", { contributors: names.join(", ") + more });
  if (powers.origin === "ceremony") return [forgot];
  return [forgot, sentence("unproven.imported_powers", { digest: short(powers.source) })];
}

/** Return the beginning of untrusted text; no character is cut in two. */
function short(text: string): string {
  return [...plain(text)].slice(0, NAME).join("");
}
