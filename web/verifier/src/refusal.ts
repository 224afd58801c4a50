/**
 * Why a certificate is not accepted, in words for people: each reason belongs to a class, and each class has one line.
 * Twin of verifier/refusal.py.
 */

import type { Answer } from "./answer.js";
import { type Language, Words } from "./words.js";

type Class =
  | "file" | "damaged" | "proof" | "words" | "parts" | "model" | "query" | "bad_key"
  | "context" | "receipt" | "key" | "minimum" | "log" | "policy";

const NOT_ENOUGH: ReadonlySet<Class> = new Set(["context", "receipt", "key", "minimum", "log", "policy"]);

/** The reasons of each class; the reason of any other policy is of the class `policy`. */
const CLASSES: Readonly<Record<Class, string>> = {
  file: "unreadable too-long not-json wrong-fields other-format not-a-bundle wrong-files",
  damaged: "not-canonical out-of-range bad-element not-base64 repeated-name file-differs",
  proof:
    "wrong-length wrong-count point-not-canonical coordinate-too-large off-curve outside-subgroup unknown-label " +
    "radius-too-large commitment-not-opened relation-fails pairings-differ circuit-differs values-differ",
  words: "words-differ",
  parts:
    "bad-shape key-bytes-differ setup-differs proof-system-differs spec-differs domain-differs ranges-differ " +
    "shape-differs",
  model: "bad-spec model-differs other-model",
  query: "bad-query other-query",
  bad_key: "degenerate-key",
  context: "weak-nonce other-context context-lacks too-old",
  key:
    "no-transcript no-keys key-not-trusted other-key other-setup other-proof-system other-transcript " +
    "too-few-signers",
  minimum: "radius-too-small ranges-not-accepted ranges-too-narrow",
  receipt: "other-receipt",
  log:
    "not-a-log-proof no-log-proof other-log not-in-log too-few-witnesses tree-too-small log-too-old other-entry " +
    "other-owner",
  policy: "no-policy-met",
};

const REASONS: ReadonlyMap<string, Class> = new Map(
  (Object.keys(CLASSES) as Class[]).flatMap((one) => CLASSES[one].split(" ").map((reason) => [reason, one] as const)),
);

/**
 * Return the answer about a certificate that is not accepted, with nothing of what it claims; `technical` is the
 * message of the error.
 */
export function refusal(reason: string, technical: string, language: Language): Answer {
  const words = new Words(language);
  const kind = REASONS.get(reason) ?? "policy";
  const [outcome, below] =
    kind === "file"
      ? (["not-a-certificate", ["below.nothing"]] as const)
      : NOT_ENOUGH.has(kind)
        ? (["not-enough", [`refused.${kind}`]] as const)
        : (["not-valid", [`refused.${kind}`, "below.means", "below.no_evidence", "below.do"]] as const);
  return {
    language,
    outcome,
    heading: words.say(`outcome.${outcome}`),
    below: below.map((name) => words.say(name)),
    sentences: [],
    bars_heading: null,
    bars_note: null,
    bars: [],
    checked: [],
    not_checked: [],
    never_shown: [],
    reason,
    technical,
  };
}
