/** Untrusted text, made safe for one line of an error message. Twin of circuits/text.py. */

const LONGEST = 1000;

/** Return text as one line of bounded length, with characters that nobody sees as escapes. */
export function plain(text: string): string {
  const line = text.split(/\s+/u).filter(Boolean).join(" ").slice(0, LONGEST);
  const shown = line.replace(/[\p{C}\p{Z}]/gu, (sign) => (sign === " " ? sign : escape(sign)));
  return shown.slice(0, LONGEST);
}

function escape(sign: string): string {
  return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}
