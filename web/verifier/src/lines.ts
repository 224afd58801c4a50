/**
 * The lines of answers and refusals: which sentences each says, and when, by the rows of answers.json. A row is said if
 * each fact that it names has one of the values that it lists. Twin of verifier/lines.py.
 */

import type { Parts, Row } from "../../../go-gnark/verify/tables/answers.json";
import type { Words } from "./words.js";

export type Texts = Readonly<Record<string, string>>;

/** An entry of a list: its own facts and texts, beside those of the whole. */
export interface Item {
  readonly facts: Texts;
  readonly texts: Texts;
}

/** What a document says in one language: its rows, the facts, the texts for the places of sentences, and the lists. */
export interface Said<Part extends string> {
  readonly parts: Parts<Part>;
  readonly words: Words;
  readonly facts: Texts;
  readonly texts?: Texts;
  readonly lists?: Readonly<Record<string, readonly Item[]>>;
}

/** One line, and the row of its first sentence. */
export interface Line<Part extends string> {
  readonly row: Row<Part>;
  readonly text: string;
}

/** Return the lines of a part, in the order of its rows; throws RangeError for a fact or a list that is not given. */
export function linesOf<Part extends string>(said: Said<Part>, part: Part): readonly Line<Part>[] {
  const lines: Line<Part>[] = [];
  for (const row of said.parts[part]) {
    const items = row.each === undefined ? [{ facts: {}, texts: {} }] : given(said.lists ?? {}, row.each);
    for (const { facts, texts } of items) {
      const own = { ...said, facts: { ...said.facts, ...facts }, texts: { ...said.texts, ...texts } };
      if (!holds(own.facts, row.when)) continue;
      const inner = Object.entries<Part>(row.with ?? {}).map(([place, other]) => [place, textsOf(own, other)] as const);
      const filled = inner.filter(([, all]) => all.length).map(([place, all]) => [place, said.words.joined(all)]);
      const text = said.words.say(row.say, { ...own.texts, ...Object.fromEntries(filled) });
      const before = row.joined ? lines.pop() : undefined;
      lines.push(before ? { row: before.row, text: `${before.text} ${text}` } : { row, text });
    }
  }
  return lines;
}

/** Return the first line of a part; throws RangeError where it has none. */
export function lineOf<Part extends string>(said: Said<Part>, part: Part): Line<Part> {
  const [line] = linesOf(said, part);
  if (line === undefined) throw new RangeError(`answers.json: ${part} says nothing`);
  return line;
}

/** Return the texts of a part's lines. */
export function textsOf<Part extends string>(said: Said<Part>, part: Part): readonly string[] {
  return linesOf(said, part).map(({ text }) => text);
}

/** Return whether each fact has one of these values. */
function holds(facts: Texts, when: Readonly<Record<string, readonly string[]>> = {}): boolean {
  return Object.entries(when).every(([fact, values]) => values.includes(given(facts, fact)));
}

function given<Value>(all: Readonly<Record<string, Value>>, name: string): Value {
  const value = all[name];
  if (value === undefined) throw new RangeError(`answers.json: no ${name} is given`);
  return value;
}
