/**
 * An answer as elements: the one module that page and element share. Every text comes from the answer or from the table
 * of words; what they hold of the lender is set apart by `spoken`.
 */

import type { Answer, Open } from "../../verifier/src/answer.js";
import type { Words } from "../../verifier/src/words.js";
import { bars, details, legend } from "./bars.js";
import { varies } from "./box_answer.js";
import { type Child, html, spoken } from "./dom.js";
import { icon } from "./icons.js";

/** The level of a heading. */
export type Level = 1 | 2 | 3 | 4 | 5 | 6;

let ids = 0;

/** Make a heading of a level. */
export function heading(level: Level, text: string, attributes: Record<string, string> = {}): HTMLHeadingElement {
  return html(`h${level}`, attributes, spoken(text));
}

/** A part of the answer under its heading, which names it for readers of screens. */
export function section(
  title: HTMLHeadingElement,
  classes: string,
  part: string,
  ...children: readonly Child[]
): HTMLElement {
  title.id = `part-${(ids += 1)}`;
  return html("section", { class: classes, part, "aria-labelledby": title.id }, title, ...children);
}

/** The outcome of the check: its sentence is the page's heading. */
export function verdict(answer: Answer, ...below: readonly Child[]): HTMLElement {
  const lines = answer.below.map((line) => html("p", {}, spoken(line)));
  const title = heading(1, answer.heading, { tabindex: "-1" });
  return html("div", { class: `verdict ${answer.outcome}`, part: "outcome" },
    icon(answer.outcome),
    html("div", {}, title, ...lines, ...below),
  );
}

/** The outcome in short, for a place that has its own headings. */
export function tag({ outcome, heading: text, below: [line] }: Answer): HTMLElement {
  return html("div", { class: `tag ${outcome}`, part: "outcome" },
    icon(outcome),
    html("div", {}, html("p", {}, html("strong", {}, spoken(text))), line && html("p", {}, spoken(line))),
  );
}

/** The three sentences. */
export function sentences(answer: Answer, words: Words, level: Level): HTMLElement {
  const lines = answer.sentences.map((line) => html("li", {}, spoken(line)));
  const title = heading(level, words.say("page.says"), { class: "unseen" });
  return section(title, "panel", "sentences", html("ol", { class: "answer" }, ...lines));
}

/** The bars with their key, or the details alone. */
export function room(answer: Answer, words: Words): readonly Child[] {
  const note = answer.bars_note && html("p", {}, spoken(answer.bars_note));
  if (answer.bars.every(({ kind }) => kind === "none")) return [note, details(answer.bars)];
  return [note, legend(answer.bars, words), bars(answer.bars, words)];
}

/** Who is in a box: what differs among them, and what all of them share. */
export function people(answer: Answer, words: Words, level: Level): readonly Child[] {
  const [some, fixed] = [answer.bars.filter(varies), answer.bars.filter((bar) => !varies(bar))];
  const title = (id: string): HTMLElement => heading(level, words.say(id), { class: "part" });
  const note = answer.bars_note && html("p", {}, spoken(answer.bars_note));
  return [
    ...(some.length ? [title("page.box_varies"), note, legend(some, words), bars(some, words)] : []),
    ...(fixed.length ? [title("page.box_fixed"), details(fixed)] : []),
  ];
}

/** What would have been enough for a refused applicant, way by way with its bars, or that nothing would have been. */
export function recourse({ recourse: told }: Answer, words: Words, level: Level): Child {
  if (!told) return null;
  const { title, ways, sentences: others } = told;
  const said = (text: string): HTMLElement => html("p", {}, spoken(text));
  const drawn = ways.flatMap((way) => way.bars);
  return section(heading(level, title, { class: "title" }), "panel", "recourse",
    ...ways.flatMap((way) => [said(way.sentence), bars(way.bars, words)]),
    drawn.length > 0 && legend(drawn, words, "recourse.enough"),
    ...others.map(said),
  );
}

/** The three lists; what is open comes first, and `more` is what stands below an entry of it. */
export function lists(answer: Answer, words: Words, level: Level, more: (left: Open) => readonly Child[]): HTMLElement {
  const title = (id: string): HTMLHeadingElement => heading(level, words.say(id), { class: "title" });
  const left = answer.not_checked.map((one) => entry(one.warning ? "look" : "no", one.text, words, ...more(one)));
  const checked = answer.checked.map((text) => entry("yes", text, words));
  const never = answer.never_shown.map((text) => entry("no", text, words));
  return html("div", { class: left.length > 3 ? "lists long" : "lists" },
    section(title("label.not_checked"), "panel can", "not-checked", html("ul", { class: "checks" }, ...left)),
    section(title("label.checked"), "panel checked", "checked", html("ul", { class: "checks" }, ...checked)),
    section(title("label.never_shown"), "panel cannot", "never-shown", html("ul", { class: "checks" }, ...never)),
  );
}

/** Rows of names and values. */
export function facts(rows: ReadonlyArray<readonly [string, ...Child[]]>): HTMLElement {
  const made = rows.flatMap(([name, ...values]) => [html("dt", {}, spoken(name)), html("dd", {}, ...values)]);
  return html("dl", { class: "facts" }, ...made);
}

/** A name of 64 digits in groups of four: two people can compare it aloud, and it breaks anywhere. */
export function digits(name: string): HTMLElement {
  return html("span", { class: "mono" }, (name.match(/.{1,4}/g) ?? []).join(" "));
}

/** Something that is folded away. */
export function fold(title: string, part: string, ...children: readonly Child[]): HTMLDetailsElement {
  return html("details", { part }, html("summary", {}, spoken(title)), ...children);
}

function entry(mark: "yes" | "no" | "look", text: string, words: Words, ...more: readonly Child[]): HTMLLIElement {
  const told = mark === "look" && html("span", { class: "unseen" }, words.say("page.important"), " ");
  // What matters most is a sentence of its own; the lender's words stand behind it.
  const [first = "", ...rest] = mark === "look" ? text.split(/(?<=\.) /) : [];
  const said = first ? [html("strong", {}, spoken(first)), " ", spoken(rest.join(" "))] : [spoken(text)];
  return html("li", {}, icon(mark, mark), html("div", {}, html("p", {}, told, ...said), ...more));
}
