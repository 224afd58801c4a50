/** The page for a certificate that is not accepted, for a file that is none, and for one that came alone. */

import type { Answer } from "../../verifier/src/answer.js";
import { Fraction } from "../../verifier/src/numbers.js";
import { isolated, type Words } from "../../verifier/src/words.js";
import { digestOf, type Result } from "../../element/src/check.js";
import { type Child, html, spoken } from "../../element/src/dom.js";
import { shownName } from "../../element/src/collect.js";
import type { Given } from "../../element/src/files.js";
import { digits, facts, fold, heading } from "../../element/src/render.js";

/** What a refusal says below its first line; each part begins with what is its heading here. */
const PARTS = [["below.means", "below.no_evidence"], ["below.do"]] as const;

/** Everything below the outcome; nothing of what the file claims. */
export function refused(answer: Answer, files: readonly Given[], words: Words, another: Child): readonly Child[] {
  const parts = answer.outcome === "not-valid" ? PARTS.flatMap((ids) => part(ids, words)) : [];
  const none = answer.outcome === "not-a-certificate" ? nothing(files, words) : [];
  return [html("div", { class: "panel" }, ...parts, ...none, another, technical(answer, files, words))];
}

type Missing = Extract<Result, { readonly kind: "lacking" }>;

/** A certificate that came without what it is checked with, or an opened box without its certificate. */
export function lacking({ about, parts }: Missing, words: Words, another: Child): readonly Child[] {
  const names = parts.map((part) => words.say(`page.lacking_${part}`));
  const came = about === "alone" ? "page.lacking_box" : "page.lacking";
  return [
    html("div", { class: "panel" },
      html("p", {}, words.say(came, { files: words.joined(names) })),
      html("p", {}, words.say("page.lacking_add"), about === "decision" && ` ${words.say("page.lacking_do")}`),
      another,
    ),
  ];
}

function part(ids: readonly string[], words: Words): readonly Child[] {
  const [title = "", ...rest] = words.say(ids[0] ?? "").split(/(?<=\.) /);
  const texts = [rest.join(" "), ...ids.slice(1).map((id) => words.say(id))];
  return [
    heading(2, title.replace(/\.$/, ""), { class: "title" }),
    ...texts.map((text) => html("p", {}, spoken(text))),
  ];
}

/** What a file is that is no certificate, as far as its first bytes tell. */
function nothing([file]: readonly Given[], words: Words): readonly Child[] {
  const pdf = file && new TextDecoder().decode(file.data.subarray(0, 5)) === "%PDF-";
  const named = pdf ? `${words.say("page.none_pdf", { file: isolated(shownName(file)) })} ` : "";
  return [
    html("p", {}, spoken(named + words.say("page.none_ends"))),
    html("p", {}, words.say("page.none_nothing")),
  ];
}

function technical({ reason, technical: told }: Answer, files: readonly Given[], words: Words): HTMLElement {
  const described = files.flatMap((file): ReadonlyArray<readonly [string, ...Child[]]> => {
    const texts = { name: isolated(shownName(file)), n: words.number(new Fraction(BigInt(file.data.length))) };
    return [
      [words.say("page.fact_file"), spoken(words.say("page.fact_bytes", texts))],
      [words.say("page.fact_digest"), digits(digestOf(file))],
    ];
  });
  const why = html("span", {}, `${reason ?? ""}: ${told ?? ""}`);
  return fold(words.say("label.technical"), "technical", facts([[words.say("page.fact_reason"), why], ...described]));
}
