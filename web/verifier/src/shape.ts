/** Shapes: the sizes and widths that select a constraint system. Twin of circuits/shape.py and circuits/schemes.py. */

import { canonicalText, documentDigest } from "./canonical.js";
import { document, integer, list, type Of, oneOf, text } from "./kinds.js";
import { bitLength } from "./numbers.js";
import type { Spec } from "./spec.js";

export const FORMAT = "equiproof-shape";
export const VERSION = 2;

/** What a model commitment binds besides the spec. */
export const ARCHITECTURE = document({
  plain: integer,
  sensitive: integer,
  hidden: list(integer),
  logits: integer,
  weight_bits: list(integer),
  bias_bits: list(integer),
});

/** The constants that determine a constraint system. */
export const SHAPE = document({
  format: text(),
  version: integer,
  scheme: oneOf("traversal", "branch", "branch-ranges"),
  architecture: ARCHITECTURE,
  slices: integer,
  input_bits: integer,
  input_fraction_bits: integer,
  radius_bits: integer,
  capacity: integer,
});

export type Shape = Of<typeof SHAPE>;

/** The most hidden neurons of a shape that has a circuit, by relation. */
export const MAX_NEURONS = { traversal: 240, branch: 4096, "branch-ranges": 4096 } as const;

/** Return the digest that enters the statement, a field element. */
export function shapeDigest(shape: Shape): bigint {
  return documentDigest("equiproof.shape.v2", shape);
}

/** Return whether the statement is about neighbors inside the spec's ranges only. */
export function provesRanges(shape: Shape): boolean {
  return shape.scheme === "branch-ranges";
}

/** Return whether a shape follows from a spec, in everything but the scheme, the hidden sizes and the capacity. */
export function fits(shape: Shape, spec: Spec): boolean {
  const { hidden } = shape.architecture;
  const wanted: Shape = {
    format: FORMAT,
    version: VERSION,
    scheme: shape.scheme,
    architecture: {
      plain: spec.plainColumns,
      sensitive: spec.sensitiveColumns,
      hidden,
      logits: spec.fields.logits,
      weight_bits: spec.weightWidths(hidden),
      bias_bits: spec.biasWidths(hidden),
    },
    slices: spec.domainTable.length,
    input_bits: spec.fields.input_bits,
    input_fraction_bits: spec.fields.input_fraction_bits,
    radius_bits: bitLength(spec.maxRadiusSquared),
    capacity: shape.capacity,
  };
  return provesRanges(shape) === spec.fields.use_ranges && canonicalText(shape) === canonicalText(wanted);
}

/** Return a readable name for people. */
export function nameOf(shape: Shape): string {
  const { plain, sensitive, hidden, logits } = shape.architecture;
  return `${shape.scheme}-${plain}+${sensitive}-${hidden.join("x")}-${logits}-s${shape.slices}-k${shape.capacity}`;
}
