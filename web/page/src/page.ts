/** The checking page: what was given, what came of it, and what is shown. Nothing is kept, and nothing leaves it. */

import { type Language, Words } from "../../verifier/src/words.js";
import { check, type Elsewhere, type Result } from "../../element/src/check.js";
import { opens } from "../../element/src/collect.js";
import { type Child, html } from "../../element/src/dom.js";
import { dropped, type Given, pasted, readAll } from "../../element/src/files.js";
import { preferred } from "../../element/src/languages.js";
import { heading, verdict } from "../../element/src/render.js";
import { icon } from "../../element/src/icons.js";
import { boxBody } from "./box.js";
import type { CompareAll, Pinned } from "./compare.js";
import { ready } from "./ready.js";
import { lacking, refused } from "./refused.js";
import { type Acts, chooser, empty, foot, top } from "./start.js";
import { body } from "./verified.js";

/** What a check came to, with the files that it was made of. */
interface Checked {
  readonly files: readonly Given[];
  readonly result: Result;
  readonly took: number;
  readonly when: Date;
}

const root = document.getElementById("page") ?? document.body;
/** Said aloud when it changes. */
const status = html("div", { role: "status" });

let language: Language = preferred(navigator.languages);
let checked: Checked | undefined;
let pinned: Partial<Record<Pinned, string>> = {};
/** What was compared and found to differ. */
const differing = new Set<Pinned>();

const acts: Acts = {
  choose: (files) => void given(readAll(files)),
  paste: (text) => void given(Promise.resolve([pasted(text)])),
  speak(wanted) {
    language = wanted;
    show();
    root.querySelector<HTMLElement>(".lang [aria-pressed=true]")?.focus();
  },
};

/** Take new files: beside those that wait for their companions or for an opened box, otherwise in their place. */
async function given(reading: Promise<readonly Given[]>): Promise<void> {
  const files = await reading;
  if (!files.length) return;
  const before = checked?.files ?? [];
  const opened = opens(files, before);
  const waiting = opened || checked?.result.kind === "lacking" ? before : [];
  if (!opened) {
    pinned = {};
    differing.clear();
  }
  status.replaceChildren(html("p", { class: "verdict" }, new Words(language).say("page.checking")));
  // The browser draws before the check takes its turn.
  await new Promise((done) => setTimeout(done));
  judge([...waiting, ...files]);
}

function judge(files: readonly Given[]): void {
  const begun = performance.now();
  const result = check(files, elsewhere(), language);
  checked = { files, result, took: performance.now() - begun, when: new Date() };
  show();
  status.querySelector("h1")?.focus();
  scrollTo(0, 0);
}

/** Return what was compared. Of two keys neither is pinned before both are known: a policy asks for both. */
function elsewhere(): Elsewhere {
  const { model, key, link_key: linkKey } = pinned;
  const linked = checked?.result.kind === "verified" && checked.result.verified.linkKey !== undefined;
  return linked && linkKey === undefined ? { model } : { model, key, linkKey };
}

const compared: CompareAll = {
  known: (what) => pinned[what] !== undefined,
  equal(what, name) {
    pinned = { ...pinned, [what]: name };
    differing.delete(what);
    if (checked) judge(checked.files);
  },
  alike(what) {
    if (differing.delete(what)) outcomeAgain();
  },
  different(what) {
    differing.add(what);
    outcomeAgain();
  },
};

/** Draw the outcome alone: the field below keeps what was typed, and the focus. */
function outcomeAgain(): void {
  const [outcome] = views(new Words(language));
  status.replaceChildren(...outcome.filter((one): one is Node => one instanceof Node));
}

/** Draw the page as it stands. */
function show(): void {
  const words = new Words(language);
  document.documentElement.lang = language;
  const [outcome, parts] = views(words);
  status.replaceChildren(...outcome.filter((one): one is Node => one instanceof Node));
  const main = html("main", { class: "box" }, status, ...parts);
  root.replaceChildren(top(words, language, acts), main, foot(words));
  const title = main.querySelector("h1")?.textContent ?? "";
  document.title = `${title.replace(/\.$/, "")} · Equiproof`;
}

/** Return the outcome, which is said aloud, and what stands below it. */
function views(words: Words): readonly [readonly Child[], readonly Child[]] {
  if (checked === undefined) return [[], empty(words, acts)];
  const { result, files } = checked;
  const again = chooser(words.say(result.kind === "lacking" ? "page.choose" : "page.another"), acts);
  if (result.kind === "lacking") {
    const title = heading(1, words.say("page.lacking_title"), { tabindex: "-1" });
    const drawn = html("div", { class: "verdict not-a-certificate" }, icon("file"), html("div", {}, title));
    return [[drawn], lacking(result, words, again)];
  }
  const answer = result.answer(language);
  if (result.kind === "refused") {
    const short = { ...answer, below: answer.below.slice(0, 1) };
    return [[verdict(short)], refused(answer, files, words, again)];
  }
  const print = html("button", { type: "button" }, words.say("page.print"));
  print.addEventListener("click", () => window.print());
  const row = html("div", { class: "row noprint" }, print, chooser(words.say("page.another"), acts, true));
  const shown = { words, answer, took: checked.took, when: checked.when };
  const all = result.kind === "verified"
    ? body({ ...shown, verified: result.verified }, compared)
    : boxBody({ ...shown, verified: result.verified, again: result.again(language) }, compared, acts);
  const first = answer.not_checked[0]?.text === words.say("open.model");
  const link = html("a", { href: "#pin-model", class: "noprint" }, words.say("page.compare_now"));
  link.addEventListener("click", (event) => {
    event.preventDefault();
    toField("pin-model");
  });
  const differs = [...differing].map((what) => html("p", { class: "said" }, words.say(`page.different_${what}`)));
  const outcome = verdict(answer, first && html("p", {}, link), ...differs);
  return [[outcome], [...all.slice(0, -1), row, ...all.slice(-1)]];
}

/** Unfold where something is compared, and go there. */
function toField(id: string): void {
  const input = document.getElementById(id);
  const folded = input?.closest("details");
  if (folded) folded.open = true;
  input?.focus();
}

addEventListener("dragover", (event) => {
  event.preventDefault();
  root.classList.add("over");
});
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) root.classList.remove("over");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  root.classList.remove("over");
  if (event.dataTransfer) void given(dropped(event.dataTransfer));
});
show();
// Behind the first picture, in a turn of its own.
setTimeout(ready, 50);
