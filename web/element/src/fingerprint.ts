/** Digits of fingerprints as people type them: all 64, or the first 16, which is what a letter has room for. */

/** How many digits a fingerprint has, and how many of them stand in a letter. */
export const [WHOLE, BEGINNING] = [64, 16];

/** Blanks and dashes, in which people and letters group digits. */
const GROUPING = /[\s:.\-\u2010-\u2015\u00ad\u200b\u2060\u2068\u2069]+/gu;

/** Return a text without what groups digits, in small letters. */
export function ungrouped(text: string): string {
  return text.replace(GROUPING, "").toLowerCase();
}

/** Return the digits that a reader typed, however they are grouped; undefined for any other number of them. */
export function typed(text: string, lengths: readonly number[]): string | undefined {
  const found = ungrouped(text);
  return /^[0-9a-f]+$/.test(found) && lengths.includes(found.length) ? found : undefined;
}
