/**
 * Rules of change: what somebody can change of a feature, as the spec's owner states it for everybody. Twin of
 * circuits/changes.py, which says of each contradiction what it is: its owner drafts a spec there.
 */

import { named } from "./encodings/interface.js";
import { SpecError } from "./errors.js";
import type { Changes, Together } from "./fields.js";
import { exact, type Fraction } from "./numbers.js";
import { sentence } from "./sentence.js";
import type { Feature, Spec } from "./spec.js";

/** The most values in all tables of features that change together. */
const MAX_CELLS = 1 << 14;

const NUMBERS = ["step", "by", "cost", "from", "to"] as const;
const FIELDS = [...NUMBERS, "order", "values"] as const;

export type Direction = "up" | "down";

/** Reads decimal text; throws SpecError that names the second argument for any other. */
type Decimal = (text: string, what: string) => Fraction;

/** Return whether values may move up, or down. */
export function goes({ direction }: Changes, way: Direction): boolean {
  return direction === way || direction === "any";
}

/** Return the name of the field with the last value up, or down. */
export function endOf({ direction }: Changes, way: Direction): "from" | "to" {
  return direction === "any" && way === "down" ? "from" : "to";
}

/** Return whether values are of a domain, each once. */
export function isOf(values: readonly string[], domain: readonly string[]): boolean {
  return new Set(values).size === values.length && values.every((value) => domain.includes(value));
}

/** Refuse rules of change that contradict the features or each other, or whose values the features do not have. */
export function checkChanges(spec: Spec, decimal: Decimal): void {
  const { features, together } = spec.fields;
  for (const feature of features) {
    const { changes } = feature;
    if (changes === undefined) continue;
    if (!suits(feature, changes, decimal)) refuse(sentence("spec.changes_unfit", { feature: named(feature) }));
    for (const end of [changes.from, changes.to]) if (end !== undefined) spec.columnsOf(feature, end);
  }
  if (together === undefined) return;
  const known = new Map(features.filter(({ changes }) => changes).map((one) => [one.name, one]));
  const moved = together.flatMap((table) => table.features);
  const cells = together.flatMap(({ rows }) => rows.flat());
  const right = together.length && isOf(moved, [...known.keys()]) && cells.length <= MAX_CELLS
    && together.every((table) => isTable(spec, table, known, decimal));
  if (!right) refuse(sentence("spec.together_unfit"));
}

function refuse(message: string): never {
  throw new SpecError(message);
}

/** Return whether rules contradict neither their feature nor each other. */
function suits(feature: Feature, changes: Changes, decimal: Decimal): boolean {
  const { direction, order, values } = changes;
  const { domain, kind, range, sensitive } = feature;
  const numeric = kind === "numeric";
  const any = direction === "any";
  const own = numeric ? NUMBERS.filter((one) => any || one !== "from") : [any ? "values" : "order", "cost"];
  if (sensitive || FIELDS.some((one) => changes[one] !== undefined && !own.includes(one))) return false;
  for (const [at, field] of NUMBERS.entries()) {
    const text = changes[field];
    if (text === undefined) continue;
    const amount = decimal(text, `${named(feature)}: changes: ${field}`);
    if (at < 3 && amount.numerator <= 0n) return false;
    if (field !== "cost" && !isStep(feature, text)) return false;
  }
  if (!numeric) {
    return any ? !values || values.length > 0 && isOf(values, domain)
      : order?.length === domain.length && isOf(order, domain);
  }
  const { from, to } = changes;
  return (["up", "down"] as const).every((way) => !goes(changes, way) || range || changes[endOf(changes, way)])
    && !(from && to && exact(from).compare(exact(to)) >= 0);
}

/** Return whether a number of a feature's rules is whole, where the feature is, and a multiple of its step. */
function isStep({ changes, whole }: Feature, amount: string): boolean {
  const number = exact(amount);
  if (whole && number.denominator !== 1n) return false;
  return !changes?.step || number.over(exact(changes.step)).denominator === 1n;
}

/** Return whether rows have a value of each feature, and none stands there twice; throws SpecError for other values. */
function isTable(
  spec: Spec, { features, rows }: Together, known: ReadonlyMap<string, Feature>, decimal: Decimal,
): boolean {
  const distinct = new Set(rows.map((row) => JSON.stringify(row))).size === rows.length;
  return features.length > 1 && rows.length > 0 && distinct && rows.every((row) =>
    row.length === features.length && features.every((name, at) => {
      const [feature, value = ""] = [known.get(name), row[at]];
      if (!feature) return false;
      const numeric = feature.kind === "numeric";
      if (numeric) decimal(value, `${named(feature)}: together`);
      spec.columnsOf(feature, value);
      return !numeric || isStep(feature, value);
    }));
}
