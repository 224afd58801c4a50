// What follows from a spec about a gain. Integers travel as decimal text.
import { utf8 } from "../../web/verifier/src/bytes.js";
import { canonicalText, parse } from "../../web/verifier/src/canonical.js";
import { rowsDigest } from "../../web/verifier/src/commitment.js";
import { toHex } from "../../web/verifier/src/field.js";
import { gainReadingOf, gainSentenceOf, type GainStatement } from "../../web/verifier/src/gain_certificate.js";
import { fitsGain, holdsGain, SHAPE } from "../../web/verifier/src/shape.js";
import { SPEC } from "../../web/verifier/src/spec.js";
import { checked } from "../../web/verifier/src/spec_check.js";
import { statementDigest } from "../../web/verifier/src/statement.js";

/** A statement about a gain, its rows, and the shape of a key (its JSON text). */
interface Asked {
  readonly label: number;
  readonly radius: string;
  readonly first: number;
  readonly second: number;
  readonly least_gain: string;
  readonly unit: number;
  readonly shape: string;
}

/** Words and digests that follow from a spec (its JSON text) and a statement whose other parts are 1 to 4. */
export const gain_facts = (specText: string, asked: Asked): Record<string, unknown> => {
  const spec = checked(parse(utf8(specText), SPEC, "spec"));
  const [first, second] = [spec.domainTable[asked.first] ?? [], spec.domainTable[asked.second] ?? []];
  const gain = { least: BigInt(asked.least_gain), fractionBits: asked.unit };
  const domainDigest = rowsDigest(spec, [first, second]);
  const parts = { modelCommitment: 1n, specDigest: 2n, domainDigest, queryCommitment: 3n, contextDigest: 4n };
  const statement: GainStatement = { ...parts, label: asked.label, radiusSquared: BigInt(asked.radius), gain };
  const reading = gainReadingOf(spec, statement, asked);
  return {
    pair_digest: toHex(domainDigest),
    statement_digest: toHex(statementDigest(statement, parse(utf8(asked.shape), SHAPE, "shape"))),
    reading: JSON.parse(canonicalText(reading)),
    sentence: gainSentenceOf(reading, gain),
  };
};

/** Whether a shape (its JSON text) proves gains under a spec. */
export const fitting_gain = (specText: string, shapeText: string): boolean =>
  fitsGain(parse(utf8(shapeText), SHAPE, "shape"), checked(parse(utf8(specText), SPEC, "spec")));

/** Which least gains have their width under a shape (its JSON text). */
export const holds_gain = (shapeText: string, gains: readonly string[]): readonly boolean[] =>
  gains.map((gain) => holdsGain(parse(utf8(shapeText), SHAPE, "shape"), BigInt(gain)));
