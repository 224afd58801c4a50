/**
 * The gain certificate, read strictly, and its words. Trust nothing in it before it was verified. Twin of
 * verifier/gain.py.
 *
 * It states how much more a model leans to a label with one row of sensitive values than with another, at the least,
 * for one person and everybody nearby. It is a file of its own kind: what takes a certificate refuses it.
 */

import { inRange, partsOf, type ProofFile } from "./certificate.js";
import { type Mark, parseDocument, TOOLS } from "./documents.js";
import { CertificateFormatError } from "./errors.js";
import { ORDER } from "./field.js";
import * as table from "./fields.js";
import { document } from "./kinds.js";
import { quoted } from "./names.js";
import { floorDivide } from "./numbers.js";
import { boundOf, lengthsOf } from "./reading.js";
import { sentence } from "./sentence.js";
import type { Spec } from "./spec.js";
import type { Gain, Statement } from "./statement.js";

const GAIN: Mark = ["equiproof-gain", 2];

/** More rows than a spec's table has, and the most fraction bits of a logit. */
const [ROWS, MAX_UNIT] = [1 << 14, 4096];

const INTEGER = /^(?:0|-?[1-9][0-9]{0,79})$/;

const FIELDS = document({ ...table.GAIN, tools: TOOLS });

/** `first` and `second` are the sensitive values that are compared, by name; `gain` is in log odds, rounded down. */
export type GainReading = table.GainReading;

/** A statement about a gain. */
export type GainStatement = Statement & { readonly gain: Gain };

/** A gain certificate. */
export interface GainCertificate extends ProofFile<GainReading> {
  readonly fields: table.Gain;
  readonly statement: GainStatement;
}

/** Read a gain certificate; throws CertificateFormatError naming `where` and the field. */
export function parseGain(data: Uint8Array, where = "gain certificate"): GainCertificate {
  const fields = parseDocument(data, FIELDS, GAIN, where);
  if (!INTEGER.test(fields.statement.least_gain)) {
    const message = `${where}: ${sentence("gain.least_gain_malformed")}`;
    throw new CertificateFormatError(message, "wrong-fields");
  }
  if (!gainInRange(fields.statement)) {
    throw new CertificateFormatError(sentence("gain.statement_out_of_bounds", { where }), "out-of-range");
  }
  const { statement, proof } = partsOf(fields, where);
  const { least_gain: least, logit_fraction_bits: fractionBits } = fields.statement;
  return { fields, statement: { ...statement, gain: { least: BigInt(least), fractionBits } }, proof };
}

/**
 * Return whether the numbers are those that a statement of some spec can have. A gain of half the field's order or more
 * is refused: the digest would not tell it from one below 0.
 */
function gainInRange(fields: table.GainFields): boolean {
  const { first, second, logit_fraction_bits: unit } = fields;
  const rows = [first, second].every((row) => row >= 0 && row < ROWS);
  const least = BigInt(fields.least_gain);
  return inRange(fields) && rows && unit >= 0 && unit <= MAX_UNIT && 2n * (least < 0n ? -least : least) < ORDER;
}

/** Two rows of a spec's table, the one that gains first. */
export type Rows = Readonly<Record<"first" | "second", number>>;

/** Return the reading of a statement about two rows; they and the label are those of the spec. */
export function gainReadingOf(spec: Spec, statement: GainStatement, { first, second }: Rows): GainReading {
  return {
    label: spec.fields.labels[statement.label] ?? "",
    first: valuesOf(spec, first),
    second: valuesOf(spec, second),
    gain: gainText(statement.gain),
    ...lengthsOf(spec, statement.radiusSquared),
  };
}

/** Return one sentence that promises no more than the statement; the sign is that of the exact least gain. */
export function gainSentenceOf(reading: GainReading, { least }: Gain): string {
  const near = Number(reading.radius_any) !== 0;
  const whom = near ? sentence("gain.near", { bound: boundOf(reading) }) : sentence("gain.alone");
  const gained = Number(reading.gain) ? sentence("gain.higher_by", { gain: reading.gain }) : sentence("gain.higher");
  const loss = reading.gain.replace("-", "");
  const lower = least < 0n ? sentence("gain.lower_by", { loss }) : sentence("gain.not_lower");
  return sentence("gain.read", {
    whom: `${whom} `,
    label: quoted(reading.label),
    change: least > 0n ? gained : lower,
    first: valuesInWords(reading.first),
    second: valuesInWords(reading.second),
  });
}

/** Return a gain in log odds with six decimals, rounded down, towards minus infinity. */
export function gainText({ least, fractionBits }: Gain): string {
  const millionths = floorDivide(least * 1_000_000n, 1n << BigInt(fractionBits));
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, "0");
  return `${millionths < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Return the sensitive values of a row of the spec's table, by name. */
function valuesOf(spec: Spec, row: number): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let rest = row;
  // The last feature changes from row to row.
  for (const { name, domain } of [...spec.sensitiveFeatures].reverse()) {
    values.set(name, domain[rest % domain.length] ?? "");
    rest = Math.floor(rest / domain.length);
  }
  return new Map([...values].reverse());
}

/** Write sensitive values as they stand in a sentence. */
export function valuesInWords(values: ReadonlyMap<string, string>): string {
  return [...values].map(([name, value]) => `${quoted(name)} ${quoted(value)}`).join(` ${sentence("word.and")} `);
}
