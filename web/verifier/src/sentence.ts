/**
 * The sentences that all programs share, by their ids. Twin of circuits/tables.py.
 *
 * Builds put each sentence in place of its id (sayings.mjs): so that a bundle holds those that it can say and no table.
 */

import MESSAGES from "../../../go-gnark/verify/tables/messages.json";

/** A bracket that names options: of a command line, which these programs have not. */
const OPTIONS = / \([^()]*--[^()]*\)/g;
const PLACE = /\{([a-z_]+)\}/g;

/** What fills a place: a text, or a whole number. */
export type Values = Readonly<Record<string, string | number | bigint>>;

/**
 * Return a sentence by its id, with its places filled in, each once: filled-in text is not read again. RangeError for
 * an unknown id, or a place without a value.
 */
export const sentence = (id: string, values: Values = {}): string => {
  const text = MESSAGES[id];
  if (text === undefined) throw new RangeError(`messages.json has no sentence ${id}`);
  return text.replace(OPTIONS, "").replace(PLACE, (_, place: string) => {
    const value = values[place];
    if (value === undefined) throw new RangeError(`${id}: no value for ${place}`);
    return String(value);
  });
};
