/** A category without an order: one 0/1 column per value of the domain. */

import { exact, Fraction, ZERO } from "../numbers.js";
import { ANY, Listed, placeOf } from "./listed.js";
import { type EncodedFeature, type Ends, type Moved, NONE, type RawValue } from "./interface.js";

const ONE = new Fraction(1n);

export class OneHot extends Listed {
  width(feature: EncodedFeature): number {
    return feature.domain.length;
  }

  rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[] {
    const own = placeOf(feature, value);
    return feature.domain.map((_, place) => (place === own ? ONE : ZERO));
  }

  ends(feature: EncodedFeature): ReadonlyArray<Ends | null> {
    return feature.domain.map(() => [ZERO, ONE]);
  }

  movedAlone(feature: EncodedFeature, radius: Fraction): Moved | undefined {
    return this.#free(feature, radius) && feature.domain.length > 1 ? { name: "any", numbers: {} } : undefined;
  }

  moved(feature: EncodedFeature, radius: Fraction): string {
    return this.#free(feature, radius) ? ANY : NONE;
  }

  protected reached(feature: EncodedFeature, radius: Fraction, value: RawValue): readonly [number, number] {
    const place = placeOf(feature, value);
    return this.#free(feature, radius) ? [0, feature.domain.length - 1] : [place, place];
  }

  /** Return whether another value is within a radius: two indicators change at once, each by one. */
  #free(feature: EncodedFeature, radius: Fraction): boolean {
    const moved = radius.times(exact(feature.scale));
    return moved.times(moved).compare(new Fraction(2n)) > 0;
  }
}
