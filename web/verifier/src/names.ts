/**
 * Names that people read in a verified statement: text that cannot be mistaken for other text, and how it is shown.
 * Twin of circuits/names.py, with the same table; of the platform only normal forms are used.
 */

import TABLE from "../../../go-gnark/verify/tables/names.json";
import { sentence } from "./sentence.js";
import { shortened } from "./text.js";

export type Rule =
  | "length" | "character" | "blanks" | "form" | "marks" | "apostrophe" | "scripts" | "direction" | "unit" | "alike";

/** What is wrong with a name: the rule that it breaks, as in docs/spec.md, and a message. */
export interface Complaint {
  readonly rule: Rule;
  readonly message: string;
}

/** The most characters of a list of names in a sentence, without the count of those left out. */
const LONGEST_LIST = 150;
const PLAIN = /^(?:[A-Za-z0-9][A-Za-z0-9_-]*|-?[0-9]+(?:\.[0-9]+)?)$/;
const PLAIN_UNIT = /^[A-Za-z%$\u00a3\u00a5\u00b0\u20ac]+(?:\/[A-Za-z]+)?$/;
/** What stands between these two cannot move the text around it. */
const [ISOLATE, END] = ["\u2068", "\u2069"];
/** Numbers that would stand in another order among letters that are written from the right. */
const MOVING = /[0-9][^0-9]+[0-9]|-[0-9]|[0-9]-/;

/** What a character is: `script` is that of letters and marks, empty for signs and for marks of any script. */
interface Character {
  readonly kind: "letter" | "mark" | "sign";
  readonly script: string;
}

/** Characters of one kind and script: code points from `first` to `last`. */
interface Range extends Character {
  readonly first: number;
  readonly last: number;
}

const LOOKS = new Map(
  Object.entries(TABLE.look_alikes).flatMap(([look, alike]) => [...alike].map((sign) => [sign, look] as const)),
);
const ONE_OF = new Set(TABLE.one_of);
const TOGETHER = new Set(TABLE.together);
const RIGHT_TO_LEFT = new Set(TABLE.right_to_left);
const MARKS_OF_ANY_SCRIPT = { "": TABLE.marks_of_any_script };
const RANGES = [
  ...ranges("mark", TABLE.marks),
  ...ranges("mark", MARKS_OF_ANY_SCRIPT),
  ...ranges("letter", TABLE.letters),
  ...ranges("sign", { "": TABLE.signs }),
];
/** Signs that go with letters that are written from the right; others would move. */
const STILL = ranges("sign", { "": TABLE.signs_from_right });
/** Characters that were looked up before. */
const KNOWN = new Map<string, Character | undefined>();

/** Return what is wrong with a name by itself, or undefined; of several rules that it breaks, the first. */
export function complaint(text: string): Complaint | undefined {
  const all = [...text];
  if (all.length < 1 || all.length > TABLE.longest) {
    return wrong("length", sentence("name.length_out_of_bounds", { most: TABLE.longest }));
  }
  const strange = all.find((sign) => known(sign) === undefined);
  if (strange !== undefined) {
    return wrong("character", sentence("name.holds_forbidden", { character: code(strange) }));
  }
  if (/^ | {2}| $/.test(text)) return wrong("blanks", sentence("name.blank_misplaced"));
  if (text.normalize("NFC") !== text) return wrong("form", sentence("name.not_nfc"));
  return misplaced(all) ?? mixed(text);
}

/** Return what is wrong with a unit that could be read as part of the number before it or as a remark. */
export function unitComplaint(text: string): Complaint | undefined {
  if (/[0-9,;()]/.test(text)) {
    return wrong("unit", sentence("name.unit_malformed"));
  }
  const digits = new Set([..."0123456789"].map(skeleton));
  const first = [...text].slice(0, 3);
  if (first.length === 3 && first.every((sign) => digits.has(skeleton(sign)))) {
    return wrong("unit", sentence("name.begins_like_digits"));
  }
  return undefined;
}

/**
 * Return what is wrong with the names of one spec together, or undefined; each by itself is known to be right.
 *
 * A group holds names among which a reader chooses, such as the labels. Its letters are of one of the scripts that look
 * alike, and none of its names looks like another. Names of different groups may look alike if both are ASCII.
 */
export function jointComplaint(groups: ReadonlyMap<string, readonly string[]>): Complaint | undefined {
  const everywhere = new Map<string, readonly [string, string]>();
  for (const [group, texts] of groups) {
    const scripts = new Set<string>();
    const own = new Map<string, readonly [string, string]>();
    for (const text of texts) {
      for (const script of scriptsOf(text)) if (ONE_OF.has(script)) scripts.add(script);
      if (scripts.size > 1) {
        return wrong("scripts", sentence("name.scripts_look_alike", { writing: group, scripts: scriptNames(scripts) }));
      }
      const look = skeleton(text);
      for (const seen of [own, everywhere]) {
        const [other, where] = seen.get(look) ?? [text, group];
        if (!seen.has(look)) seen.set(look, [text, group]);
        if (other !== text && !(where !== group && isAscii(other + text))) {
          const [name, another] = [`'${shortened(text)}'`, `'${shortened(other)}'`];
          return wrong("alike", sentence("name.looks_like", { group, name, other: another, where, difference: "" }));
        }
      }
    }
  }
  return undefined;
}

/** Return a name as it stands in a sentence: in quotes unless it is one plain word. */
export function quoted(name: string): string {
  return PLAIN.test(name) ? name : `"${isolated(name)}"`;
}

/** Return names as a sentence lists them: of more than fit, the first ones, how many are left out, and the last. */
export function listed(names: readonly string[]): string {
  const shown = names.map((name) => quoted(shortened(name)));
  const lengths = shown.map((name) => [...name].length + 2);
  const last = shown.length - 1;
  if (lengths.reduce((sum, length) => sum + length, 0) <= LONGEST_LIST) return shown.join(", ");
  let [kept, used] = [0, (lengths[last] ?? 0) - 2];
  while (kept < last - 1 && used + (lengths[kept] ?? 0) <= LONGEST_LIST) used += lengths[kept++] ?? 0;
  const between = sentence("word.left_out", { count: last - kept });
  return [...shown.slice(0, kept), between, ...shown.slice(last)].join(", ");
}

/** Return a unit as it stands behind a number, with the blank before it: in quotes unless it is one plain word. */
export function afterNumber(unit: string): string {
  if (PLAIN_UNIT.test(unit)) return ` ${unit}`;
  return unit && ` "${isolated(unit)}"`;
}

/** Return the beginning of a refused name, with characters that names may not hold as escapes. */
export function escaped(text: string): string {
  return [...text].slice(0, 40).map((sign) => (known(sign) ? sign : `<${code(sign)}>`)).join("");
}

/** Return a complaint about marks and apostrophes where they cannot be seen, or seem to end a quotation. */
function misplaced(all: readonly string[]): Complaint | undefined {
  const kinds = all.map((sign) => ({ letter: "l", mark: "m", sign })[known(sign)?.kind ?? "sign"]).join("");
  const twice = all.some((sign, at) => known(sign)?.kind === "mark" && sign === all[at + 1]);
  const most = TABLE.marks_in_a_row;
  if (kinds.includes("m".repeat(most + 1)) || twice || /(?:^|[^lm])m/.test(kinds)) {
    return wrong("marks", sentence("name.mark_misplaced", { most }));
  }
  if (/(?:^|[^lm])'/.test(kinds)) {
    return wrong("apostrophe", sentence("name.apostrophe_misplaced"));
  }
  return undefined;
}

/** Return a complaint about scripts, or directions of writing, that do not go together. */
function mixed(text: string): Complaint | undefined {
  const all = [...text];
  const scripts = scriptsOf(text);
  const words = all.map((sign) => (known(sign)?.kind === "sign" ? " " : sign)).join("").split(" ");
  for (const own of [...words.map(scriptsOf), common(scripts, ONE_OF)]) {
    if (own.size > 1 && [...own].some((script) => !TOGETHER.has(script))) {
      return wrong("scripts", sentence("name.mixed_scripts", { scripts: scriptNames(own) }));
    }
  }
  const fromRight = common(scripts, RIGHT_TO_LEFT).size;
  const moving = (sign: string): boolean => known(sign)?.kind === "sign" && !within(sign, STILL);
  if (fromRight && (fromRight < scripts.size || all.some(moving) || MOVING.test(text))) {
    return wrong("direction", sentence("name.mixed_directions"));
  }
  return undefined;
}

/** Return the scripts of the letters and marks of a text. */
function scriptsOf(text: string): ReadonlySet<string> {
  return new Set([...text].map((sign) => known(sign)?.script ?? "").filter(Boolean));
}

/** Return what texts have in common that look alike (UTS 39, section 4). */
function skeleton(text: string): string {
  const seen = [...text.normalize("NFD")].map((sign) => LOOKS.get(sign) ?? sign);
  return seen.join("").normalize("NFD");
}

/** Return a text so that its direction of writing, if it is from the right, ends with it. */
function isolated(text: string): string {
  return common(scriptsOf(text), RIGHT_TO_LEFT).size ? `${ISOLATE}${text}${END}` : text;
}

function isAscii(text: string): boolean {
  return [...text].every((sign) => sign <= "\u007f");
}

function common(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...left].filter((one) => right.has(one)));
}

function wrong(rule: Rule, message: string): Complaint {
  return { rule, message };
}

/** Return a code point as Unicode writes it. */
function code(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function scriptNames(scripts: Iterable<string>): string {
  return [...scripts].sort().join(` ${sentence("word.and")} `);
}

/** Return what a character is, undefined for one that names may not hold. */
function known(sign: string): Character | undefined {
  if (!KNOWN.has(sign)) KNOWN.set(sign, within(sign, RANGES));
  return KNOWN.get(sign);
}

/** Return the first of the ranges that holds a character. */
function within(sign: string, among: readonly Range[]): Range | undefined {
  const point = sign.codePointAt(0) ?? -1;
  return among.find(({ first, last }) => first <= point && point <= last);
}

/** Read ranges of code points by script. */
function ranges(kind: Character["kind"], byScript: Readonly<Record<string, string>>): readonly Range[] {
  return Object.entries(byScript).flatMap(([script, listed]) =>
    listed.split(" ").map((range) => {
      const [first = "", last = first] = range.split("-");
      return { kind, script, first: Number.parseInt(first, 16), last: Number.parseInt(last, 16) };
    }),
  );
}
