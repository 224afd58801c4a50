/** What a spec must be to have exactly one meaning. Twin of `checked` in circuits/spec.py. */

import { checkChanges } from "./changes.js";
import { ENCODINGS } from "./encodings.js";
import { named } from "./encodings/interface.js";
import { SpecError } from "./errors.js";
import { checkLevels } from "./levels.js";
import { complaint, escaped, jointComplaint, unitComplaint } from "./names.js";
import { exact, type Fraction, ZERO } from "./numbers.js";
import { sentence } from "./sentence.js";
import { absent, type Feature, FORMAT, hasMark, mark, MARK_BITS, Spec, type SpecFields, VERSION } from "./spec.js";
import { labelsIn, LANGUAGES, nameIn, unitIn } from "./spoken_spec.js";

const MAX_SLICES = 4096;
const MAX_FEATURES = 4096;
/** The largest number of integers in a domain table, S n_s. */
const MAX_TABLE = 1 << 14;
/** The finest inputs: the largest radius of these, 2^52, is the largest that JSON readers keep exactly. */
const MAX_FRACTION_BITS = 22;
const MAX_INPUT_BITS = 40;
const [MIN_WEIGHT_BITS, MAX_WEIGHT_BITS] = [8, 32];
const DECIMAL = /^-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,40})?$/;

/** Return the spec of these fields; throws SpecError unless it has exactly one meaning. */
export function checked(fields: SpecFields): Spec {
  if (fields.format !== FORMAT || fields.version !== VERSION) {
    const message = sentence("spec.version_unknown", {
      format: `'${fields.format.slice(0, 40)}'`, version: fields.version,
      known_format: `'${FORMAT}'`, known_version: VERSION,
    });
    throw new SpecError(message);
  }
  checkSizes(fields);
  printable("name", fields.name);
  distinct(sentence("spec.feature_alone"), fields.features.map((feature) => feature.name));
  fields.features.forEach((feature) => checkFeature(feature, fields));
  checkLabels(fields);
  checkNames(fields);
  const spec = new Spec(fields);
  if (spec.ownColumns < 1) throw new SpecError(sentence("spec.query_empty"));
  checkPadding(spec);
  for (const name of ["levels", "gain_levels"] as const) fields[name]?.forEach((text) => decimal(text, name));
  checkLevels(fields);
  void spec.box; // throws where ends of ranges are too large for the width
  checkChanges(spec, decimal);
  checkSlices(spec);
  return spec;
}

/** Return whether a text is an exact decimal such as "-12.5". */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** Read exact decimal text such as "-12.5"; throws SpecError naming `what`. */
export function decimal(text: string, what: string): Fraction {
  if (!isDecimal(text)) {
    throw new SpecError(sentence("spec.not_decimal", { field: what, value: `'${text.slice(0, 80)}'` }));
  }
  return exact(text);
}

function checkSizes(fields: SpecFields): void {
  const { input_fraction_bits: fraction, input_bits: bits } = fields;
  if (fraction < 1 || fraction > MAX_FRACTION_BITS) {
    throw new SpecError(sentence("spec.input_fraction_bits_out_of_bounds", { most: MAX_FRACTION_BITS }));
  }
  if (bits <= fraction || bits > MAX_INPUT_BITS) {
    throw new SpecError(sentence("spec.input_bits_out_of_bounds", { most: MAX_INPUT_BITS }));
  }
  if (fields.weight_bits.some((width) => width < MIN_WEIGHT_BITS || width > MAX_WEIGHT_BITS)) {
    throw new SpecError(sentence("spec.weight_bits_out_of_bounds", { least: MIN_WEIGHT_BITS, most: MAX_WEIGHT_BITS }));
  }
  if (fields.features.length > MAX_FEATURES) {
    throw new SpecError(sentence("spec.too_many_features", { count: fields.features.length, most: MAX_FEATURES }));
  }
}

/** Refuse a feature whose fields do not define its columns. */
function checkFeature(feature: Feature, fields: SpecFields): void {
  const name = named(feature);
  checkUnit(feature.unit, name, "unit");
  for (const language of LANGUAGES) {
    const [unit, field] = [unitIn(feature, language), `${language}.unit`];
    checkUnit(unit, name, field);
    if (unit !== feature.unit && !(unit && feature.unit)) {
      throw new SpecError(sentence("spec.spoken_unit", { feature: name, field }));
    }
  }
  decimal(feature.mean, `${name}: mean`);
  const scale = decimal(feature.scale, `${name}: scale`);
  if (scale.compare(ZERO) <= 0) throw new SpecError(sentence("spec.scale_not_positive", { feature: name }));
  if (feature.kind !== ENCODINGS[feature.encoding].kind) {
    const [encoding, kind] = [`'${feature.encoding}'`, `'${feature.kind}'`];
    throw new SpecError(sentence("spec.encoding_unfit", { feature: name, encoding, kind }));
  }
  checkValues(feature, name);
  if (feature.offset !== undefined) decimal(feature.offset, `${name}: offset`);
  ENCODINGS[feature.encoding].check(fields, feature);
  checkMissing(feature, name);
  if (hasMark(feature) && mark(fields) > absent(fields)) {
    const bits = fields.input_fraction_bits + MARK_BITS + 2;
    throw new SpecError(sentence("spec.mark_too_wide", { feature: name, bits }));
  }
}

/** Refuse a unit that could mislead. */
function checkUnit(unit: string, name: string, field: string): void {
  if (!unit) return;
  printable(`${name}: ${field}`, unit);
  const wrong = unitComplaint(unit);
  if (wrong) throw new SpecError(`${name}: ${field} '${unit.slice(0, 40)}' ${wrong.message}`);
}

/** Refuse a feature that may not be missing, or not be called so. */
function checkMissing({ domain, missing, sensitive }: Feature, name: string): void {
  if (missing === undefined) return;
  if (sensitive) throw new SpecError(sentence("spec.missing_misplaced", { feature: name }));
  if (missing.mark === false) throw new SpecError(sentence("spec.mark_is_true", { feature: name }));
  for (const text of [missing.en, missing.de]) {
    if (text === undefined) continue;
    printable(`${name}: missing`, text);
    // What could be read as a value says the opposite.
    if (domain.includes(text) || /[0-9]/.test(text)) {
      throw new SpecError(sentence("spec.missing_like_value", { feature: name, text: `'${text}'` }));
    }
  }
}

/** Refuse a domain, a range, whole numbers or a direction that do not go with their feature. */
function checkValues(feature: Feature, name: string): void {
  const numeric = feature.kind === "numeric";
  if ((!numeric || feature.sensitive) && !feature.domain.length) {
    throw new SpecError(sentence("spec.domain_missing", { feature: name }));
  }
  if (numeric && feature.domain.length && !feature.sensitive) {
    throw new SpecError(sentence("spec.domain_misplaced", { feature: name }));
  }
  if (numeric) feature.domain.forEach((value) => decimal(value, `${name}: domain`));
  distinct(`${name}: domain`, feature.domain, true);
  if (feature.whole !== undefined && (!numeric || feature.sensitive || !feature.whole)) {
    throw new SpecError(sentence("spec.whole_misplaced", { feature: name }));
  }
  if (feature.monotone !== undefined && (!numeric || feature.sensitive)) {
    throw new SpecError(sentence("spec.monotone_misplaced", { feature: name }));
  }
  if (feature.range === null) return;
  const [low, high] = [decimal(feature.range[0], `${name}: range`), decimal(feature.range[1], `${name}: range`)];
  if (!numeric || feature.sensitive || low.compare(high) > 0) {
    throw new SpecError(sentence("spec.range_malformed", { feature: name }));
  }
}

/** Refuse label names that do not fit the number of logits. */
function checkLabels(fields: SpecFields): void {
  distinct(sentence("spec.label_alone"), fields.labels);
  if (fields.logits < 1 || fields.labels.length !== Math.max(fields.logits, 2)) {
    throw new SpecError(sentence("spec.labels_not_of_logits", { labels: fields.labels.length, logits: fields.logits }));
  }
  for (const language of LANGUAGES) {
    if (labelsIn(fields, language).length !== fields.labels.length) {
      const [field, count] = [`${language}.labels`, fields.labels.length];
      throw new SpecError(sentence("spec.spoken_labels", { field, count }));
    }
  }
  if (decimal(fields.threshold, "threshold").compare(ZERO) !== 0 && fields.logits !== 1) {
    throw new SpecError(sentence("spec.threshold_without_single_logit"));
  }
}

/** Refuse a padding that adds no column, or too many. */
function checkPadding({ fields: { pad_to: padded }, ownColumns: own }: Spec): void {
  if (padded !== undefined && (padded <= own || padded > MAX_FEATURES)) {
    throw new SpecError(sentence("spec.pad_to_out_of_bounds", { columns: own, most: MAX_FEATURES }));
  }
}

/** Refuse names that look like others of the spec. */
function checkNames(fields: SpecFields): void {
  // Translations are told apart from all other names and labels, their own language's and the spec's: no label may be
  // called in one language what another one is called in the other.
  const names = fields.features.flatMap((one) =>
    [...new Set([one.name, ...LANGUAGES.map((language) => nameIn(one, language))])]);
  const labels = fields.labels.flatMap((label, place) =>
    [...new Set([label, ...LANGUAGES.map((language) => labelsIn(fields, language)[place] ?? "")])]);
  const units = fields.features.flatMap((one) => [one.unit, ...LANGUAGES.map((language) => unitIn(one, language))]);
  distinct(sentence("spec.feature_alone"), names);
  distinct(sentence("spec.label_alone"), labels);
  const wrong = jointComplaint(
    new Map<string, readonly string[]>([
      [sentence("spec.feature_names"), names],
      [sentence("spec.label_names"), labels],
      [sentence("spec.units"), units.filter(Boolean)],
      [sentence("spec.own_name"), [fields.name]],
      ...fields.features.map((feature) => {
        const words = [feature.missing?.en, feature.missing?.de].filter((word) => word !== undefined);
        return [`${named(feature)}: domain`, [...feature.domain, ...new Set(words)]] as const;
      }),
    ]),
  );
  if (wrong) throw new SpecError(wrong.message);
}

/** Refuse sensitive features with a single value, and tables that are too large or ambiguous. */
function checkSlices(spec: Spec): void {
  if (!spec.sensitiveFeatures.length) throw new SpecError(sentence("spec.no_sensitive_feature"));
  let slices = 1;
  for (const feature of spec.sensitiveFeatures) {
    if (feature.domain.length < 2) {
      throw new SpecError(sentence("spec.sensitive_single_value", { feature: `'${feature.name}'` }));
    }
    slices *= feature.domain.length;
    if (slices > MAX_SLICES) throw new SpecError(sentence("spec.too_many_joint_values", { most: MAX_SLICES }));
  }
  if (slices * spec.sensitiveColumns > MAX_TABLE) {
    throw new SpecError(sentence("spec.table_too_large", { most: MAX_TABLE }));
  }
  if (new Set(spec.domainTable.map((row) => row.join())).size !== slices) {
    throw new SpecError(sentence("spec.values_coincide"));
  }
}

/** Refuse an empty list (unless allowed), repeated names, and names that could mislead. */
function distinct(what: string, texts: readonly string[], empty = false): void {
  if (!texts.length && !empty) throw new SpecError(sentence("spec.nothing_named", { what }));
  texts.forEach((text) => printable(sentence("spec.name_in", { what }), text));
  if (new Set(texts).size !== texts.length) throw new SpecError(sentence("spec.names_not_distinct", { what }));
}

/** Refuse text that could mislead a reader. */
function printable(what: string, text: string): void {
  const wrong = complaint(text);
  if (wrong) throw new SpecError(`${what} '${escaped(text)}' ${wrong.message}`);
}
