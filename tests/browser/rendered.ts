// Puts an answer on a page by the module that page and element share, for tests of answers that no file at hand gives.
import type { Answer } from "../../web/verifier/src/answer.js";
import { Words } from "../../web/verifier/src/words.js";
import { heading, lists, room, section, sentences, verdict } from "../../web/element/src/render.js";

declare global {
  interface Window {
    rendered: (answer: Answer) => void;
  }
}

window.rendered = (answer) => {
  const words = new Words(answer.language);
  const parts = [
    verdict(answer),
    sentences(answer, words, 2),
    section(heading(2, answer.bars_heading ?? "", { class: "title" }), "panel", "room", ...room(answer, words)),
    lists(answer, words, 2, () => []),
  ];
  document.documentElement.lang = answer.language;
  document.querySelector("main")?.replaceChildren(...parts);
};
