/** What the encodings of a number in one column share. */

import { afterNumber } from "../names.js";
import { Decimal, exact, Fraction, greater, lesser, readNumber } from "../numbers.js";
import { sentence } from "../sentence.js";
import { inward, writtenDates } from "./days.js";
import {
  beginning,
  type EncodedFeature,
  type Encoding,
  type Ends,
  type Grid,
  type Moved,
  type RawValue,
  type Reach,
  refused,
  shown,
  type ShownEnds,
  unlisted,
} from "./interface.js";

/** How many digits of a distance are kept; the ends of a span end at the same place. */
export const DIGITS = 3;

/** A number in one column. */
export abstract class Numbers implements Encoding {
  readonly kind = "numeric";

  abstract check(grid: Grid, feature: EncodedFeature): void;
  abstract movedAlone(feature: EncodedFeature, radius: Fraction): Moved | undefined;
  abstract moved(feature: EncodedFeature, radius: Fraction): string;
  abstract interval(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string;
  /** Return the raw number of the column: it never falls as the number grows. */
  protected abstract level(feature: EncodedFeature, number: Fraction): Fraction;
  /** Return the ends that the width holds, rounded inward. */
  protected abstract held(grid: Grid, feature: EncodedFeature): ShownEnds;
  /** Return the first and the last number that is shown among those that are closer to a number than a distance. */
  protected abstract span(feature: EncodedFeature, own: Fraction, distance: Fraction): Ends;

  width(): number {
    return 1;
  }

  rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[] {
    return [this.level(feature, this.read(feature, value))];
  }

  /** Return the number of a raw value; throws SpecError for none, and outside of the range or the domain. */
  protected read(feature: EncodedFeature, value: RawValue): Fraction {
    const number = readNumber(value);
    if (number === undefined) throw refused(feature, sentence("value.not_a_number", { value: shown(value) }));
    const [low, high] = feature.range ?? [];
    if (low !== undefined && high !== undefined && !within(number, exact(low), exact(high))) {
      throw refused(feature, sentence("value.outside_range", {
        value: beginning(value), low: beginning(low), high: beginning(high),
      }));
    }
    if (feature.domain.length && !listed(feature.domain).has(keyOf(number))) throw unlisted(feature, value);
    return number;
  }

  ends(feature: EncodedFeature): ReadonlyArray<Ends | null> {
    const [first, ...others] = (feature.range ?? feature.domain).map(exact);
    if (first === undefined) return [null];
    const ends = [others.reduce(lesser, first), others.reduce(greater, first)] as const;
    return [[this.level(feature, ends[0]), this.level(feature, ends[1])]];
  }

  shownEnds(grid: Grid, feature: EncodedFeature): ShownEnds {
    if (feature.range === null) return this.held(grid, feature);
    return [Decimal.of(feature.range[0]), Decimal.of(feature.range[1])];
  }

  reach(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): Reach {
    const own = this.read(feature, value);
    let [low, high] = this.span(feature, own, radius.times(exact(feature.scale)));
    const possible = this.#possible(grid, feature, own);
    // A possible end that comes first is itself included.
    if (possible !== undefined) {
      low = greater(low, feature.whole ? new Fraction(possible[0].ceil()) : possible[0]);
      high = lesser(high, feature.whole ? new Fraction(possible[1].floor()) : possible[1]);
    }
    if (!within(own, low, high) || low.compare(high) === 0) [low, high] = [own, own];
    return { own, low, high, possible, listed: feature.range !== null, values: undefined };
  }

  keptTo(grid: Grid, feature: EncodedFeature): string {
    const [low, high] = this.shownEnds(grid, feature);
    const days = writtenDates(feature, inward([low.fraction, high.fraction]));
    return days?.join(" to ") ?? `${low} to ${high}${afterNumber(feature.unit)}`;
  }

  /**
   * Return the ends of what a number can be; without a range, those that the width holds, if the spec keeps to them.
   *
   * Those of the width are shown rounded inward; the value itself was proven all the same.
   */
  #possible(grid: Grid, feature: EncodedFeature, own: Fraction): Ends | undefined {
    if (feature.range !== null) return [exact(feature.range[0]), exact(feature.range[1])];
    if (!grid.use_ranges) return undefined;
    const [low, high] = this.held(grid, feature);
    return [lesser(low.fraction, own), greater(high.fraction, own)];
  }
}

/** The numbers of domains; every value of the table is looked up in them. */
const LISTED = new WeakMap<readonly string[], ReadonlySet<string>>();

function listed(domain: readonly string[]): ReadonlySet<string> {
  const found = LISTED.get(domain) ?? new Set(domain.map((value) => keyOf(exact(value))));
  LISTED.set(domain, found);
  return found;
}

function keyOf(number: Fraction): string {
  return `${number.numerator}/${number.denominator}`;
}

function within(number: Fraction, low: Fraction, high: Fraction): boolean {
  return low.compare(number) <= 0 && number.compare(high) <= 0;
}
