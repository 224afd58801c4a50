/**
 * The sentences that all programs share, by their ids. Twin of circuits/tables.py.
 *
 * Builds put each sentence in place of its id (sayings.mjs): so that a bundle holds those that it can say and no table.
 */

import KINDS from "../../../go-gnark/verify/tables/kinds.json";
import MESSAGES from "../../../go-gnark/verify/tables/messages.json";
import WRITTEN from "../../../go-gnark/verify/tables/written.json";
import { said } from "./language.js";

/** A bracket that names options: of a command line, which these programs have not. */
export const OPTIONS = / \([^()]*--[^()]*\)/g;
const PLACE = /\{([a-z_]+)\}/g;

/** What fills a place: a text, or a whole number. */
export type Values = Readonly<Record<string, string | number | bigint>>;

/** Return the places of a sentence, without those of options. */
export const placesOf = (text: string): readonly string[] =>
  [...text.replace(OPTIONS, "").matchAll(PLACE)].map(([, place = ""]) => place);

/**
 * Return a sentence for technical readers by its id, in the language that is spoken, with its places filled in, each
 * once: filled-in text is not read again. RangeError for an unknown id, or a place without a value.
 */
export const sentence = (id: string, values: Values = {}): string => filled(MESSAGES.en[id], id, values, said(id));

/**
 * Return a sentence of documents, which is English in every language: verifiers compute the words of a certificate
 * again and compare them. RangeError as for {@link sentence}.
 */
export const written = (id: string, values: Values = {}): string =>
  filled(WRITTEN[id], id, values, (english, ...given) => String.raw({ raw: english }, ...given));

/** Return what documents of a mark are called, in the language that is spoken; RangeError for an unknown one. */
export const called = (mark: string): string => filled(KINDS[mark]?.name, mark, {}, said(`kind.${mark}`));

function filled(text: string | undefined, id: string, values: Values, fill: ReturnType<typeof said>): string {
  if (text === undefined) throw new RangeError(`the tables have no sentence ${id}`);
  const given = placesOf(text).map((place) => {
    const value = values[place];
    if (value === undefined) throw new RangeError(`${id}: no value for ${place}`);
    return value;
  });
  return fill(text.replace(OPTIONS, "").split(/\{[a-z_]+\}/), ...given);
}
