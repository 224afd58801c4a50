// What bars promise, asked of every encoding without knowing it, and levels. Integers travel as decimal text.
import { type Bar, bars as barsOf } from "../../web/verifier/src/bars.js";
import { utf8 } from "../../web/verifier/src/bytes.js";
import { parse } from "../../web/verifier/src/canonical.js";
import type { EncodedFeature, Encoding, RawValue, Reach } from "../../web/verifier/src/encodings/interface.js";
import { levelOf, Log } from "../../web/verifier/src/encodings/log.js";
import { Scaled } from "../../web/verifier/src/encodings/scaled.js";
import { ENCODINGS } from "../../web/verifier/src/encodings.js";
import { decimalText, exact, Fraction, greater, readNumber, ZERO } from "../../web/verifier/src/numbers.js";
import { readingOf } from "../../web/verifier/src/reading.js";
import { type Feature, SPEC, type Spec } from "../../web/verifier/src/spec.js";
import { checked } from "../../web/verifier/src/spec_check.js";
import { interval, radiusOfAny } from "../../web/verifier/src/units.js";
import { type Language, Words } from "../../web/verifier/src/words.js";

const TABLE = ENCODINGS as { log: Encoding };
const LOG = ENCODINGS.log;
const [ONE, WHOLE_TRACK] = [new Fraction(1n), new Fraction(10_000n)];
/** How far behind an end a value is that must be too far: more than the last digit that ends are shown with. */
const BEHIND = new Fraction(1n, 50n);
/** How far behind the end of a number is that cannot move. */
const LITTLE = new Fraction(1n, 10n ** 30n);
/** A step of levels: a bar of no longer distance may lack an end on one side of the value, and then shows none. */
const STEP = new Fraction(1n, 1n << 40n);
/** Between these distances a factor of a few digits says how far every value may move: no factor is beyond 2^64. */
const [FINE, FAR] = [new Fraction(1n, 1n << 30n), new Fraction(64n)];

/** Logarithms whose author wrote columns alone, and left the rest to numbers. */
class ColumnsAlone extends Scaled {
  override check(): void {}

  protected override level(feature: EncodedFeature, number: Fraction): Fraction {
    return LOG.rawColumns({ ...feature, range: null, domain: [] }, decimalText(number))[0] ?? ZERO;
  }
}

const read = (text: string): Spec => checked(parse(utf8(text), SPEC, "spec"));
const rowOf = (text: string): ReadonlyMap<string, RawValue> => new Map(Object.entries(JSON.parse(text)));
const encodingOf = ({ encoding }: Feature): Encoding => ENCODINGS[encoding];

export const encodings = (): readonly string[] => Object.keys(ENCODINGS);
export const level = (text: string): string => String(levelOf(exact(text)));
export const levels = (texts: readonly string[]): readonly string[] => texts.map(level);

/** The bars of an answer about a spec (its JSON text). */
export const bars_of = (spec: string, radiusSquared: string, row: string | null, language: Language): readonly Bar[] =>
  barsOf(read(spec), BigInt(radiusSquared), row === null ? undefined : rowOf(row), new Words(language));

/** The integers of a row under a spec (its JSON text). */
export const columns_of = (spec: string, row: string): readonly string[] => read(spec).encode(rowOf(row)).map(String);

/** The joint values of the sensitive features of a spec (its JSON text), as integers. */
export const table_of = (spec: string): ReadonlyArray<readonly string[]> =>
  read(spec).domainTable.map((row) => row.map(String));

/** What a certificate says of features under a spec (its JSON text). */
export const lengths_of = (text: string, radiusSquared: string): Record<string, unknown> => {
  const { features, ranges } = readingOf(read(text), 0, BigInt(radiusSquared));
  return { features: Object.fromEntries(features), ranges: ranges === undefined ? null : Object.fromEntries(ranges) };
};

/** Values of a row under a spec (its JSON text), and those that each alone may become. */
export const intervals_of = (text: string, radiusSquared: string, rowText: string): Record<string, string> => {
  const [spec, row] = [read(text), rowOf(rowText)];
  const radius = radiusOfAny(spec, BigInt(radiusSquared));
  const words = (feature: Feature): string => interval(spec, feature, radius, row.get(feature.name));
  return Object.fromEntries(spec.plainFeatures.map((feature) => [feature.name, words(feature)]));
};

/** The ends of each feature of a spec (its JSON text); null for categories. */
export const shown_ends = (text: string): Record<string, readonly string[] | null> => {
  const spec = read(text);
  return Object.fromEntries(spec.plainFeatures.map((feature) => {
    const ends = encodingOf(feature).shownEnds(spec.fields, feature);
    return [feature.name, ends && ends.map(String)];
  }));
};

/** Every promise that bars of a row under a spec break: a line each. */
export const broken = (specText: string, radiusSquared: string, rowText: string): readonly string[] => {
  const [spec, row, words] = [read(specText), rowOf(rowText), new Words("en")];
  const radius = radiusOfAny(spec, BigInt(radiusSquared));
  const drawn = barsOf(spec, BigInt(radiusSquared), row, words);
  return spec.plainFeatures.flatMap((feature, at) => {
    const value = row.get(feature.name) ?? "";
    const reach = encodingOf(feature).reach(spec.fields, feature, radius, value);
    const wrong = reach.values === undefined
      ? ofNumber(spec, feature, radius, value, reach, drawn[at] as Bar)
      : ofPlaces(feature, radius, value, reach, drawn[at] as Bar);
    return [...wrong, ...ofEvery(feature, radius, value)].map((what) => `${feature.name}: ${what}`);
  });
};

/** Logarithms that answer one question as numbers do, or every question but that of columns. */
function forgetful(question: string): Encoding {
  if (question === "all") return new ColumnsAlone();
  const asNumbers = new Scaled() as unknown as Record<string, (...words: unknown[]) => unknown>;
  return Object.assign(new Log(), { [question]: (...words: unknown[]) => asNumbers[question]?.(...words) });
}

/** The same where logarithms forgot what answers a question. */
export const broken_by_forgetting = (question: string, ...words: Parameters<typeof broken>): readonly string[] => {
  TABLE.log = forgetful(question);
  try {
    return broken(...words);
  } finally {
    TABLE.log = LOG;
  }
};

/** The squared distance of two values in the spec's units; undefined where the feature refuses the second. */
function squared(feature: Feature, own: RawValue, other: RawValue): Fraction | undefined {
  const encoding = encodingOf(feature);
  const scale = exact(feature.scale);
  const first = encoding.rawColumns(feature, own);
  try {
    return encoding.rawColumns(feature, other).reduce((sum, column, at) => {
      const difference = column.minus(first[at] as Fraction).over(scale);
      return sum.plus(difference.times(difference));
    }, ZERO);
  } catch {
    return undefined;
  }
}

/** Whether a value is closer than the radius; one that the feature refuses is not. */
function closer(feature: Feature, radius: Fraction, own: RawValue, other: Fraction | RawValue): boolean {
  const distance = squared(feature, own, other instanceof Fraction ? decimalText(other) : other);
  return distance !== undefined && distance.compare(radius.times(radius)) < 0;
}

/** What is wrong with the bar of a number. */
function ofNumber(
  spec: Spec, feature: Feature, radius: Fraction, value: RawValue, reach: Reach, bar: Bar,
): readonly string[] {
  const { own, low, high } = reach;
  const wrong: string[] = [];
  const inside = (other: Fraction): boolean => other.compare(own) === 0 || closer(feature, radius, value, other);
  if (own.compare(readNumber(value) as Fraction) !== 0) wrong.push("the own value is another one");
  if (low.compare(own) > 0 || own.compare(high) > 0) wrong.push("the own value is outside");
  for (const end of [low, high]) if (!inside(end)) wrong.push(`the end ${decimalText(end)} is too far`);
  wrong.push(...behind(feature, radius, value, reach));

  // What words and pictures show is inside these ends.
  for (const end of numbersIn(bar.span)) if (!inside(end)) wrong.push(`the bar says ${decimalText(end)}`);
  if (bar.kind === "number") {
    const [start, end] = trackOf(reach);
    const part = end.minus(start).over(WHOLE_TRACK);
    const at = (place: number): Fraction => start.plus(part.times(new Fraction(BigInt(place))));
    if (bar.low !== bar.you && at(bar.low).compare(low) < 0) wrong.push("it is drawn from too far below");
    if (bar.high !== bar.you && at(bar.high).compare(high) > 0) wrong.push("it is drawn to too far above");
    if (bar.low > bar.you || bar.you > bar.high) wrong.push("the own value is drawn outside");
  }

  // The words of programs are rounded down, but not to what is shown: they may say the radius itself.
  const text = interval(spec, feature, radius, value).replace(/^[^:]*: /, "");
  for (const end of numbersIn(text)) {
    const distance = end.compare(own) === 0 ? ZERO : squared(feature, value, decimalText(end));
    if (distance === undefined || distance.compare(radius.times(radius)) > 0) wrong.push(`programs say ${text}`);
  }
  return wrong;
}

/** What is wrong with where the ends of a number are: values a little behind them are too far, or not possible. */
function behind(feature: Feature, radius: Fraction, value: RawValue, { own, low, high, possible }: Reach): string[] {
  // A number that should be whole, and is not, has no whole numbers around it.
  if (feature.whole && own.denominator !== 1n) return [];
  if (low.compare(high) === 0 && radius.times(exact(feature.scale)).compare(STEP) <= 0) return [];
  const gap = greater(high.minus(low).times(BEHIND), feature.whole ? ONE : LITTLE);
  const [least, most] = possible ?? [low.minus(gap), high.plus(gap)];
  return [low.minus(gap), high.plus(gap)]
    .filter((beyond) => least.compare(beyond) <= 0 && beyond.compare(most) <= 0)
    .filter((beyond) => closer(feature, radius, value, beyond))
    .map((beyond) => `${decimalText(beyond)} is near enough, and left out`);
}

/** What is wrong with the bar of a value out of a list. */
function ofPlaces(feature: Feature, radius: Fraction, value: RawValue, reach: Reach, bar: Bar): readonly string[] {
  return feature.domain.flatMap((other, at) => {
    const place = new Fraction(BigInt(at));
    const inside = reach.low.compare(place) <= 0 && place.compare(reach.high) <= 0;
    const near = other === value || closer(feature, radius, value, other);
    const drawn = bar.kind === "category" ? bar.values[at]?.in : inside;
    return inside === near && drawn === near ? [] : [`'${other}' is ${near ? "near enough" : "too far"}`];
  });
}

/** What is wrong with how far a feature may move whatever its value. */
function ofEvery(feature: Feature, radius: Fraction, value: RawValue): readonly string[] {
  const encoding = encodingOf(feature);
  const moved = encoding.movedAlone(feature, radius);
  if (moved === undefined) return [];
  if (feature.domain.length) {
    const place = feature.domain.indexOf(String(value));
    const steps = moved.name === "any" ? feature.domain.length : Number((moved.numbers["moved"] ?? ZERO).floor());
    const reached = feature.domain.filter((other, at) => Math.abs(at - place) <= steps && other !== value);
    return reached.filter((other) => !closer(feature, radius, value, other)).map((other) => `'${other}' is too far`);
  }
  const unbounded = { ...feature, range: null };
  const { moved: most = ZERO, factor = ONE, start = ZERO } = moved.numbers;
  const own = readNumber(value) ?? ZERO;
  const ways: Readonly<Record<string, (more: Fraction) => readonly Fraction[]>> = {
    distance: (more) => [own.minus(most.times(more)), own.plus(most.times(more))],
    factor: (more) => {
      const by = ONE.plus(factor.minus(ONE).times(more));
      return [inward(own.minus(start).over(by)).plus(start), own.minus(start).times(by).plus(start)];
    },
  };
  const way = ways[moved.name.replace(/_from$/, "")];
  if (way === undefined) return [`nobody knows how to move by ${moved.name}`];
  const near = way(ONE).filter((other) => squared(unbounded, value, decimalText(other)) !== undefined);
  const further = way(ONE.plus(BEHIND).plus(feature.whole ? ONE : ZERO));
  const distance = radius.times(exact(feature.scale));
  const said = moved.name === "distance" || (FINE.compare(distance) < 0 && distance.compare(FAR) < 0);
  const far = near.filter((other) => !closer(unbounded, radius, value, other));
  const missed = further.filter((other) => said && closer(unbounded, radius, value, other));
  return [...far.map((other) => `${decimalText(other)} is too far`), ...missed.map(() => "it may move further")];
}

/** Return a number of few digits that is a little more than a number above 0. */
function inward(number: Fraction): Fraction {
  const digits = new Fraction(10n ** 40n);
  return new Fraction(number.times(digits).ceil()).over(digits);
}

/** Return the ends of the line of a number's bar. */
function trackOf({ low, high, possible, listed }: Reach): readonly [Fraction, Fraction] {
  if (listed && possible !== undefined) return possible;
  const width = high.minus(low);
  const beyond = width.compare(ZERO) > 0 ? width.over(new Fraction(4n)) : ONE;
  const ends = [low.minus(beyond), high.plus(beyond)] as const;
  if (possible === undefined) return ends;
  return [greater(ends[0], possible[0]), ends[1].compare(possible[1]) > 0 ? possible[1] : ends[1]];
}

/** Return the numbers that an English text says, units left out. */
function numbersIn(text: string): readonly Fraction[] {
  const numbers = text.replaceAll("\u2212", "-").match(/(?<![\w.])-?[0-9][0-9,]*(?:\.[0-9]+)?/g) ?? [];
  return numbers.map((number) => exact(number.replaceAll(",", "")));
}
