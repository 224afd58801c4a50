/** A number in one column as it is: equal differences are equal distances everywhere. */

import { afterNumber } from "../names.js";
import {
  Decimal,
  exact,
  exponent,
  Fraction,
  greater,
  lesser,
  powerOfTen,
  roundedDown,
  ZERO,
} from "../numbers.js";
import { checkStart, writtenDates } from "./days.js";
import {
  type EncodedFeature,
  type Ends,
  type Grid,
  type Moved,
  NONE,
  type RawValue,
  refuseOffset,
  type ShownEnds,
} from "./interface.js";
import { DIGITS, Numbers } from "./numbers.js";

export class Scaled extends Numbers {
  check(_grid: Grid, feature: EncodedFeature): void {
    refuseOffset(feature);
    checkStart(feature);
  }

  moved(feature: EncodedFeature, radius: Fraction): string {
    return `+- ${roundedDown(radius.times(exact(feature.scale)))}${afterNumber(feature.unit)}`;
  }

  movedAlone(feature: EncodedFeature, radius: Fraction): Moved | undefined {
    const [, moved] = this.span(feature, ZERO, radius.times(exact(feature.scale)));
    return moved.compare(ZERO) > 0 ? { name: "distance", numbers: { moved } } : undefined;
  }

  interval(grid: Grid, feature: EncodedFeature, radius: Fraction, value: RawValue): string {
    const at = this.reach(grid, feature, radius, value);
    const days = writtenDates(feature, [at.own, at.low, at.high]);
    if (days !== undefined) {
      return `${days[0]}: ${at.low.compare(at.high) < 0 ? `${days[1]} to ${days[2]}` : NONE}`;
    }
    const own = Decimal.of(String(value));
    const moved = roundedDown(radius.times(exact(feature.scale)));
    let [low, high] = [own.minus(moved), own.plus(moved)];
    if (feature.range !== null || grid.use_ranges) {
      // Ends of the width are rounded inward; the value itself was proven all the same.
      const [least, most] = this.shownEnds(grid, feature);
      [low, high] = [greater(low, lesser(own, least)), lesser(high, greater(own, most))];
    }
    return `${own}: ${low} to ${high}${afterNumber(feature.unit)}`;
  }

  protected level(_feature: EncodedFeature, number: Fraction): Fraction {
    return number;
  }

  /** To six digits of the way between the ends, which are then the box's. */
  protected held(grid: Grid, feature: EncodedFeature): ShownEnds {
    const mean = exact(feature.mean);
    const step = exact(feature.scale).over(new Fraction(1n << BigInt(grid.input_fraction_bits)));
    const limit = 1n << BigInt(grid.input_bits - 1);
    const low = mean.minus(step.times(new Fraction(limit)));
    const high = mean.plus(step.times(new Fraction(limit - 1n)));
    const place = exponent(high.minus(low)) - 5;
    const unit = powerOfTen(place);
    const inward = [low.over(unit).ceil(), high.over(unit).floor()] as const;
    return [new Decimal(inward[0], place).normalized(), new Decimal(inward[1], place).normalized()];
  }

  protected span(feature: EncodedFeature, own: Fraction, distance: Fraction): Ends {
    const step = stepOf(feature, distance);
    const [first, last] = [own.minus(distance).over(step).floor() + 1n, own.plus(distance).over(step).ceil() - 1n];
    return [new Fraction(first).times(step), new Fraction(last).times(step)];
  }
}

/** Return what shown ends are multiples of: 1 for whole numbers, else the last digit of what is below a distance. */
function stepOf(feature: EncodedFeature, distance: Fraction): Fraction {
  if (feature.whole || distance.compare(ZERO) === 0) return new Fraction(1n);
  const place = exponent(distance);
  const last = place - DIGITS + 1;
  // Below a power of ten all numbers have a digit less.
  return powerOfTen(distance.compare(powerOfTen(place)) === 0 ? last - 1 : last);
}
