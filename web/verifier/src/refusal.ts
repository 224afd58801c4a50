/**
 * Why a certificate is not accepted, in words for people: each reason belongs to a class, and each class has one line.
 * Twin of verifier/refusal.py and verifier/reasons.py.
 */

import LINES from "../../../go-gnark/verify/tables/answers.json";
import TABLE from "../../../go-gnark/verify/tables/reasons.json";
import type { Answer, Outcome } from "./answer.js";
import type { ReasonClass } from "./errors.js";
import { lineOf, textsOf } from "./lines.js";
import { type Language, Words } from "./words.js";

const REASONS = new Map(Object.entries(TABLE.reasons));

/**
 * Return the name of the sentence for a reason that an error of a class came with. Relying parties write policies of
 * their own, so an unknown reason of a policy is "not enough"; one of any other class, or of none, is "not valid".
 */
function shownAs(reason: string, kind: ReasonClass): string {
  const row = REASONS.get(reason);
  return row?.shown ?? TABLE.classes[row?.class ?? kind].shown;
}

/**
 * Return the answer about a certificate that is not accepted, with nothing of what it claims; `technical` is the
 * message of the error, and `kind` its class, which decides where the table lacks the reason.
 */
export function refusal(reason: string, technical: string, language: Language, kind: ReasonClass = "proof"): Answer {
  const words = new Words(language);
  const shown = shownAs(reason, kind);
  const outcome = TABLE.shown[shown] as Outcome;
  const said = { parts: LINES.refusal, words, facts: { shown, outcome } };
  return {
    language,
    outcome,
    heading: lineOf(said, "heading").text,
    below: textsOf(said, "below"),
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
