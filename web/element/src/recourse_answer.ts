/**
 * Recourse in words for people, with bars: what would have been enough, or that nothing would have been. Twin of
 * verifier/recourse.py, for what was verified with the refusal in one bundle. No sentence says how anybody decides
 * later.
 */

import type { Answer } from "../../verifier/src/answer.js";
import type { Bar } from "../../verifier/src/bars.js";
import { dates } from "../../verifier/src/encodings/days.js";
import type { RawValue } from "../../verifier/src/encodings/interface.js";
import type { Wish } from "../../verifier/src/fields.js";
import { exact, Fraction, greater, lesser, readNumber, ZERO } from "../../verifier/src/numbers.js";
import { between } from "../../verifier/src/opened_box.js";
import type { Answered } from "../../verifier/src/recourse.js";
import type { Feature, Spec } from "../../verifier/src/spec.js";
import { labelsIn, unitIn } from "../../verifier/src/spoken_spec.js";
import { isolated, shownName, Words } from "../../verifier/src/words.js";

export type Recourse = NonNullable<Answer["recourse"]>;

type Values = ReadonlyMap<string, RawValue>;
type Wishes = ReadonlyMap<string, Wish>;

/** Of more values of a sensitive feature than so many, none is written out. */
const MAX_VALUES = 6;
/** A bar's whole length, in hundredths of a percent, and how much of it lies beyond what is drawn without a range. */
const [TRACK, ROOM] = [new Fraction(10_000n), new Fraction(20n)];

/**
 * Return the answer about a refusal with what its recourse says; as it is where there is none. `query` is the
 * applicant's, whose own `wishes` narrowed what was looked at, `refused` the number of their label.
 */
export function withRecourse(
  answer: Answer,
  spec: Spec,
  query: Values,
  refused: number,
  answers: readonly Answered[],
  wishes: Wishes,
): Answer {
  const [first] = answers;
  if (!first) return answer;
  const words = new Words(answer.language);
  const isWay = answers.some(({ isNone }) => !isNone);
  // Where the key of the decision came along too, that is said of both.
  const isSaid = first.verified.pins.key || answer.not_checked.some(({ text }) => text === words.say("open.key"));
  const open = isSaid ? [] : [{ text: words.say("page.recourse_key"), warning: true }];
  return {
    ...answer,
    recourse: recourseOf(spec, query, refused, answers, wishes, words),
    checked: [...answer.checked, words.say("page.recourse_checked")],
    not_checked: [...answer.not_checked, ...open],
    never_shown: [words.say("page.box_later"), ...(isWay ? [words.say("recourse.others")] : []), ...answer.never_shown],
  };
}

/** Return what was found as sentences, with the bars of the features that each way changes. */
export function recourseOf(
  spec: Spec,
  query: Values,
  refused: number,
  answers: readonly Answered[],
  wishes: Wishes,
  words: Words,
): Recourse {
  const names = words.joined(spec.sensitiveFeatures.map((feature) => withValues(spec, feature, words)), "or");
  const labels = labelsIn(spec.fields, words.language);
  // The label that is wanted is the last one, unless this was the refusal's.
  const wanted = words.word(labels[refused === labels.length - 1 ? 0 : labels.length - 1] ?? "");
  const ways = answers.filter(({ isNone }) => !isNone).map((one) => wayOf(spec, query, one, words));
  const none = words.say(wishes.size ? "recourse.none_wishes" : "recourse.none", { label: wanted });
  const nothing = ways.length ? [] : [none, ...wished(spec, wishes, words)];
  return {
    title: words.say(ways.length ? "recourse.title" : "recourse.title_without"),
    ways,
    sentences: [...nothing, words.say("recourse.whatever", { names })],
  };
}

/** Return the sentence of the applicant's wishes; nothing without them. */
function wished(spec: Spec, wishes: Wishes, words: Words): readonly string[] {
  const parts = spec.plainFeatures.flatMap((feature) => partsOf(spec, feature, wishes.get(feature.name), words));
  return parts.length ? [words.say("recourse.wishes", { wishes: words.joined(parts) })] : [];
}

/** Return each part of a wish in words. */
function partsOf(spec: Spec, feature: Feature, wish: Wish | undefined, words: Words): readonly string[] {
  const name = words.word(shownName(spec, feature, words.language));
  if (wish?.fixed) return [words.say("recourse.wish_fixed", { name })];
  // How far a day moves is a number of days, and no day.
  const amount = (number: Fraction): string => words.number(number) + words.unit(unitIn(feature, words.language));
  const end = (number: Fraction): string => shown(feature, [number], words)[0];
  const ends = [
    ["recourse.wish_from", wish?.from, end],
    ["recourse.wish_to", wish?.to, end],
    ["recourse.wish_by", wish?.by, amount],
  ] as const;
  const stated = ends.flatMap(([which, text = "", inWords]) => {
    const number = readNumber(text);
    return number ? [words.say(which, { name, value: inWords(number) })] : [];
  });
  const values = wish?.values && words.joined(wish.values.map((one) => words.word(one)), "or");
  return [...stated, ...(values ? [words.say("recourse.wish_values", { name, values })] : [])];
}

/** Return the name of a sensitive feature, with its listed values where there are few. */
function withValues(spec: Spec, feature: Feature, words: Words): string {
  const name = words.word(shownName(spec, feature, words.language));
  const { domain } = feature;
  return domain.length > MAX_VALUES ? name : `${name} (${words.joined(domain.map((one) => words.word(one)), "or")})`;
}

/** Return the sentence of one way, and a bar for each feature that it changes. */
function wayOf(spec: Spec, query: Values, { verified, opened }: Answered, words: Words): Recourse["ways"][number] {
  const changed = spec.plainFeatures.filter(({ name }) => verified.changed?.includes(name)).map((feature) =>
    [feature, query.get(feature.name) ?? "", opened.ends.get(feature.name) ?? []] as const);
  const changes = words.joined(changed.map((one) => changeOf(spec, ...one, words)));
  const label = words.word(labelsIn(spec.fields, words.language)[verified.statement.label] ?? "");
  return {
    sentence: words.say("recourse.way", { label, changes }),
    bars: changed.map((one) => barOf(spec, ...one, words)),
  };
}

type Ends = readonly RawValue[];

/** Return in words what one feature would have had to be. */
function changeOf(spec: Spec, feature: Feature, own: RawValue, ends: Ends, words: Words): string {
  const name = words.word(shownName(spec, feature, words.language));
  if (feature.kind === "categorical") {
    return words.say("recourse.other", { name, value: valuesOf(feature, ends, words), own: words.word(String(own)) });
  }
  const [low, high, here] = numbersOf(own, ends);
  const [from, to, today] = shown(feature, [low, high, here], words);
  if (low.compare(high) === 0) return words.say("recourse.other", { name, value: from, own: today });
  return low.compare(here) > 0
    ? words.say("recourse.at_least", { name, value: from, end: to, own: today })
    : words.say("recourse.at_most", { name, value: to, end: from, own: today });
}

/** Return the bar of one feature: today's value and what would have been enough. */
function barOf(spec: Spec, feature: Feature, own: RawValue, ends: Ends, words: Words): Bar {
  const name = isolated(shownName(spec, feature, words.language));
  if (feature.kind === "categorical") {
    const inside = between(feature, ends.map(String));
    const values = feature.domain.map((text) =>
      ({ text: isolated(text), in: inside.includes(text), you: text === String(own) }));
    return { name, own: isolated(String(own)), span: valuesOf(feature, ends, words), kind: "category", values };
  }
  const [low, high, here] = numbersOf(own, ends);
  const [from, to] = trackOf(feature, lesser(low, here), greater(high, here));
  const place = (number: Fraction): number => Number(number.minus(from).times(TRACK).over(to.minus(from)).floor());
  const [first, last, today] = shown(feature, [low, high, here], words);
  const span = low.compare(high) === 0 ? first : words.say("span.range", { low: first, high: last, unit: "" });
  const places = { low: place(low), high: place(high), you: place(here) };
  return { name, own: today, span, kind: "number", ...places, caps: [true, true], limits: null };
}

/** Return the ends of a box and today's value of a number. */
function numbersOf(own: RawValue, [first = "", last = first]: Ends): readonly [Fraction, Fraction, Fraction] {
  const read = (value: RawValue): Fraction => readNumber(value) ?? ZERO;
  return [read(first), read(last), read(own)];
}

/** Return the ends of a number's track: its range, or a little more than what is drawn. */
function trackOf({ range }: Feature, least: Fraction, most: Fraction): readonly [Fraction, Fraction] {
  if (range) return [lesser(exact(range[0]), least), greater(exact(range[1]), most)];
  const room = most.minus(least).over(ROOM);
  return [least.minus(room), most.plus(room)];
}

/** Return the values of a category that a box has, in words. */
function valuesOf(feature: Feature, ends: Ends, words: Words): string {
  return words.joined(between(feature, ends.map(String)).map((value) => words.word(value)), "or");
}

/** Return three numbers as people read them: each a date where it is one, or with its unit. */
function shown(feature: Feature, all: readonly Fraction[], words: Words): readonly [string, string, string] {
  const [first = "", second = "", third = ""] = all.map((number) => {
    const [day] = dates(feature, [number]) ?? [];
    return day ? words.day(day) : words.number(number) + words.unit(unitIn(feature, words.language));
  });
  return [first, second, third];
}
