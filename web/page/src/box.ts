/** The page for a box certificate whose proof holds. */

import type { VerifiedBox } from "../../verifier/src/box.js";
import type { Words } from "../../verifier/src/words.js";
import { type Child, html } from "../../element/src/dom.js";
import { fold, heading, lists, people, section, sentences } from "../../element/src/render.js";
import type { CompareAll } from "./compare.js";
import { type Acts, chooser } from "./start.js";
import { everything, field, names, type Shown } from "./verified.js";

/** What stands on the page of a box certificate; `again` is its verification in the language of the page. */
export interface ShownBox extends Shown<VerifiedBox> {
  readonly again: VerifiedBox;
}

/** Everything below the outcome. */
export function boxBody({ again, ...shown }: ShownBox, compared: CompareAll, acts: Acts): readonly Child[] {
  const { words, answer, verified } = shown;
  const { bars_heading: title } = answer;
  return [
    sentences(answer, words, 2),
    title === null
      ? which(words, acts)
      : section(heading(2, title, { class: "title" }), "panel", "room", ...people(answer, words, 3)),
    lists(answer, words, 2, (open) => field(open, verified, words, compared)),
    names(verified, words),
    fold(words.say("label.everything"), "everything", ...forPrograms(again, words), everything(shown)),
  ];
}

/** Where the opened box is given, which no certificate names. */
function which(words: Words, acts: Acts): HTMLElement {
  return section(heading(2, words.say("page.box_which"), { class: "title" }), "panel noprint", "room",
    html("p", {}, words.say("page.box_add")),
    chooser(words.say("page.box_choose"), acts),
  );
}

/** What the verifiers say, the lender's words as they write them. */
function forPrograms({ sentence, notMade }: VerifiedBox, words: Words): readonly Child[] {
  return [
    html("p", {}, sentence),
    html("p", {}, words.say("page.box_left")),
    html("ul", { class: "left" }, ...notMade.map((line) => html("li", {}, line))),
  ];
}
