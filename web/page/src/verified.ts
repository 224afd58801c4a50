/** The page for a certificate whose proof holds. */

import { fingerprintOf, transcriptOf } from "../../verifier/src/documents.js";
import { toHex } from "../../verifier/src/field.js";
import { exact } from "../../verifier/src/numbers.js";
import type { VerifiedBox } from "../../verifier/src/box.js";
import type { Verified } from "../../verifier/src/verify.js";
import { labelsIn, nameIn } from "../../verifier/src/spoken_spec.js";
import { isolated, type Words } from "../../verifier/src/words.js";
import type { Answer, Open } from "../../verifier/src/answer.js";
import { type Child, html, spoken } from "../../element/src/dom.js";
import { digits, facts, fold, heading, lists, recourse, room, section, sentences } from "../../element/src/render.js";
import { type CompareAll, compare } from "./compare.js";

/** What stands on the page of a certificate of some kind that was verified. */
export interface Shown<V = Verified> {
  readonly words: Words;
  readonly answer: Answer;
  readonly verified: V;
  /** How long the check took, in milliseconds, and when it was made. */
  readonly took: number;
  readonly when: Date;
}

type AnyVerified = Verified | VerifiedBox;

/** Everything below the outcome. */
export function body({ words, answer, verified, ...rest }: Shown, compared: CompareAll): readonly Child[] {
  return [
    sentences(answer, words, 2),
    recourse(answer, words, 2),
    section(heading(2, answer.bars_heading ?? "", { class: "title" }), "panel", "room", ...room(answer, words)),
    lists(answer, words, 2, (open) => field(open, verified, words, compared)),
    names(verified, words),
    fold(words.say("label.everything"), "everything",
      html("p", {}, spoken(exactly(verified, words))),
      everything({ words, answer, verified, ...rest }),
    ),
  ];
}

/** Return the field in which what is not pinned can be compared, below its entry of the list. */
export function field(
  { text }: Open,
  { statement, key, linkKey, identity }: AnyVerified,
  words: Words,
  compared: CompareAll,
): readonly Child[] {
  if (text === words.say("open.model")) {
    const given = { own: toHex(statement.modelCommitment), certificate: identity };
    return compare("model", given, words, compared);
  }
  if (text === words.say("open.key")) {
    // Beside a link there are two keys, and one name does not pin both: they are compared one after the other.
    const [what, shown] = linkKey && compared.known("key") ? ["link_key", linkKey] as const : ["key", key] as const;
    return compare(what, { own: transcriptOf(shown) ?? fingerprintOf(shown) }, words, compared);
  }
  return [];
}

/** What a printed page is found again by. */
export function names({ statement, identity }: AnyVerified, words: Words): HTMLElement {
  return html("p", { class: "printonly small" },
    words.say("page.fact_certificate"), " ", digits(identity), html("br"),
    words.say("page.fact_model_short"), " ", digits(toHex(statement.modelCommitment)),
  );
}

/** Names in full, and when and by what it was checked. */
export function everything({ words, verified, took, when }: Shown<AnyVerified>): HTMLElement {
  const { spec, key, statement, identity } = verified;
  const written = spec.fields.features.map((feature) => isolated(feature.name)).join(", ");
  const features = words.say("page.fact_features", { name: isolated(spec.fields.name), written });
  const region = navigator.languages.find((one) => one.startsWith(words.language)) ?? words.language;
  const date = when.toLocaleString(region, { dateStyle: "long", timeStyle: "short" });
  const checked = words.say("page.fact_when_text", { date, ms: String(Math.round(took)), version: VERSION });
  return facts([
    [words.say("page.fact_certificate"), digits(identity)],
    [words.say("page.fact_model"), digits(toHex(statement.modelCommitment))],
    [words.say("page.fact_key"), digits(fingerprintOf(key))],
    [words.say("page.fact_system"), key.proof_system],
    [words.say("page.fact_spec"), spoken(features)],
    [words.say("page.fact_when"), checked],
  ]);
}

/** Return the statement as it is proven, with its radius in the units of the spec. */
function exactly({ spec, statement, reading }: Verified, words: Words): string {
  const names = words.joined(spec.sensitiveFeatures.map((feature) => words.word(nameIn(feature, words.language))));
  const label = words.word(labelsIn(spec.fields, words.language)[statement.label] ?? "");
  const radius = exact(reading.radius_any);
  if (radius.numerator === 0n) return words.say("page.exact_none", { names, label });
  const inside = spec.fields.use_ranges ? words.say("page.exact_ranges") : "";
  return words.say("page.exact", { names, label, radius: words.number(radius), inside });
}
