/**
 * What the rules of change allow somebody, and what they wish beside. Twin of circuits/allowed.py. Numbers are exact
 * and in the raw units of the features.
 */

import { type Direction, endOf, goes, isOf } from "./changes.js";
import type { RawValue } from "./encodings/interface.js";
import { SpecError } from "./errors.js";
import type { Changes, Together, Wish } from "./fields.js";
import { quoted } from "./names.js";
import { exact, Fraction, readNumber, ZERO } from "./numbers.js";
import { sentence } from "./sentence.js";
import type { Feature, Spec } from "./spec.js";
import { decimal } from "./spec_check.js";
import { plain } from "./text.js";

/** A wish for more than the rules allow. */
export class WiderWishError extends SpecError {}

/** A number: today's, the least and the greatest that it may become, and what shown values are multiples of. */
export interface Span {
  readonly own: Fraction;
  readonly low: Fraction;
  readonly high: Fraction;
  readonly step: Fraction | undefined;
}

/** A category: today's value, and those that it may have, in the domain's order; today's is one of them. */
export interface Choice {
  readonly own: string;
  readonly all: readonly string[];
}

/** What one feature may be; undefined for a value that is not stated, which stays so. */
export type Range = Span | Choice | undefined;

/** What somebody may change: each feature alone, and of those that change at once the rows that are left. */
export interface Allowed {
  readonly features: ReadonlyMap<string, Range>;
  readonly together: readonly Together[];
}

type Row = ReadonlyMap<string, RawValue>;

/** The last values of a number's rules or of a wish, and how far it may move. */
type Ends = { readonly [Place in Direction | "by"]?: Fraction | undefined };

/** Return whether a range is one of a number. */
export function isSpan(range: Range): range is Span {
  return range !== undefined && "low" in range;
}

/**
 * Return what the rules of a spec allow somebody with these features, which fit the spec, under their wishes. Throws
 * SpecError for a wish that does not fit it, and WiderWishError for one that goes beyond the rules.
 */
export function allowed(spec: Spec, row: Row, wishes: ReadonlyMap<string, Wish>): Allowed {
  const known = spec.plainFeatures.map(({ name }) => name);
  const unknown = [...wishes.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new SpecError(sentence("wishes.unknown_feature", { feature: `'${plain(unknown.slice(0, 40))}'` }));
  }
  const features = new Map(
    spec.plainFeatures.map((one) => [one.name, alone(one, row.get(one.name), wishes.get(one.name))]),
  );
  const together = (spec.fields.together ?? []).map((table) => {
    const fits = (values: readonly string[]): boolean =>
      table.features.every((name, at) => mayBe(features.get(name), values[at]));
    const rows = table.rows.filter(fits);
    table.features.forEach((name, at) => {
      features.set(name, ofRows(features.get(name), rows.map((values) => values[at] ?? "")));
    });
    return { features: table.features, rows };
  });
  return { features, together };
}

/**
 * Return what is left where each number goes only so many percent, 1 to 99, of the way to each of its ends. Nothing
 * else is narrower. Throws SpecError for another percent.
 */
export function within({ features, together }: Allowed, percent: number): Allowed {
  if (!Number.isInteger(percent) || percent < 1 || percent > 99) throw new SpecError(sentence("pair.within_unfit"));
  const part = new Fraction(BigInt(percent), 100n);
  const toward = (own: Fraction, end: Fraction): Fraction => own.plus(end.minus(own).times(part));
  const nearer = (range: Range): Range => isSpan(range)
    ? { ...range, low: toward(range.own, range.low), high: toward(range.own, range.high) }
    : range;
  return { features: new Map([...features].map(([name, range]) => [name, nearer(range)])), together };
}

/** Return what one feature may be, whatever the others are. */
function alone(feature: Feature, value: RawValue | undefined, wish: Wish = NOTHING): Range {
  const { fixed, ...others } = wish;
  if (fixed !== undefined && (!fixed || Object.values(others).some((one) => one !== undefined))) {
    throw new SpecError(sentence("wishes.fixed_alone", { feature: quoted(feature.name) }));
  }
  return feature.kind === "numeric" ? numberOf(feature, value, wish) : categoryOf(feature, value, wish);
}

const NOTHING: Wish = { fixed: undefined, from: undefined, to: undefined, by: undefined, values: undefined };

const NUMBERS = ["from", "to", "by"] as const;

/** Return what shown values of a number are multiples of: whole numbers without a step are whole. */
function stepOf({ changes, whole }: Feature): Fraction | undefined {
  if (changes?.step !== undefined) return exact(changes.step);
  return whole ? new Fraction(1n) : undefined;
}

/** Return the ends of a number. */
function numberOf(feature: Feature, value: RawValue | undefined, wish: Wish): Span | undefined {
  const rules = ruledEnds(feature);
  const wanted = wantedEnds(feature, rules, wish);
  if (value === undefined) return undefined;
  const own = readNumber(value) ?? ZERO;
  const step = stepOf(feature);
  if (wish.fixed) return { own, low: own, high: own, step };
  const near = [rules.by, wanted.by].filter((by) => by !== undefined);
  const most = least([rules.up, wanted.up, ...near.map((by) => own.plus(by))]);
  const lowest = greatest([rules.down, wanted.down, ...near.map((by) => own.minus(by))]);
  const high = rules.up && most ? greatest([own, most]) ?? own : own;
  const low = rules.down && lowest ? least([own, lowest]) ?? own : own;
  return { own, low, high, step };
}

function least(all: ReadonlyArray<Fraction | undefined>): Fraction | undefined {
  return all.reduce((one, other) => (one && other ? (other.compare(one) < 0 ? other : one) : one ?? other), undefined);
}

function greatest(all: ReadonlyArray<Fraction | undefined>): Fraction | undefined {
  return all.reduce((one, other) => (one && other ? (other.compare(one) > 0 ? other : one) : one ?? other), undefined);
}

/** Return the ends of a number's rules: where they state none, those of its range. */
function ruledEnds({ changes, range }: Feature): Ends {
  if (!changes) return {};
  const end = (way: Direction, at: 0 | 1): Fraction | undefined => {
    const text = changes[endOf(changes, way)] ?? range?.[at];
    return goes(changes, way) && text !== undefined ? exact(text) : undefined;
  };
  return { down: end("down", 0), up: end("up", 1), by: changes.by === undefined ? undefined : exact(changes.by) };
}

/** Return those of a wish; throws for a wider one than the rules, or one that says what they do not. */
function wantedEnds(feature: Feature, rules: Ends, wish: Wish): Ends {
  const name = quoted(feature.name);
  const found: Partial<Record<keyof Ends, Fraction>> = {};
  for (const field of NUMBERS) {
    const text = wish[field];
    if (text === undefined) continue;
    const amount = decimal(text, `${sentence("word.wishes")}: ${name}: ${field}`);
    const place = placeOf(feature.changes, field);
    if (place === undefined) throw new WiderWishError(sentence("wishes.no_such_change", { feature: name, field }));
    if (place === "by" && amount.compare(ZERO) <= 0) {
      throw new SpecError(sentence("wishes.field_unfit", { feature: name, field }));
    }
    const beyond = amount.compare(rules[place] ?? amount);
    if (place === "down" ? beyond < 0 : beyond > 0) {
      throw new WiderWishError(sentence("wishes.wider", { feature: name, field }));
    }
    found[place] = amount;
  }
  if (wish.values) throw new SpecError(sentence("wishes.field_unfit", { feature: name, field: "values" }));
  return found;
}

/** Return what a field of a wish is about; undefined for what the rules do not allow. */
function placeOf(changes: Changes | undefined, field: "from" | "to" | "by"): keyof Ends | undefined {
  if (changes === undefined || field === "by") return changes && "by";
  return (["up", "down"] as const).find((way) => goes(changes, way) && endOf(changes, way) === field);
}

/** Return the values that a category may have. */
function categoryOf(feature: Feature, value: RawValue | undefined, wish: Wish): Choice | undefined {
  const name = quoted(feature.name);
  const wrong = NUMBERS.find((field) => wish[field] !== undefined)
    ?? (wish.values && !isOf(wish.values, feature.domain) ? "values" : undefined);
  if (wrong) throw new SpecError(sentence("wishes.field_unfit", { feature: name, field: wrong }));
  if (value === undefined) return undefined;
  const own = String(value);
  const rules = [own, ...reached(feature, own)];
  if (wish.values?.some((one) => !rules.includes(one))) {
    throw new WiderWishError(sentence("wishes.wider", { feature: name, field: "values" }));
  }
  const left = wish.fixed ? [own] : [own, ...(wish.values ?? rules)];
  return { own, all: feature.domain.filter((one) => left.includes(one)) };
}

/** Return the values that the rules let a category move to. */
function reached({ changes, domain }: Feature, value: string): readonly string[] {
  if (!changes) return [];
  if (!changes.order) return changes.values ?? domain;
  const place = changes.order.indexOf(value);
  return changes.direction === "up" ? changes.order.slice(place) : changes.order.slice(0, place + 1);
}

/** Return whether a feature alone may have a value: one that is not stated has none. */
function mayBe(range: Range, value = ""): boolean {
  if (!isSpan(range)) return range?.all.includes(value) ?? false;
  const amount = exact(value);
  return range.low.compare(amount) <= 0 && amount.compare(range.high) <= 0;
}

/** Return what is left of a range by the values of the rows of a table. */
function ofRows(range: Range, values: readonly string[]): Range {
  if (!isSpan(range)) {
    return range && { own: range.own, all: range.all.filter((one) => one === range.own || values.includes(one)) };
  }
  const numbers = [range.own, ...values.map(exact)];
  return { ...range, low: least(numbers) ?? range.own, high: greatest(numbers) ?? range.own };
}
