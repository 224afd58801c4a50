/**
 * Numbers of days as dates: day v of a feature with a start is the date v days later, in the Gregorian calendar. Twin
 * of circuits/encodings/days.py.
 *
 * Only whole days of the years 1 to 9999 are dates, so that a date never says more or less than its number.
 */

import { SpecError } from "../errors.js";
import { Fraction } from "../numbers.js";
import { sentence } from "../sentence.js";
import { beginning, type EncodedFeature, type Ends, named, shown } from "./interface.js";

const UNITS = ["day", "days"];
const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const DAY = 86_400_000;
const [FIRST, LAST] = [dayOf(1, 1, 1), dayOf(9999, 12, 31)];

/** Return the dates of numbers, in UTC; undefined without a start, and where one of the numbers is no date. */
export function dates({ start }: EncodedFeature, numbers: readonly Fraction[]): readonly Date[] | undefined {
  const first = start === undefined ? undefined : asDay(start);
  if (first === undefined) return undefined;
  const days = numbers.map((number) => number.plus(new Fraction(BigInt(first))));
  const [least, most] = [new Fraction(BigInt(FIRST)), new Fraction(BigInt(LAST))];
  if (days.some((day) => day.denominator !== 1n || day.compare(least) < 0 || day.compare(most) > 0)) return undefined;
  return days.map((day) => new Date(Number(day.numerator) * DAY));
}

/** Return the same as a spec has dates, such as 2000-01-31. */
export function writtenDates(feature: EncodedFeature, numbers: readonly Fraction[]): readonly string[] | undefined {
  return dates(feature, numbers)?.map((date) => date.toISOString().slice(0, 10));
}

/** Return the first and the last whole number between two ends. */
export function inward([low, high]: Ends): Ends {
  return [new Fraction(low.ceil()), new Fraction(high.floor())];
}

/** Throw SpecError for a start that is no date, or not of a number of whole days. */
export function checkStart(feature: EncodedFeature): void {
  if (feature.start === undefined) return;
  const name = named(feature);
  if (asDay(feature.start) === undefined) {
    throw new SpecError(sentence("spec.start_malformed", { feature: name, value: shown(feature.start) }));
  }
  // Only numbers that are not sensitive are whole.
  if (!feature.whole) {
    throw new SpecError(sentence("spec.start_misplaced", { feature: name }));
  }
  if (!UNITS.includes(feature.unit)) {
    throw new SpecError(sentence("spec.start_unit_unfit", { feature: name, unit: `'${beginning(feature.unit)}'` }));
  }
}

/** Return the day of a date such as 2000-01-31, counted from 1970; undefined for any other text. */
function asDay(text: string): number | undefined {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (!year || !month || !day) return undefined;
  const count = dayOf(year, month, day);
  // Dates that a month does not have are those of the next one.
  return new Date(count * DAY).toISOString().startsWith(text) ? count : undefined;
}

function dayOf(year: number, month: number, day: number): number {
  // Years below 100 would be those of the last century.
  return new Date(0).setUTCFullYear(year, month - 1, day) / DAY;
}
