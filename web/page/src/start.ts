/** The page before a file is chosen, and around everything that it shows. */

import type { Language, Words } from "../../verifier/src/words.js";
import { type Child, html } from "../../element/src/dom.js";
import { icon } from "../../element/src/icons.js";
import { fold, heading, section } from "../../element/src/render.js";

/** What the reader can do on the page. */
export interface Acts {
  choose(files: Iterable<File>): void;
  paste(text: string): void;
  speak(language: Language): void;
}

const LANGUAGES = { en: "English", de: "Deutsch" } as const;

/** The line on top: whose page this is, what it does with a file, and its languages. */
export function top(words: Words, language: Language, acts: Acts): HTMLElement {
  const buttons = (Object.keys(LANGUAGES) as Language[]).map((one) => {
    const pressed = String(one === language);
    const made = html("button", { type: "button", lang: one, "aria-pressed": pressed }, LANGUAGES[one]);
    made.addEventListener("click", () => acts.speak(one));
    return made;
  });
  return html("header", { class: "top" },
    html("span", { class: "brand" }, "Equiproof"),
    html("span", { class: "soft small" }, words.say("page.here")),
    html("div", { class: "lang noprint", role: "group", "aria-label": words.say("page.language") }, ...buttons),
  );
}

/** The line at the end. */
export function foot(words: Words): HTMLElement {
  return html("footer", { class: "foot" }, html("p", {}, words.say("page.foot")));
}

/** The page as it is opened. */
export function empty(words: Words, acts: Acts): readonly Child[] {
  const told = (title: string, text: string): HTMLElement =>
    section(heading(2, words.say(title), { class: "title" }), "panel", "", html("p", {}, words.say(text)));
  return [
    heading(1, words.say("page.title"), { tabindex: "-1" }),
    html("p", { class: "soft lead" }, words.say("page.lead")),
    html("div", { class: "drop" },
      icon("file"),
      html("p", { class: "mouse" }, html("strong", {}, words.say("page.drop"))),
      html("p", { class: "soft small" }, words.say("page.drop_name")),
      chooser(words.say("page.choose"), acts),
    ),
    html("div", { class: "two" }, told("page.stays", "page.stays_text"), told("page.hand", "page.hand_text")),
    fold(words.say("page.paste"), "", paste(words, acts)),
    fold(words.say("page.about"), "", ...["says", "not"].map((id) => html("p", {}, words.say(`page.about_${id}`)))),
  ];
}

/** A button that opens the device's own choice of files. */
export function chooser(text: string, acts: Acts, quiet = false): HTMLElement {
  const input = html("input", { type: "file", multiple: true, hidden: true, tabindex: "-1", "aria-hidden": "true" });
  const button = html("button", { type: "button", class: quiet && "quiet" }, text);
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    if (input.files?.length) acts.choose(input.files);
  });
  return html("p", {}, button, input);
}

function paste(words: Words, acts: Acts): HTMLElement {
  const text = html("textarea", { id: "paste", rows: 5, spellcheck: "false", autocomplete: "off" });
  const form = html("form", {},
    html("div", { class: "field" }, html("label", { for: "paste" }, words.say("page.paste_label")), text),
    html("p", {}, html("button", {}, words.say("page.paste_check"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (text.value.trim()) acts.paste(text.value);
  });
  return form;
}
