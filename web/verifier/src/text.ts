/** Untrusted text, made safe for one line of an error message. Twin of circuits/text.py. */

const LONGEST = 1000;
/** The most characters of one value in a sentence. */
const LONGEST_VALUE = 40;
// What Python and Go call blank: U+0085 and four more control characters are, U+FEFF is not.
const BLANK = "[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const BLANKS = new RegExp(BLANK);
const OUTER_BLANKS = new RegExp(`^${BLANK}|${BLANK}$`, "g");

/** Return text without its outer blanks. */
export function trimmed(text: string): string {
  return text.replace(OUTER_BLANKS, "");
}

/** Return text as one line of bounded length, with characters that nobody sees as escapes. */
export function plain(text: string): string {
  const line = text.split(BLANKS).filter(Boolean).join(" ").slice(0, LONGEST);
  const shown = line.replace(/[\p{C}\p{Z}]/gu, (sign) => (sign === " " ? sign : escape(sign)));
  return shown.slice(0, LONGEST);
}

/** Return text of at most 40 characters: what is too long has ... in its middle. */
export function shortened(text: string): string {
  const signs = [...text];
  if (signs.length <= LONGEST_VALUE) return text;
  return `${signs.slice(0, 24).join("")}...${signs.slice(27 - LONGEST_VALUE).join("")}`;
}

function escape(sign: string): string {
  return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}
