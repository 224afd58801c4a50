/**
 * How far each feature alone may move with the same decision: one function makes the numbers and words of every bar.
 * Twin of circuits/reach.py, and of verifier/bars.py for the words.
 *
 * Everything is computed in exact fractions. Statements are about changes that are closer than the radius, so that a
 * change by the radius itself does not count.
 */

import { dates, inward } from "./encodings/days.js";
import type { Ends, RawValue, Reach } from "./encodings/interface.js";
import { ENCODINGS } from "./encodings.js";
import { Fraction, greater, lesser, ZERO } from "./numbers.js";
import type { Feature, Spec } from "./spec.js";
import { unitIn } from "./spoken_spec.js";
import { radiusOfAny } from "./units.js";
import { isolated, shownName, type Words } from "./words.js";

/** Places are in hundredths of a percent of the track. */
const WHOLE_TRACK = new Fraction(10_000n);
const [HALF, ONE] = [new Fraction(1n, 2n), new Fraction(1n)];

/** A value of a category: whether it is certified, and whether it is the own one. */
export interface BarValue {
  readonly text: string;
  readonly in: boolean;
  readonly you: boolean;
}

interface Described {
  readonly name: string;
  /** The own value; null where it is unknown. */
  readonly own: string | null;
  /** What is certified, in words. */
  readonly span: string;
}

/** What is drawn of a category. */
export interface Choice {
  readonly kind: "category";
  readonly values: readonly BarValue[];
}

/** What is drawn of a number. Places on the line run from 0 to 10,000. */
export interface Line {
  readonly kind: "number";
  readonly low: number;
  readonly high: number;
  /** The own value; null where there is none, as of a box. */
  readonly you: number | null;
  /** Whether the bar ends inside the line, at either end. */
  readonly caps: readonly [boolean, boolean];
  /** The ends of the line in words, where the spec lists them. */
  readonly limits: readonly [string, string] | null;
}

/** A bar of one kind: words, and what is drawn. */
export type BarOf<K> = Described & K;
export type Bar = BarOf<Line> | BarOf<Choice> | BarOf<{ readonly kind: "none" }>;

type Query = ReadonlyMap<string, RawValue>;

/**
 * Return one bar for each non-sensitive feature, as an answer holds them.
 *
 * Where no feature may move, or without the values of `query`, nothing is drawn: every bar is of the kind "none".
 */
export function bars(spec: Spec, radiusSquared: bigint, query: Query | undefined, words: Words): readonly Bar[] {
  const radius = radiusOfAny(spec, radiusSquared);
  const named = (feature: Feature): string => isolated(shownName(spec, feature, words.language));
  if (query === undefined) {
    return spec.plainFeatures.map((feature) => {
      const span = movedAlone(feature, radius, words) ?? words.say("span.none");
      return { name: named(feature), own: null, span, kind: "none" };
    });
  }
  const reaches = spec.plainFeatures.map((feature) => [feature, reachOf(spec, feature, radius, query)] as const);
  const drawn = reaches.some(([, reach]) => reach !== undefined && moves(reach));
  return reaches.map(([feature, reach]): Bar => {
    if (reach === undefined) {
      return { name: named(feature), own: notStated(feature, words), span: words.say("span.missing"), kind: "none" };
    }
    const { values } = reach;
    if (values === undefined) {
      const { own, span, limits } = ofNumber(feature, reach, words);
      const described = { name: named(feature), own, span };
      return drawn ? { ...described, ...lineOf(reach, limits) } : { ...described, kind: "none" };
    }
    const described = { name: named(feature), own: isolated(valueAt(values, reach.own)) };
    const span = spanOf(reach, values, words);
    return { ...described, span, ...(drawn ? choiceOf(values, reach) : { kind: "none" }) };
  });
}

/** Return whether any feature may move: of the values of `query`, or whatever the values are. */
export function anyMoves(spec: Spec, radiusSquared: bigint, query: Query | undefined, words: Words): boolean {
  const radius = radiusOfAny(spec, radiusSquared);
  return spec.plainFeatures.some((feature) => {
    if (query === undefined) return movedAlone(feature, radius, words) !== undefined;
    const reach = reachOf(spec, feature, radius, query);
    return reach !== undefined && moves(reach);
  });
}

/** Return what is said of a missing value: the owner's own words, or those of the table. */
export function notStated({ missing }: Feature, words: Words): string {
  const own = missing?.[words.language];
  return own === undefined ? words.say("span.not_stated") : isolated(own);
}

export function moves({ low, high }: Reach): boolean {
  return low.compare(high) < 0;
}

/** Return what a non-sensitive feature of its value alone may be within a radius; undefined for a missing value. */
function reachOf(spec: Spec, feature: Feature, radius: Fraction, query: Query): Reach | undefined {
  const value = query.get(feature.name);
  if (value === undefined) return undefined;
  return ENCODINGS[feature.encoding].reach(spec.fields, feature, radius, value);
}

/** Return in words how far a feature may move whatever its value, below the radius; undefined for not at all. */
function movedAlone(feature: Feature, radius: Fraction, words: Words): string | undefined {
  const moved = ENCODINGS[feature.encoding].movedAlone(feature, radius);
  if (moved === undefined) return undefined;
  const numbers = Object.entries(moved.numbers).map(([name, number]) => [name, words.number(number)]);
  const unit = words.unit(unitIn(feature, words.language));
  return words.say(`span.${moved.name}`, { ...Object.fromEntries(numbers), unit });
}

/** Return the ends of the line that a bar is drawn on: those that the spec lists, else a quarter beyond the bar. */
function trackOf({ low, high, possible, listed }: Reach): Ends {
  if (listed && possible !== undefined) return possible;
  const width = high.minus(low);
  const beyond = width.compare(ZERO) > 0 ? width.over(new Fraction(4n)) : ONE;
  const [from, to] = [low.minus(beyond), high.plus(beyond)];
  return possible === undefined ? [from, to] : [greater(from, possible[0]), lesser(to, possible[1])];
}

/** A number's own value, the unit behind it, what is certified, and the ends of what is possible, in words. */
export interface OfNumber {
  readonly own: string;
  readonly unit: string;
  readonly span: string;
  readonly limits: Line["limits"];
}

/**
 * Return a number's own value, what is certified, and the ends of what is possible where the spec lists them.
 *
 * All of them are dates or none of them is: a date beside a number would leave open what it is counted from.
 */
export function ofNumber(feature: Feature, reach: Reach, words: Words): OfNumber {
  const possible = reach.listed ? reach.possible : undefined;
  const numbers = [reach.own, reach.low, reach.high];
  const days = dates(feature, [...numbers, ...(possible ? inward(possible) : [])])?.map((day) => words.day(day));
  const texts = days ?? [...numbers, ...(possible ?? [])].map((number) => words.number(number));
  const [own = "", low = "", high = "", first = "", last = ""] = texts;
  const unit = days === undefined ? words.unit(unitIn(feature, words.language)) : "";
  const span = moves(reach) ? words.say("span.range", { low, high, unit }) : words.say("span.none");
  return { own, unit, span, limits: possible === undefined ? null : [first, last] };
}

/** Return where a number's bar begins and ends, rounded inward. */
export function lineOf(reach: Reach, limits: Line["limits"]): Line & { readonly you: number } {
  const { own, low, high } = reach;
  const [start, end] = trackOf(reach);
  const width = end.compare(start) > 0 ? end.minus(start) : ONE;
  const place = (value: Fraction): Fraction => value.minus(start).times(WHOLE_TRACK).over(width);
  const you = Number(place(own).plus(HALF).floor());
  return {
    kind: "number",
    low: Math.min(Number(place(low).ceil()), you),
    high: Math.max(Number(place(high).floor()), you),
    you,
    caps: [low.compare(start) > 0, high.compare(end) < 0],
    limits,
  };
}

/** Return each value of a category, whether it is certified, and which one is the own. */
function choiceOf(values: readonly string[], { own, low, high }: Reach): Choice {
  const all = values.map((text, at) => {
    const place = new Fraction(BigInt(at));
    const inside = low.compare(place) <= 0 && place.compare(high) <= 0;
    return { text: isolated(text), in: inside, you: place.compare(own) === 0 };
  });
  return { kind: "category", values: all };
}

/** Return in words which values of a category are certified. */
function spanOf(reach: Reach, values: readonly string[], words: Words): string {
  const { low, high, possible } = reach;
  if (!moves(reach)) return words.say("span.none");
  if (possible !== undefined && low.compare(possible[0]) === 0 && high.compare(possible[1]) === 0) {
    return words.say("span.any");
  }
  const [first = "", last = ""] = [low, high].map((end) => words.word(valueAt(values, end)));
  return words.say("span.range", { low: first, high: last, unit: "" });
}

/** Return the value at a place in a domain. */
function valueAt(values: readonly string[], place: Fraction): string {
  return values[Number(place.floor())] ?? "";
}
