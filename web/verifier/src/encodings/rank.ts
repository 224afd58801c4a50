/** A category whose values have an order: its index in the domain, in one column. */

import { quoted } from "../names.js";
import { exact, type Fraction, ZERO } from "../numbers.js";
import { ANY, count, Listed, placeOf } from "./listed.js";
import { type EncodedFeature, type Ends, type Grid, type Moved, NONE, type RawValue } from "./interface.js";

export class Rank extends Listed {
  width(): number {
    return 1;
  }

  rawColumns(feature: EncodedFeature, value: RawValue): readonly Fraction[] {
    return [count(placeOf(feature, value))];
  }

  ends(feature: EncodedFeature): ReadonlyArray<Ends | null> {
    return [[ZERO, count(feature.domain.length - 1)]];
  }

  movedAlone(feature: EncodedFeature, radius: Fraction): Moved | undefined {
    const [steps, values] = [this.#steps(feature, radius), feature.domain.length];
    if (steps === 0 || values === 1) return undefined;
    if (steps >= values - 1) return { name: "any", numbers: {} };
    return { name: "ranks", numbers: { moved: count(steps), n: count(values) } };
  }

  moved(feature: EncodedFeature, radius: Fraction): string {
    const steps = this.#steps(feature, radius);
    if (steps >= feature.domain.length - 1) return ANY;
    return steps ? `+- ${steps} of ${feature.domain.length} ranks` : NONE;
  }

  override interval(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string {
    const steps = this.#steps(feature, radius);
    if (steps === 0 || steps >= feature.domain.length - 1) return super.interval(grid, feature, radius, value);
    const ends = this.reached(feature, radius, value);
    return `${quoted(String(value))}: ${ends.map((end) => quoted(feature.domain[end] ?? "")).join(" to ")}`;
  }

  protected reached(feature: EncodedFeature, radius: Fraction, value: RawValue): readonly [number, number] {
    const [steps, place] = [this.#steps(feature, radius), placeOf(feature, value)];
    return [Math.max(0, place - steps), Math.min(feature.domain.length - 1, place + steps)];
  }

  /** Return how many ranks are closer than a radius: a whole radius itself is already too far. */
  #steps(feature: EncodedFeature, radius: Fraction): number {
    const closer = radius.times(exact(feature.scale)).ceil() - 1n;
    const most = BigInt(feature.domain.length);
    return Number(closer < 0n ? 0n : closer < most ? closer : most);
  }
}
