/** The field in which a reader compares a fingerprint from elsewhere with the one that came with the certificate. */

import type { Words } from "../../verifier/src/words.js";
import { type Child, html } from "../../element/src/dom.js";
import { digits } from "../../element/src/render.js";

/** What can be compared. */
export type Pinned = "model" | "key";

/** What follows from a comparison. */
export interface Compare {
  equal(what: Pinned, name: string): void;
  different(what: Pinned): void;
}

const DIGITS = 64;
/** Blanks and dashes, in which people and letters group digits. */
const GROUPING = /[\s:.\-\u2010-\u2015\u00ad\u200b\u2060\u2068\u2069]+/gu;

/** Return the digits that a reader typed, however they are grouped; undefined for anything but 64 of them. */
export function typed(text: string): string | undefined {
  const found = text.replace(GROUPING, "").toLowerCase();
  return new RegExp(`^[0-9a-f]{${DIGITS}}$`).test(found) ? found : undefined;
}

/** Return the name that came with the certificate, and the field for the one from elsewhere. */
export function compare(what: Pinned, [own = ""]: readonly string[], words: Words, then: Compare): readonly Child[] {
  const [id, said] = [`pin-${what}`, html("p", { class: "said", id: `said-${what}`, role: "alert" })];
  const input = html("input", { id, autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
  const form = html("form", {},
    html("div", { class: "field" }, html("label", { for: id }, words.say(`page.compare_${what}`)), input),
    html("button", { class: "quiet" }, words.say("page.compare")),
    said,
  );
  const tell = (text: string): void => {
    said.textContent = text;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", said.id);
    input.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = typed(input.value);
    if (found === undefined) {
      tell(words.say("page.no_fingerprint", { n: String([...input.value.replace(GROUPING, "")].length) }));
    } else if (found === own) {
      then.equal(what, found);
    } else {
      tell(words.say(`page.different_${what}`));
      then.different(what);
    }
  });
  return [html("p", {}, digits(own)), form];
}
