/** What the encodings of a value out of a list share. */

import { quoted } from "../names.js";
import { Fraction, ZERO } from "../numbers.js";
import { written } from "../sentence.js";
import {
  type EncodedFeature,
  type Encoding,
  type Ends,
  type Grid,
  type Moved,
  type RawValue,
  type Reach,
  refuseOffset,
  refuseStart,
  unlisted,
} from "./interface.js";

/** Words for a feature that may be each of its values. */
export const ANY = "any value";

/** A value out of a list. */
export abstract class Listed implements Encoding {
  readonly kind = "categorical";

  abstract width(feature: EncodedFeature): number;
  abstract rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[];
  abstract ends(feature: EncodedFeature): ReadonlyArray<Ends | null>;
  abstract movedAlone(feature: EncodedFeature, radius: Fraction): Moved | undefined;
  abstract moved(feature: EncodedFeature, radius: Fraction): string;
  /** Return the places of the first and the last value that the feature alone may take within a radius. */
  protected abstract reached(feature: EncodedFeature, radius: Fraction, value: RawValue): readonly [number, number];

  check(_grid: Grid, feature: EncodedFeature): void {
    refuseOffset(feature);
    refuseStart(feature);
  }

  shownEnds(): null {
    return null;
  }

  reach(_grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): Reach {
    const [low, high] = this.reached(feature, radius, value);
    const own = count(placeOf(feature, value));
    const possible = [ZERO, count(feature.domain.length - 1)] as const;
    return { own, low: count(low), high: count(high), possible, listed: true, values: feature.domain };
  }

  interval(_grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string {
    return `${quoted(String(value))}: ${this.moved(feature, radius)}`;
  }

  keptTo(_grid: Grid, feature: EncodedFeature): string {
    return written("reading.any_of_values", { count: feature.domain.length });
  }
}

/** Return the place of a value in the domain; throws SpecError for one that is not there. */
export function placeOf(feature: EncodedFeature, value: RawValue): number {
  // A number is no value of a category, even where it prints like one.
  const place = typeof value === "string" ? feature.domain.indexOf(value) : -1;
  if (place < 0) throw unlisted(feature, value);
  return place;
}

/** Return a number of values as a fraction. */
export function count(number: number): Fraction {
  return new Fraction(BigInt(number));
}
