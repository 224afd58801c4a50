/** The field in which a reader compares a fingerprint from elsewhere with the one that came with the certificate. */

import type { Words } from "../../verifier/src/words.js";
import { type Child, html } from "../../element/src/dom.js";
import { BEGINNING, typed, ungrouped, WHOLE } from "../../element/src/fingerprint.js";
import { digits, fold } from "../../element/src/render.js";

/** What can be compared. */
export type Pinned = "model" | "key" | "link_key";

/** What follows from a comparison. */
export interface Compare {
  equal(what: Pinned, name: string): void;
  /** The first digits are the same: what was typed before and differed no longer counts. */
  alike(what: Pinned): void;
  different(what: Pinned): void;
}

/** The same where several names are compared, one after the other. */
export interface CompareAll extends Compare {
  /** Return whether all of a name was compared, and is the same. */
  known(what: Pinned): boolean;
}

/** What was given of the model or the key, and the certificate's name, which a letter shows beside the model's. */
export interface Given {
  readonly own: string;
  readonly certificate?: string;
}

const TEXTS = {
  model: { label: "page.compare_model", different: "page.different_model" },
  key: { label: "page.compare_key", different: "page.different_key" },
  link_key: { label: "page.compare_link_key", different: "page.different_link_key" },
} as const;

/**
 * Return the name that came with the certificate, and the field for the one from elsewhere. Only all of a name pins
 * it. Its beginning, which is accepted where a letter shows it, pins nothing: 64 bits bind no lender that makes two
 * models for them, and the page says so.
 */
export function compare(what: Pinned, { own, certificate }: Given, words: Words, then: Compare): readonly Child[] {
  const texts = TEXTS[what];
  const [id, said] = [`pin-${what}`, html("p", { class: "said", id: `said-${what}`, role: "alert" })];
  const input = html("input", { id, autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
  const form = html("form", {},
    html("div", { class: "field" }, html("label", { for: id }, words.say(texts.label)), input),
    html("button", { class: "quiet" }, words.say("page.compare")),
    said,
  );
  const tell = (text: string, wrong = true): void => {
    said.textContent = text;
    said.classList.toggle("alike", !wrong);
    input.setAttribute("aria-invalid", String(wrong));
    input.setAttribute("aria-describedby", said.id);
    input.focus();
  };
  const lengths = certificate === undefined ? [WHOLE] : [BEGINNING, WHOLE];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = typed(input.value, lengths);
    if (found === undefined) {
      const n = String([...ungrouped(input.value)].length);
      tell(words.say(certificate === undefined ? "page.no_fingerprint" : "page.no_digits", { n }));
    } else if (found === own) {
      then.equal(what, found);
    } else if (certificate?.startsWith(found)) {
      tell(words.say("page.digits_certificate"), false);
    } else if (certificate !== undefined && own.startsWith(found)) {
      then.alike(what);
      tell(words.say("page.digits_alike"), false);
    } else {
      tell(words.say(texts.different));
      then.different(what);
    }
  });
  return [fold(words.say("page.compare_fold"), "", html("p", {}, digits(own)), form)];
}
