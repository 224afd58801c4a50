/** What a verification of a box certificate found, in words for people: rows of its own beside those of the table. */

import TABLE from "../../../go-gnark/verify/tables/answers.json";
import { type Answer, answered, type Findings, saidOf, yes } from "../../verifier/src/answer.js";
import { type Bar, lineOf, moves, notStated, ofNumber } from "../../verifier/src/bars.js";
import type { RawValue } from "../../verifier/src/encodings/interface.js";
import { ENCODINGS } from "../../verifier/src/encodings.js";
import { Fraction, readNumber, ZERO } from "../../verifier/src/numbers.js";
import { between, type OpenedBox } from "../../verifier/src/opened_box.js";
import type { Feature, Spec } from "../../verifier/src/spec.js";
import { isolated, type Language, shownName, Words } from "../../verifier/src/words.js";

/** Which box a certificate is about, where that is known: by the reader's file, or by the certificate itself. */
export interface Shown {
  readonly box: OpenedBox;
  readonly from: "given" | "found";
}

const { answer: OF_ALL } = TABLE;
const [SHOWN, HIDDEN] = [{ box: ["given", "found"] }, { box: ["none"] }];
/** What is open of decisions alone: one applicant's details, a radius, ranges, and a letter that says the label. */
const OF_DECISIONS = ["open.query", "open.query_found", "open.minimum", "open.ranges", "open.letter"];

/** The rows of an answer about a box. */
const PARTS: typeof OF_ALL = {
  ...OF_ALL,
  sentences: [
    { say: "page.box_one", when: { sensitive: ["one"] }, with: { features: "features" } },
    { say: "page.box_several", when: { sensitive: ["several"] }, with: { features: "features" } },
    { say: "page.box_shown", when: SHOWN },
    { say: "page.box_hidden", when: HIDDEN },
    { say: "page.box_outside" },
  ],
  bars_heading: [{ say: "page.box_heading", when: SHOWN }],
  bars_note: [{ say: "page.box_note", when: { moves: ["yes"] } }],
  checked: [
    ...OF_ALL.checked,
    { say: "page.box_checked", when: { box: ["given"] } },
    { say: "page.box_checked_found", when: { box: ["found"] } },
  ],
  not_checked: [
    ...OF_ALL.not_checked.filter(({ say }) => !OF_DECISIONS.includes(say)),
    { say: "page.box_open", when: HIDDEN },
    { say: "page.box_label" },
  ],
  never_shown: [
    { say: "page.box_whose", when: SHOWN },
    { say: "page.box_whose_unknown", when: HIDDEN },
    { say: "page.box_later" },
    ...OF_ALL.never_shown,
  ],
};

/** Return the answer about a box certificate that was verified; its bars of the kind "none" are what is fixed. */
export function boxAnswerOf(found: Findings, shown: Shown | undefined, language: Language): Answer {
  const [words, { spec }] = [new Words(language), found];
  const drawn = shown ? spec.plainFeatures.map((feature) => barOf(spec, feature, shown.box, words)) : [];
  const said = saidOf(found, words);
  const facts = {
    ...said.facts,
    box: shown?.from ?? "none",
    moves: yes(drawn.some(varies)),
    // The line about it speaks of the details that are shown.
    missing: yes(shown && spec.hasMissing),
  };
  return answered({ ...said, facts, parts: PARTS }, drawn);
}

/** Return whether a detail differs among the people of a box. */
export function varies({ kind }: Bar): boolean {
  return kind !== "none";
}

/** Return what a box says of a feature: in words, and drawn where it has several values. */
function barOf(spec: Spec, feature: Feature, { ends }: OpenedBox, words: Words): Bar {
  const given = ends.get(feature.name) ?? [];
  const described = { name: isolated(shownName(spec, feature, words.language)), own: null };
  if (!given.length) return { ...described, span: notStated(feature, words), kind: "none" };
  return { ...described, ...(feature.kind === "numeric" ? line : choice)(spec, feature, given, words) };
}

type Drawn = Bar extends infer One ? (One extends Bar ? Omit<One, "name" | "own"> : never) : never;

/** The ends of a number, on the line of what the owner lists as possible. */
function line(spec: Spec, feature: Feature, [first = "", last = first]: readonly RawValue[], words: Words): Drawn {
  const reach = ENCODINGS[feature.encoding].reach(spec.fields, feature, ZERO, first);
  const whole = { ...reach, high: readNumber(last) ?? reach.low };
  const { own, unit, span, limits } = ofNumber(feature, whole, words);
  if (!moves(whole)) return { span: `${own}${unit}`, kind: "none" };
  // Ends are rounded toward the own value: both inward.
  const middle = whole.low.plus(whole.high).over(new Fraction(2n));
  return { span, ...lineOf({ ...whole, own: middle }, limits), you: null };
}

/** The values of a category, one by one. */
function choice(_: Spec, feature: Feature, given: readonly RawValue[], words: Words): Drawn {
  const inside = between(feature, given.map(String));
  const span = words.joined(inside.map((value) => words.word(value)), "or");
  if (inside.length === 1) return { span, kind: "none" };
  const values = feature.domain.map((text) => ({ text: isolated(text), in: inside.includes(text), you: false }));
  return { span, kind: "category", values };
}
