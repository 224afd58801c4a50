/**
 * Words for people in one language: the sentences of the table, filled in with numbers and with the owner's own words.
 * Twin of verifier/words.py, with the same table.
 *
 * The owner's words are in the owner's own translation or in none, and always between the two characters of Unicode
 * that isolate a text from what stands around it. In a sentence they are quoted unless they are one plain word, so
 * that none can go on with the sentence. No name may hold the quotation marks.
 */

import TABLE from "../../../go-gnark/verify/tables/words.json";
import { decimalText, type Fraction } from "./numbers.js";
import type { Feature, Spec } from "./spec.js";
import { nameIn } from "./spoken_spec.js";

/** A language that the table has. */
export type Language = "en" | "de";

export const NO_BREAK = "\u00a0";
export const MINUS = "\u2212";
/** What stands between these two cannot move the text around it. */
export const [ISOLATE, END] = ["\u2068", "\u2069"] as const;

/** Words and units that need no quotation marks. */
const WORD = /^(?:[A-Za-z0-9][A-Za-z0-9_-]*|-?[0-9]+(?:\.[0-9]+)?)$/;
const UNIT = /^[A-Za-z%$\u00a3\u00a5\u00b0\u20ac]+(?:\/[A-Za-z]+)?$/;
const PLACE = /\{([a-z_]+)\}/g;

/** The sentences of one language. */
export class Words {
  readonly language: Language;
  readonly #sentences: Readonly<Record<string, string>>;

  constructor(language: Language) {
    this.language = language;
    this.#sentences = TABLE[language];
  }

  /** Return a sentence with its places filled in, each once: filled-in text is not read again. */
  say(which: string, texts: Readonly<Record<string, string>> = {}): string {
    const sentence = this.#sentences[which];
    if (sentence === undefined) throw new RangeError(`there is no sentence ${which}`);
    return sentence.replace(PLACE, (_, place: string) => texts[place] ?? "");
  }

  /** Return a number in full, digits in groups of three; throws RangeError for one that no decimal number equals. */
  number(number: Fraction): string {
    const text = decimalText(number);
    const [whole = "", part] = text.replace("-", "").split(".");
    const groups = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, this.say("number.group"));
    return `${text.startsWith("-") ? MINUS : ""}${groups}${part ? this.say("number.point") + part : ""}`;
  }

  /** Return a day in UTC as people write it, such as 14 March 2024; no line breaks before its month. */
  day(date: Date): string {
    const month = this.say("letter.months").split(" ")[date.getUTCMonth()] ?? "";
    const texts = { day: String(date.getUTCDate()), month, year: String(date.getUTCFullYear()) };
    return this.say("letter.date", texts).replace(" ", NO_BREAK);
  }

  /** Return a unit as it stands behind a number, with the blank before it; empty for no unit. */
  unit(unit: string): string {
    return unit && NO_BREAK + (UNIT.test(unit) ? isolated(unit) : this.quoted(unit));
  }

  /** Return one of the owner's words as it stands in a sentence: quoted unless it is one plain word. */
  word(text: string): string {
    return WORD.test(text) ? isolated(text) : this.quoted(text);
  }

  /** Return one of the owner's words in quotation marks. */
  quoted(text: string): string {
    return this.say("join.quotes", { text: isolated(text) });
  }

  /** Return texts as a list in a sentence, the last one behind "and" or "or". */
  joined(texts: readonly string[], how: "and" | "or" = "and"): string {
    const last = texts.at(-1) ?? "";
    return texts.length < 2 ? last : this.say(`join.${how}`, { first: texts.slice(0, -1).join(", "), last });
  }
}

/** Return a text of the owner's so that its direction of writing ends with it. */
export function isolated(text: string): string {
  return `${ISOLATE}${text}${END}`;
}

/**
 * Return a feature's name as it is shown in a language: its translation, or its own with underscores as blanks.
 *
 * It stays as it is where it would begin or end with a blank or hold two in a row, and where any name in this language
 * holds a blank: then two names could come out alike.
 */
export function shownName({ fields: { features } }: Spec, feature: Feature, language: Language): string {
  const name = nameIn(feature, language);
  const plain = name.replaceAll("_", " ");
  return /^ | {2}| $/.test(plain) || features.some((other) => nameIn(other, language).includes(" ")) ? name : plain;
}
