/**
 * `<equiproof-certificate>`: checks a certificate in the reader's browser and says what was found, in a lender's page
 * or anybody else's. README.md and custom-elements.json describe it.
 */

import type { Answer } from "../../verifier/src/answer.js";
import { toHex } from "../../verifier/src/field.js";
import { type Language, Words } from "../../verifier/src/words.js";
import { check, type Elsewhere, type Result } from "./check.js";
import { type Child, html, spoken } from "./dom.js";
import ELEMENT from "./element.css";
import type { Given } from "./files.js";
import { fetchFile, fetchKey } from "./fetched.js";
import { preferred } from "./languages.js";
import { fold, heading, type Level, lists, people, recourse, room, sentences, tag } from "./render.js";
import { here, learn } from "./spoken.js";
import STYLE from "./style.css";

/** What `verified` and `refused` carry. */
export interface Found {
  readonly answer: Answer;
  /** The certificate's name and the model's fingerprint, 64 digits each; null where it is not accepted. */
  readonly identity: string | null;
  readonly model: string | null;
}

/** The bytes of one `.equiproof`, or of loose files by their names. */
export type Bytes = Uint8Array | ArrayBuffer | Readonly<Record<string, Uint8Array>>;

const NAME = "equiproof-certificate";
const FINGERPRINT = /^[0-9a-f]{64}$/;
const ATTRIBUTES = [
  "src", "commitment", "keys", "link", "link-keys", "opened", "minimum", "lang", "heading", "scheme",
] as const;

/** A certificate on a page. */
export class EquiproofCertificate extends HTMLElement {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;

  readonly #box = html("div", { class: "box" });
  #bytes: Bytes | undefined;
  #result: Result | undefined;
  /** The number of the last check that was begun; an earlier one that ends later is not shown. */
  #turn = 0;
  #waiting = false;
  /** What was unfolded for paper, to be folded again: nobody can unfold a sheet. */
  #unfolded: readonly HTMLDetailsElement[] = [];

  readonly #unfold = (): void => {
    this.#unfolded = [...this.#box.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const one of this.#unfolded) one.open = true;
  };

  readonly #foldAgain = (): void => {
    for (const one of this.#unfolded) one.open = false;
    this.#unfolded = [];
  };

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    // A sheet of this kind needs no leave of a page's policy on styles.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE + ELEMENT);
    root.adoptedStyleSheets = [sheet];
    root.append(this.#box);
  }

  /** What to check instead of `src`; undefined for nothing. */
  get bytes(): Bytes | undefined {
    return this.#bytes;
  }

  set bytes(bytes: Bytes | undefined) {
    this.#bytes = bytes;
    this.#begin();
  }

  /** The last answer; undefined before the first one, and while files are missing. */
  get answer(): Answer | undefined {
    return this.#result === undefined || this.#result.kind === "lacking"
      ? undefined
      : this.#result.answer(this.#words.language);
  }

  connectedCallback(): void {
    addEventListener("beforeprint", this.#unfold);
    addEventListener("afterprint", this.#foldAgain);
    this.#begin();
  }

  disconnectedCallback(): void {
    removeEventListener("beforeprint", this.#unfold);
    removeEventListener("afterprint", this.#foldAgain);
    this.#foldAgain();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.isConnected) return;
    if (name === "lang" || name === "heading") void learn(this.#language).then(() => this.#draw());
    else if (name !== "scheme") this.#begin();
  }

  get #language(): Language {
    const said = this.closest<HTMLElement>("[lang]")?.lang;
    return preferred(said ? [said] : navigator.languages);
  }

  get #words(): Words {
    return new Words(here(this.#language));
  }

  get #level(): Level {
    const level = Number(this.getAttribute("heading"));
    return level >= 1 && level <= 5 ? (Math.trunc(level) as Level) : 2;
  }

  /** Check once everything that is set now is set. */
  #begin(): void {
    if (this.#waiting || !this.isConnected) return;
    this.#waiting = true;
    queueMicrotask(() => {
      this.#waiting = false;
      if (this.isConnected) void this.#check();
    });
  }

  async #check(): Promise<void> {
    const turn = (this.#turn += 1);
    const src = this.getAttribute("src");
    if (this.#bytes === undefined && !src) return;
    this.#result = undefined;
    await learn(this.#language);
    if (turn !== this.#turn) return;
    this.#say(this.#words.say("page.checking"));
    try {
      const [own, link, elsewhere] = await Promise.all([this.#files(src ?? ""), this.#link(), this.#elsewhere()]);
      const files = [...own, ...link];
      if (turn !== this.#turn) return;
      this.#result = check(files, elsewhere, this.#words.language);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#say(this.#words.say("page.unavailable"));
      this.#tell("unavailable", { message: error instanceof Error ? error.message : String(error) });
      return;
    }
    this.#draw();
    this.#report(this.#result);
  }

  async #files(src: string): Promise<readonly Given[]> {
    const bytes = this.#bytes;
    if (bytes === undefined) return [await fetchFile(src)];
    if (bytes instanceof Uint8Array) return [{ name: "", data: bytes }];
    if (bytes instanceof ArrayBuffer) return [{ name: "", data: new Uint8Array(bytes) }];
    return Object.entries(bytes).map(([name, data]) => ({ name, data }));
  }

  /** Return the link of a certificate of a kept model, where an attribute names it: its proof is checked. */
  async #link(): Promise<readonly Given[]> {
    const link = this.getAttribute("link");
    return link ? [await fetchFile(link)] : [];
  }

  /** Return what the page's author has from elsewhere: what the attributes name is pinned. */
  async #elsewhere(): Promise<Elsewhere> {
    const model = this.getAttribute("commitment")?.trim() ?? "";
    const [keys, ofLinks] = [this.#keys("keys"), this.#keys("link-keys")];
    const opened = this.getAttribute("opened");
    return {
      model: FINGERPRINT.test(model) ? model : undefined,
      commitment: model && !FINGERPRINT.test(model) ? await fetchFile(model) : undefined,
      key: keys.digits,
      keys: keys.folders.length ? await Promise.all(keys.folders.map((one) => fetchKey(one))) : undefined,
      linkKey: ofLinks.digits,
      linkKeys: await Promise.all(ofLinks.folders.map((one) => fetchKey(one, "link-key.json"))),
      opened: opened ? await fetchFile(opened) : undefined,
      minimum: this.getAttribute("minimum") ?? undefined,
    };
  }

  /** Return what an attribute names: the digits of a key, and addresses of folders of keys. */
  #keys(attribute: string): { readonly digits: string | undefined; readonly folders: readonly string[] } {
    const words = (this.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean);
    const isName = (one: string): boolean => FINGERPRINT.test(one);
    return { digits: words.find(isName), folders: words.filter((one) => !isName(one)) };
  }

  #report(result: Result): void {
    if (result.kind === "lacking") {
      this.#tell("unavailable", { message: `missing: ${result.parts.join(", ")}` });
      return;
    }
    const answer = result.answer(this.#words.language);
    const verified = result.kind === "refused" ? undefined : result.verified;
    const model = verified ? toHex(verified.statement.modelCommitment) : null;
    const found: Found = { answer, identity: verified?.identity ?? null, model };
    this.#tell(verified ? "verified" : "refused", found);
  }

  #tell(name: "verified" | "refused" | "unavailable", detail: Found | { readonly message: string }): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #say(text: string): void {
    this.#box.replaceChildren(html("p", { role: "status" }, text));
  }

  #draw(): void {
    const [result, words] = [this.#result, this.#words];
    if (result === undefined) return;
    this.#box.lang = words.language;
    if (result.kind === "lacking") {
      this.#say(words.say("page.unavailable"));
      return;
    }
    const answer = result.answer(words.language);
    const status = html("div", { role: "status" }, tag(answer));
    const rest = result.kind === "refused" ? this.#refused(answer, words) : this.#verified(result.kind, answer, words);
    this.#box.replaceChildren(status, ...rest.filter((one): one is Node => one instanceof Node));
  }

  #verified(kind: "verified" | "box", answer: Answer, words: Words): readonly Child[] {
    const level = this.#level;
    const counts = {
      checked: String(answer.checked.length),
      left: String(answer.not_checked.length),
      never: String(answer.never_shown.length),
    };
    const inner = Math.min(level + 1, 6) as Level;
    // Without who is in the box, its sentences say nothing: it stands open.
    const box = answer.bars_heading !== null && fold(answer.bars_heading, "room", ...people(answer, words, inner));
    if (box) box.open = true;
    return [
      html("p", { class: "soft small" }, words.say("page.checked_here")),
      sentences(answer, words, level),
      recourse(answer, words, level),
      kind === "verified" ? fold(answer.bars_heading ?? "", "room", ...room(answer, words)) : box,
      fold(words.say("page.counts", counts), "lists", lists(answer, words, inner, () => [])),
      this.#without(words),
    ];
  }

  #refused(answer: Answer, words: Words): readonly Child[] {
    const more = answer.below.slice(1).map((text) => html("p", {}, spoken(text)));
    const why = html("p", {}, `${answer.reason ?? ""}: ${answer.technical ?? ""}`);
    return [
      heading(this.#level, answer.heading, { class: "unseen" }),
      ...more,
      fold(words.say("label.technical"), "technical", why),
      this.#without(words),
    ];
  }

  /** What a reader can do who trusts this page no more than its author. */
  #without(words: Words): HTMLElement {
    const src = this.#bytes === undefined ? this.getAttribute("src") : null;
    const link = src && html("a", { href: src, download: true, part: "download" }, words.say("page.download"));
    return fold(words.say("page.elsewhere"), "elsewhere",
      html("p", {}, words.say("page.elsewhere_text")),
      link && html("p", {}, link),
    );
  }
}

if (!customElements.get(NAME)) customElements.define(NAME, EquiproofCertificate);
