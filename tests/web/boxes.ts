// What follows from a spec about a box.
import { boxAnswerOf } from "../../web/element/src/box_answer.js";
import { type Recourse, recourseOf } from "../../web/element/src/recourse_answer.js";
import type { Answer, Findings } from "../../web/verifier/src/answer.js";
import { utf8 } from "../../web/verifier/src/bytes.js";
import { parse } from "../../web/verifier/src/canonical.js";
import { boxReadingOf, boxSentenceOf } from "../../web/verifier/src/box_certificate.js";
import { AllOf, AnyOf } from "../../web/verifier/src/combined.js";
import { rowsDigest } from "../../web/verifier/src/commitment.js";
import { toHex } from "../../web/verifier/src/field.js";
import { boxInWords, commitmentOfBox, type OpenedBox, parseOpenedBox } from "../../web/verifier/src/opened_box.js";
import { fits, fitsBox, fitsGain, nameOf, SHAPE } from "../../web/verifier/src/shape.js";
import { SPEC } from "../../web/verifier/src/spec.js";
import { checked } from "../../web/verifier/src/spec_check.js";
import { type BoxStatement, statementDigest } from "../../web/verifier/src/statement.js";
import { parseWishes } from "../../web/verifier/src/pair.js";
import type { Answered } from "../../web/verifier/src/recourse.js";
import { type Language, Words } from "../../web/verifier/src/words.js";

type Texts = Readonly<Record<string, string>>;

const specOf = (text: string) => checked(parse(utf8(text), SPEC, "spec"));

/** Words and digests that follow from a spec, an opened box and a shape (JSON texts) and a label. */
export const box_facts = (specText: string, openedText: string, shapeText: string, label: number) => {
  const [spec, opened] = [specOf(specText), parseOpenedBox(utf8(openedText), "opened.json")];
  const parts = { modelCommitment: 1n, specDigest: 2n, contextDigest: 3n, label };
  const [domainDigest, boxCommitment] = [rowsDigest(spec, spec.domainTable), commitmentOfBox(opened, spec)];
  const statement: BoxStatement = { ...parts, domainDigest, boxCommitment };
  const reading = boxReadingOf(spec, label);
  return {
    domain_digest: toHex(domainDigest),
    box_commitment: toHex(boxCommitment),
    statement_digest: toHex(statementDigest(statement, parse(utf8(shapeText), SHAPE, "shape"))),
    reading,
    sentence: boxSentenceOf(reading),
    ends: Object.fromEntries(boxInWords(opened, spec)),
  };
};

/** Whether policies made of others judge box certificates, by whether each of these says so. */
export const of_boxes = (parts: readonly boolean[]) => {
  const own = parts.map((ofBoxes) => ({ covers: new Set<never>(), check: () => [], ofBoxes }));
  return [new AllOf(...own), new AnyOf(...own)].map((policy) => policy.ofBoxes);
};

/** Which shapes (JSON texts) prove boxes under a spec, with their names; none proves anything else. */
export const fitting_boxes = (specText: string, shapeTexts: readonly string[]) => {
  const spec = specOf(specText);
  return shapeTexts.map((text) => {
    const shape = parse(utf8(text), SHAPE, "shape");
    if (shape.scheme.endsWith("-box") && (fits(shape, spec) || fitsGain(shape, spec))) throw new Error(text);
    return [fitsBox(shape, spec), nameOf(shape)];
  });
};

/** The answer of page and element about a box whose key was made alone, and which is open unless `text` has it. */
export const box_answer = (specText: string, text: string | null, context: Texts | null, language: Language): Answer => {
  const box = text === null ? undefined : parseOpenedBox(utf8(text), "opened.json");
  const found: Findings = {
    spec: specOf(specText),
    label: 1,
    radiusSquared: 0n,
    key: { setup: "single-party", parties: 0, imported: false },
    pins: { model: "given", key: true },
    context: context === null ? undefined : new Map(Object.entries(context)),
    contextFound: true,
  };
  return boxAnswerOf(found, box && { box, from: "given" }, language);
};

/** The words and bars of page and element about ways, each with its box (JSON text) and what it changes, or of a none. */
export const recourse_answer = (
  specText: string,
  values: Readonly<Record<string, string | number>>,
  ways: ReadonlyArray<readonly [string, readonly string[]]>,
  refused: number,
  wishes: string,
  language: Language,
): Recourse => {
  const spec = specOf(specText);
  const answered = (opened: OpenedBox, changed: readonly string[], label: number): Answered =>
    ({ name: "way-1", isNone: label === refused, opened, verified: { changed, statement: { label } } as never });
  const answers = ways.map(([text, changed]) => answered(parseOpenedBox(utf8(text), "opened.json"), changed, 1 - refused));
  const none = answered({ ends: new Map() } as never, [], refused);
  const query = new Map(Object.entries(values));
  return recourseOf(spec, query, refused, answers.length ? answers : [none], parseWishes(utf8(wishes)).wishes, new Words(language));
};
