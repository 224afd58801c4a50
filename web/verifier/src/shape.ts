/** Shapes: the sizes and widths that select a constraint system. Twin of circuits/shape.py and circuits/schemes.py. */

import { canonicalText, documentDigest } from "./canonical.js";
import * as table from "./fields.js";
import { document } from "./kinds.js";
import { bitLength } from "./numbers.js";
import { sentence } from "./sentence.js";
import type { Spec } from "./spec.js";

export const FORMAT = "equiproof-shape";
export const VERSION = 2;

/** The constants that determine a constraint system. */
export const SHAPE = document(table.SHAPE);

export type Shape = table.Shape;

/** The constants of the circuit of links: those of the model alone, whatever certificates state about it. */
export const LINK_SHAPE = document(table.LINK_SHAPE);

export type LinkShape = table.LinkShape;

/** What a model commitment binds besides the spec. */
export type Architecture = table.Architecture;

const MAX_LAYERS = 64;

/** The most predicates, P_x and P_s together, of an additive shape that has a circuit. */
const MAX_PREDICATES = 4096;

/** The most trees of an ensemble that has a circuit, and the most nodes of all of them. */
const MAX_TREES = 4096;
const MAX_NODES = 65536;
const MAX_SETS = 4096;

/** The signed widths of an additive model's jumps and of its bias. */
const JUMP_BITS = 16;
const SCORE_BIAS_BITS = 24;

/** A rule that a shape keeps or not: the field of the shape, and the refusal. */
type Rule = readonly [field: string, kept: boolean, message: string];

/** Return the digest that enters the statement, a field element. */
export function shapeDigest(shape: Shape | LinkShape): bigint {
  return documentDigest("equiproof.shape.v2", shape);
}

/** Return whether the statement is about neighbors inside the spec's ranges only. */
export function provesRanges({ scheme }: Shape): boolean {
  return scheme === "branch-ranges" || scheme === "additive-ranges" || scheme === "trees-ranges";
}

/** Return whether the model is additive or an ensemble over one, so that the scheme is `trees`. */
export function isAdditive(shape: Shape): boolean {
  return shape.scheme === "additive" || shape.scheme === "additive-ranges" || isRoomless(shape) || hasNodes(shape);
}

/** Return whether the statement is about everybody in a box, and not about a ball. */
function provesBoxes(shape: Shape): boolean {
  return isRoomless(shape) || shape.scheme === "trees-box" || shape.scheme === "branch-box";
}

/** Return whether a box of an additive model is proven, which needs no room but that of all predicates. */
function isRoomless({ scheme }: Shape): boolean {
  return scheme === "additive-box";
}

/** Return whether the model is an ensemble of trees with nodes. */
function hasNodes({ scheme }: Shape): boolean {
  return scheme === "trees" || scheme === "trees-ranges" || scheme === "trees-box";
}

/** Return the first rule that a shape breaks, for a model without a circuit; undefined if it has one. */
export function brokenRule(shape: Shape): Rule | undefined {
  return (isAdditive(shape) ? additiveRules(shape) : networkRules(shape)).find(([, kept]) => !kept);
}

/**
 * Return the shape of the least certificates of models with a link's shape: it has the same rules for what is in that
 * of the link.
 */
export function leastOf({ format, version, architecture, input_bits }: LinkShape): Shape {
  const [additive, trees] = [architecture.predicates !== undefined, architecture.nodes !== undefined];
  return {
    format,
    version,
    scheme: trees ? "trees" : additive ? "additive" : "branch",
    architecture,
    slices: 1,
    input_bits,
    input_fraction_bits: 0,
    radius_bits: 1,
    capacity: 2,
    slots: additive ? 1 : undefined,
    rows: trees ? 1 : undefined,
    one_hot: undefined,
    model: undefined,
    passed: undefined,
  };
}

/** Return the rule that a link's shape breaks, for words that no model has; undefined for one that breaks none. */
export function brokenWords({ architecture, node_words: words }: LinkShape): Rule | undefined {
  if (words === undefined) return undefined;
  if (!words) return ["node_words", false, sentence("shape.missing_is_true")];
  if (architecture.nodes === undefined) return ["node_words", false, sentence("shape.of_kept_ensembles")];
  return undefined;
}

/** Return the rules of a network's shape, in the order in which they are checked. */
function networkRules(shape: Shape): Rule[] {
  const { architecture, scheme, slices, slots, rows, one_hot: choices, passed } = shape;
  const { hidden, bias_bits: widths, predicates, nodes } = architecture;
  const none = sentence("shape.not_of_networks");
  // A gain compares two copies of a network.
  const gains = scheme === "gain";
  const most = scheme === "traversal" ? 240 : gains ? 2048 : 4096;
  const layers = hidden.length;
  const sized = hidden.every((size) => size >= 1) && hidden.reduce((sum, size) => sum + size, 0) <= most;
  return [
    ["architecture.predicates", predicates === undefined, none],
    ["slots", slots === undefined, none],
    ["architecture.nodes", nodes === undefined, none],
    ["rows", rows === undefined, none],
    ["passed", passed === undefined, none],
    ["one_hot", choices === undefined || provesBoxes(shape), none],
    ["architecture.missing", architecture.missing === undefined, none],
    ["architecture.categories", architecture.categories === undefined, none],
    ["architecture.hidden", layers >= 1 && layers <= MAX_LAYERS, sentence("shape.layers_out_of_bounds", {
      layers, most: MAX_LAYERS,
    })],
    ["architecture.hidden", sized, sentence("shape.sizes_out_of_bounds", { most })],
    ["slices", !gains || slices === 2, sentence("shape.want_two_rows")],
    ["architecture.bias_bits", widths.length === layers + 1, `${widths.length} widths, want ${layers + 1}`],
  ];
}

/** Return the rules of an additive model's shape, in the order in which they are checked. */
function additiveRules(shape: Shape): Rule[] {
  const { architecture, scheme, slots, rows, one_hot: choices, capacity, passed, model } = shape;
  const { hidden, logits, weight_bits: weights, bias_bits: biases, predicates, nodes } = architecture;
  const missing = sentence("shape.field_missing", { scheme });
  const foreign = sentence("shape.field_of_other_scheme", { scheme });
  if (predicates === undefined) return [["architecture.predicates", false, missing]];
  const [roomless, trees] = [isRoomless(shape), hasNodes(shape)];
  if ((slots === undefined) !== roomless) return [["slots", false, roomless ? foreign : missing]];
  if (choices !== undefined && !provesBoxes(shape)) return [["one_hot", false, foreign]];
  const asked = trees ? missing : foreign;
  if ((nodes !== undefined) !== trees) return [["architecture.nodes", false, asked]];
  if ((rows !== undefined) !== trees) return [["rows", false, asked]];
  if (passed !== undefined && !(trees && model !== undefined)) {
    return [["passed", false, sentence("shape.of_kept_ensembles")]];
  }
  const [plain, sensitive] = predicates;
  const counted = plain >= 1 && sensitive >= 0 && plain + sensitive <= MAX_PREDICATES;
  const counts = sentence("shape.predicates_out_of_bounds", { most: MAX_PREDICATES });
  return [
    ["architecture.missing", architecture.missing !== false, sentence("shape.missing_is_true")],
    ["architecture.categories", trees || architecture.categories === undefined, asked],
    ["architecture.categories", boundsSets(architecture), sentence("shape.sets_out_of_bounds", { most: MAX_SETS })],
    ["architecture.hidden", hidden.length === 0, sentence("shape.no_layers")],
    ["architecture.logits", logits === 1, sentence("shape.one_score")],
    ["architecture.weight_bits", only(weights, JUMP_BITS), sentence("shape.want_jump_width", { bits: JUMP_BITS })],
    ["architecture.bias_bits", only(biases, SCORE_BIAS_BITS), sentence("shape.want_score_width", {
      bits: SCORE_BIAS_BITS,
    })],
    ["architecture.predicates", counted, counts],
    ["slots", slots === undefined || (slots >= 1 && slots <= plain), sentence("shape.one_to_plain_predicates", {
      most: plain,
    })],
    ["capacity", isPowerOfTwo(capacity), sentence("shape.want_power_of_two")],
    ...(nodes === undefined || rows === undefined ? [] : nodeRules(nodes, rows, passed)),
  ];
}

/** Return whether each category has a set, and all together have no more than circuits have. */
function boundsSets({ categories = [] }: Architecture): boolean {
  const counts = categories.map(({ sets }) => sets);
  return counts.every((count) => count >= 1) && counts.reduce((sum, count) => sum + count, 0) <= MAX_SETS;
}

/** Return the rules of an ensemble's trees. */
function nodeRules([trees, nodes]: readonly [number, number], rows: number, passed: number | undefined): Rule[] {
  const counted = trees >= 1 && trees <= Math.min(nodes, MAX_TREES) && nodes <= MAX_NODES;
  const counts = sentence("shape.trees_out_of_bounds", { trees: MAX_TREES, nodes: MAX_NODES });
  const among = sentence("shape.one_to_nodes", { most: nodes });
  return [
    ["architecture.nodes", counted, counts],
    ["rows", rows >= 1 && rows <= nodes, among],
    ["passed", passed === undefined || (passed >= 1 && passed <= nodes), among],
  ];
}

/** Return whether a list holds this number and no other. */
function only(numbers: readonly number[], wanted: number): boolean {
  return numbers.length === 1 && numbers[0] === wanted;
}

function isPowerOfTwo(number: number): boolean {
  const wide = BigInt(number);
  return wide >= 1n && (wide & (wide - 1n)) === 0n;
}

/**
 * Return whether a shape follows from a spec, in everything but the scheme, the model's sizes and the room. One that
 * proves gains or boxes never does.
 */
export function fits(shape: Shape, spec: Spec): boolean {
  const fitting = isAdditive(shape) ? spec.fields.logits === 1 : !spec.hasAbsent;
  const reaches = provesRanges(shape) === spec.fields.use_ranges && fitting;
  return shape.scheme !== "gain" && !provesBoxes(shape) && reaches && followsFrom(shape, spec, spec.domainTable.length);
}

/** Return whether a shape proves gains of networks under a spec, about two rows of its table and the whole ball. */
export function fitsGain(shape: Shape, spec: Spec): boolean {
  return shape.scheme === "gain" && !spec.hasAbsent && followsFrom(shape, spec, 2);
}

/** Return whether a shape proves boxes of models under a spec, whatever its ranges are. */
export function fitsBox(shape: Shape, spec: Spec): boolean {
  const fitting = isAdditive(shape) ? spec.fields.logits === 1 : !spec.hasAbsent;
  return provesBoxes(shape) && fitting && followsFrom(shape, spec, spec.domainTable.length);
}

/**
 * Return whether a least gain is an integer of the width that it has under a shape (R-RANGE): any difference of two
 * margins fits. An integer beyond the field's order has the digest of another one.
 */
export function holdsGain({ architecture, input_bits: bits }: Shape, least: bigint): boolean {
  const { plain, sensitive, hidden, logits, weight_bits: weights, bias_bits: biases } = architecture;
  let [inputs, largest] = [BigInt(plain + sensitive), 1n << BigInt(bits - 1)];
  [...hidden, logits].forEach((outputs, layer) => {
    const [weight, bias] = [weights[layer] ?? 0, biases[layer] ?? 0];
    largest = inputs * (largest << BigInt(weight - 1)) + (1n << BigInt(bias - 1));
    inputs = BigInt(outputs);
  });
  const half = 1n << BigInt(bitLength(largest) + 2);
  return -half <= least && least < half;
}

/** Return whether a shape with so many slices follows from a spec. */
function followsFrom(shape: Shape, spec: Spec, slices: number): boolean {
  const wanted: Shape = {
    format: FORMAT,
    version: VERSION,
    scheme: shape.scheme,
    architecture: architectureOf(shape, spec),
    slices,
    input_bits: spec.fields.input_bits,
    input_fraction_bits: spec.fields.input_fraction_bits,
    radius_bits: bitLength(spec.maxRadiusSquared),
    capacity: isRoomless(shape) ? 1 : shape.capacity,
    slots: isAdditive(shape) && !isRoomless(shape) ? shape.slots : undefined,
    rows: hasNodes(shape) ? shape.rows : undefined,
    one_hot: provesBoxes(shape) ? choicesOf(shape, spec) : undefined,
    model: provesBoxes(shape) ? undefined : shape.model,
    passed: provesBoxes(shape) ? undefined : shape.passed,
  };
  return canonicalText(shape) === canonicalText(wanted);
}

/** Return the architecture that follows from a spec, with the model's own sizes. */
function architectureOf(shape: Shape, spec: Spec): Architecture {
  const { hidden, predicates, nodes } = shape.architecture;
  const additive = isAdditive(shape);
  return {
    plain: spec.plainColumns,
    sensitive: spec.sensitiveColumns,
    hidden: additive ? [] : hidden,
    logits: spec.fields.logits,
    weight_bits: additive ? [JUMP_BITS] : spec.weightWidths(hidden),
    bias_bits: additive ? [SCORE_BIAS_BITS] : spec.biasWidths(hidden),
    predicates: additive ? predicates : undefined,
    nodes: hasNodes(shape) ? nodes : undefined,
    missing: additive && spec.hasAbsent ? true : undefined,
    categories: hasNodes(shape) ? categoriesOf(shape, spec) : undefined,
  };
}

/** Return the categories of a spec of which a shape has sets, with as many as it has; undefined for none. */
function categoriesOf({ architecture }: Shape, spec: Spec): Architecture["categories"] {
  const sets = new Map((architecture.categories ?? []).map((one) => [one.first, one.sets]));
  const counted = spec.categories.map((one) => ({ ...one, sets: sets.get(one.first) ?? 0 }));
  const found = counted.filter((one) => one.sets > 0);
  return found.length > 0 ? found : undefined;
}

/** Return the categories of a spec whose values a box can leave open, all without sets; undefined for none. */
function choicesOf({ architecture }: Shape, { categories }: Spec): Shape["one_hot"] {
  const asked = new Set((architecture.categories ?? []).map(({ first }) => first));
  const found = categories
    .filter(({ first }) => !asked.has(first))
    .map(({ first, values, low, high }) => ({ first, values, low, high }));
  return found.length > 0 ? found : undefined;
}

/** Return a readable name for people. */
export function nameOf(shape: Shape): string {
  const { plain, sensitive, hidden, logits, predicates, nodes, missing, categories = [] } = shape.architecture;
  const sets = categories.reduce((sum, one) => sum + one.sets, 0);
  const lacks = `${missing === undefined ? "" : "-m"}${sets > 0 ? `-c${sets}` : ""}`;
  const trees = nodes === undefined ? "" : `-n${nodes.join("x")}`;
  const rows = shape.rows === undefined ? "" : `-a${shape.rows}`;
  const room = shape.slots === undefined ? "" : `-v${shape.slots}${rows}`;
  const sizes =
    predicates === undefined
      ? `${hidden.join("x")}-${logits}`
      : `p${predicates.join("+")}${trees}${lacks}${room}`;
  const passed = shape.passed === undefined ? "" : `-d${shape.passed}`;
  const form = shape.model === undefined ? "" : `-${shape.model}${passed}`;
  return `${shape.scheme}${form}-${plain}+${sensitive}-${sizes}-s${shape.slices}-k${shape.capacity}`;
}
