/**
 * The feature spec: what the columns of a model mean, as a public document bound inside the model commitment. Twin of
 * circuits/spec.py; spec_check.ts refuses specs without a single meaning.
 */

import { documentDigest } from "./canonical.js";
import { named, onGrid, type RawValue } from "./encodings/interface.js";
import { ENCODINGS } from "./encodings.js";
import { SpecError } from "./errors.js";
import * as table from "./fields.js";
import { document, filled, list, type Of } from "./kinds.js";
import { bitLength, exact, type Fraction, readNumber } from "./numbers.js";
import { sentence } from "./sentence.js";

export const FORMAT = "equiproof-spec";
export const VERSION = 2;
/** The binary logarithm of the largest radius. */
export const MARK_BITS = 4;

/** One feature of the raw data. */
const FEATURE = document(filled(table.FEATURE, { mean: "0", scale: "1", unit: "", domain: [], range: null }));

/** The whole spec. */
export const SPEC = document({
  ...filled(table.SPEC, { threshold: "0", weight_bits: [16, 16], allow_loss: false }),
  features: list(FEATURE),
});

export type Feature = Of<typeof FEATURE>;
export type SpecFields = Of<typeof SPEC>;
export type Category = table.Category;

/** The least and the largest integers of the n_x columns. */
type Box = readonly [readonly bigint[], readonly bigint[]];

/** A spec and what follows from it. Columns: non-sensitive features first (n_x), sensitive ones last (n_s). */
export class Spec {
  readonly fields: SpecFields;
  readonly plainFeatures: readonly Feature[];
  readonly sensitiveFeatures: readonly Feature[];
  /** Whether a missing value of some feature is the largest integer of its columns: it has no mark. */
  readonly hasAbsent: boolean;
  #table: ReadonlyArray<readonly bigint[]> | undefined;

  constructor(fields: SpecFields) {
    this.fields = fields;
    this.plainFeatures = fields.features.filter((feature) => !feature.sensitive);
    this.sensitiveFeatures = fields.features.filter((feature) => feature.sensitive);
    this.hasAbsent = fields.features.some((feature) => feature.missing !== undefined && !hasMark(feature));
  }

  /** Whether a value of some feature may be missing. */
  get hasMissing(): boolean {
    return this.fields.features.some((feature) => feature.missing !== undefined);
  }

  /** n_x, the number of non-sensitive columns: those of the features, and those of the padding. */
  get plainColumns(): number {
    return this.fields.pad_to ?? this.ownColumns;
  }

  /** The number of columns of the non-sensitive features. The padding, 0 for everybody, comes behind them. */
  get ownColumns(): number {
    return columns(this.plainFeatures);
  }

  /** n_s, the number of sensitive columns. */
  get sensitiveColumns(): number {
    return columns(this.sensitiveFeatures);
  }

  /** The digest of the whole document, a field element. */
  get digest(): bigint {
    return documentDigest("equiproof.spec.v2", this.fields);
  }

  /** 2^f_x, the integer of one unit of a column. */
  get scaleUnit(): bigint {
    return 1n << BigInt(this.fields.input_fraction_bits);
  }

  /** The largest R2 that is stated, eps = 16 in the spec's units. */
  get maxRadiusSquared(): bigint {
    return mark(this.fields) ** 2n;
  }

  /** The S assignments of the sensitive features as integers: the full product, first feature slowest. */
  get domainTable(): ReadonlyArray<readonly bigint[]> {
    this.#table ??= this.sensitiveFeatures.reduce<ReadonlyArray<readonly bigint[]>>((rows, feature) => {
      const values = feature.domain.map((value) => this.#columns(feature, value));
      return rows.flatMap((row) => values.map((value) => [...row, ...value]));
    }, [[]]);
    return this.#table;
  }

  /** The least and largest integers of the n_x columns of neighbors; undefined where neighbors are not restricted. */
  get box(): Box | undefined {
    if (!this.fields.use_ranges) return undefined;
    const own = this.plainFeatures.flatMap((feature) => this.#ends(feature));
    return [this.#padded(own.map(([low]) => low)), this.#padded(own.map(([, high]) => high))];
  }

  /** Return the least and the largest integer of each column of a feature; throws SpecError for an unfit mark. */
  #ends(feature: Feature): ReadonlyArray<readonly [bigint, bigint]> {
    const own = ENCODINGS[feature.encoding].ends(feature).map((end): readonly [bigint, bigint] =>
      end === null
        ? this.#limits(feature)
        : [this.#end(feature, end[0], 0), this.#end(feature, end[1], 1)],
    );
    if (!hasMark(feature)) return own;
    // Somebody whose value is missing has 0 there, and is a neighbor of others of whom it is missing too.
    if (own.some(([low, high]) => low > 0n || high < 0n)) {
      throw new SpecError(sentence("spec.mark_outside_range", { feature: named(feature) }));
    }
    return [...own, [0n, mark(this.fields)]];
  }

  /**
   * The non-sensitive categories with one column a value, of which sets of values can be asked, each with no set. One
   * whose columns do not fit the integers is left out: nobody's query has it.
   */
  get categories(): readonly Category[] {
    const found: Category[] = [];
    let first = 0;
    for (const feature of this.plainFeatures) {
      const values = ENCODINGS[feature.encoding].width(feature);
      if (feature.kind === "categorical" && values > 1) {
        try {
          const [high, low] = this.#columns(feature, feature.domain[0]).map(Number);
          found.push({ first, values, low: low ?? 0, high: high ?? 0, sets: 0 });
        } catch (error) {
          if (!(error instanceof SpecError)) throw error;
        }
      }
      first += columns([feature]);
    }
    return found;
  }

  /** Return the signed width of each layer's weights, the logits' last. */
  weightWidths(hidden: readonly number[]): readonly number[] {
    const [first, other] = this.fields.weight_bits;
    return [first, ...hidden.map(() => other)];
  }

  /** Return the signed width of each layer's biases: as wide as its largest sum of products. */
  biasWidths(hidden: readonly number[]): readonly number[] {
    let inputs = BigInt(this.plainColumns + this.sensitiveColumns);
    let largest = 1n << BigInt(this.fields.input_bits - 1);
    const outputs = [...hidden, this.fields.logits];
    return this.weightWidths(hidden).map((bits, layer) => {
      const products = (inputs * largest) << BigInt(bits - 1);
      [inputs, largest] = [BigInt(outputs[layer] ?? 0), 2n * products];
      return bitLength(products) + 1;
    });
  }

  /**
   * Turn the non-sensitive features of a query file into the n_x integers of the query. One that is not there is
   * missing. Throws SpecError where none of its values may be, and for a value that is not a number, not in the domain,
   * out of its range or too large: never clipped.
   */
  encode(row: ReadonlyMap<string, RawValue>): readonly bigint[] {
    const own = this.plainFeatures.flatMap((feature) => {
      const value = row.get(feature.name);
      if (value === undefined && feature.missing === undefined) {
        throw new SpecError(sentence("query.feature_missing", { feature: `'${feature.name}'` }));
      }
      return this.#columns(feature, value);
    });
    return this.#padded(own);
  }

  /**
   * Return the column integers of one raw value, which is missing where it is undefined; throws SpecError as
   * {@link encode}.
   */
  columnsOf(feature: Feature, value: RawValue | undefined): readonly bigint[] {
    if (value === undefined && feature.missing === undefined) {
      throw new SpecError(sentence("query.value_missing", { feature: `'${feature.name}'` }));
    }
    return this.#columns(feature, value);
  }

  /** Return the integers of the features' columns, and a zero for each column of the padding. */
  #padded(own: readonly bigint[]): readonly bigint[] {
    return [...own, ...Array<bigint>(this.plainColumns - own.length).fill(0n)];
  }

  /** Return the column integers of one raw value: of a missing one the largest of the width, or 0 and the mark. */
  #columns(feature: Feature, value: RawValue | undefined): readonly bigint[] {
    const marked = hasMark(feature);
    if (value === undefined) {
      const width = ENCODINGS[feature.encoding].width(feature);
      if (marked) return [...Array<bigint>(width).fill(0n), mark(this.fields)];
      return Array<bigint>(width).fill(absent(this.fields));
    }
    const numbers = ENCODINGS[feature.encoding].rawColumns(feature, value);
    const raw = feature.kind === "numeric" ? readNumber(value) : undefined;
    const own = numbers.map((number) => this.#fixedPoint(feature, number, raw));
    return marked ? [...own, 0n] : own;
  }

  /**
   * Return the least and the largest integer of a value that is stated. Where a missing one without a mark is the
   * integer beyond, circuits take it for one in every non-sensitive column, also where a value is never missing.
   */
  #limits(feature: Feature): readonly [bigint, bigint] {
    const limit = 1n << BigInt(this.fields.input_bits - 1);
    return [-limit, limit - (this.hasAbsent && !feature.sensitive ? 2n : 1n)];
  }

  /** Return the integer of an end of a feature's range, as a column number; throws SpecError as {@link #fixedPoint}. */
  #end(feature: Feature, number: Fraction, end: 0 | 1): bigint {
    return this.#fixedPoint(feature, number, feature.range ? exact(feature.range[end]) : undefined);
  }

  /**
   * Return the integer of a raw column number; throws SpecError where it exceeds the width. The error shows the value
   * that people gave, `raw` where this is a number: its column may be a logarithm.
   */
  #fixedPoint(feature: Feature, number: Fraction, raw: Fraction | undefined): bigint {
    const integer = onGrid(this.fields, feature, number);
    const [least, most] = this.#limits(feature);
    if (integer < least || integer > most) {
      const far = number.minus(exact(feature.mean)).over(exact(feature.scale));
      throw new SpecError(sentence("value.too_many_scales", {
        feature: `'${feature.name}'`,
        value: (raw ?? number).rounded(),
        scales: far.tenths(),
        bits: this.fields.input_bits,
      }));
    }
    return integer;
  }
}

/** Return whether a column of its own, the last of a feature, says that a value is missing. */
export function hasMark(feature: Feature): boolean {
  return feature.missing?.mark === true;
}

/** Return the integer of a missing value without a mark, in each column of its feature: the largest of the width. */
export function absent({ input_bits: bits }: SpecFields): bigint {
  return (1n << BigInt(bits - 1)) - 1n;
}

/** Return the integer of a mark: the largest radius. Everybody within a radius lacks the same values. */
export function mark({ input_fraction_bits: bits }: SpecFields): bigint {
  return 1n << BigInt(bits + MARK_BITS);
}

function columns(features: readonly Feature[]): number {
  const width = (feature: Feature): number => ENCODINGS[feature.encoding].width(feature) + Number(hasMark(feature));
  return features.reduce((sum, feature) => sum + width(feature), 0);
}
