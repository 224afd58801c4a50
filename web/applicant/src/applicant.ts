/**
 * An applicant's page: reads the token from the address's fragment, asks how the decision stands, and checks the
 * certificate on this device. The token leaves in the bodies of requests only, and nothing is stored.
 */

import "../../element/src/element.js";
import type { EquiproofCertificate, Found as Checked } from "../../element/src/element.js";
import { html, spoken } from "../../element/src/dom.js";
import { preferred } from "../../element/src/languages.js";
import { openBundle, type Parts } from "../../verifier/src/bundle.js";
import { digits } from "../../element/src/render.js";
import { type Language, Words } from "../../verifier/src/words.js";
import { compare } from "../../page/src/compare.js";
import { type Found, look, type Pinned } from "./register.js";
import { say } from "./words.js";

interface Standing {
  readonly standing: "waiting" | "ready" | "closed";
  readonly label: string | null;
  readonly lender: string;
  readonly contact: string;
  readonly received: string;
  readonly receipt: string;
  readonly log: Pinned | null;
}

type Shown =
  | { readonly kind: "loading" | "link" | "away" }
  | { readonly kind: "stands"; readonly standing: Standing }
  | {
      readonly kind: "ready";
      readonly standing: Standing;
      readonly file: Uint8Array;
      readonly parts: Parts | undefined;
    };

const LOOK_AGAIN = 30_000;
const NAMES = { en: "English", de: "Deutsch" } as const;
const LOCALES = { en: "en-GB", de: "de-DE" } as const;

let language: Language = preferred(navigator.languages);
let shown: Shown = { kind: "loading" };
let turn = 0;

function token(): string {
  return decodeURIComponent(location.hash.slice(1));
}

/** Ask the service; undefined where the link opens nothing. Throws where there is no answer. */
async function ask(what: string): Promise<Response | undefined> {
  const answer = await fetch(`a/${what}`, {
    method: "POST",
    body: new URLSearchParams({ token: token() }),
    credentials: "omit",
    cache: "no-store",
  });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(String(answer.status));
  return answer;
}

/** Ask how the decision stands, show it, and ask again later while it waits: as often whatever it waits for. */
async function begin(): Promise<void> {
  const mine = (turn += 1);
  const found = token() ? await state() : ({ kind: "link" } as const);
  if (mine !== turn) return;
  const same = found.kind === "stands" && shown.kind === "stands" && equal(found.standing, shown.standing);
  shown = found;
  if (!same) draw();
  if (found.kind === "stands" && found.standing.standing === "waiting") {
    setTimeout(() => mine === turn && void begin(), LOOK_AGAIN);
  }
}

async function state(): Promise<Shown> {
  try {
    const answer = await ask("standing");
    if (!answer) return { kind: "link" };
    const standing = (await answer.json()) as Standing;
    if (standing.standing !== "ready") return { kind: "stands", standing };
    const file = await ask("file");
    if (!file) return { kind: "link" };
    const data = new Uint8Array(await file.arrayBuffer());
    return { kind: "ready", standing, file: data, parts: opened(data) };
  } catch {
    return { kind: "away" };
  }
}

function equal(one: Standing, other: Standing): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Return what a file holds; undefined for one that the element will refuse. */
function opened(file: Uint8Array): Parts | undefined {
  try {
    return openBundle(file, "file");
  } catch {
    return undefined;
  }
}

function line(which: string, texts: Readonly<Record<string, string>> = {}, name = ""): HTMLElement {
  return html("p", { class: name || false }, spoken(say(language, which, texts)));
}

function title(which: string, texts: Readonly<Record<string, string>> = {}): HTMLElement {
  return html("h1", { tabindex: "-1" }, spoken(say(language, which, texts)));
}

function panel(which: string, ...children: readonly Node[]): HTMLElement {
  const heading = html("h2", { class: "title", id: which }, say(language, which));
  return html("section", { class: "panel", "aria-labelledby": which }, heading, ...children);
}

function top(): HTMLElement {
  const buttons = (Object.keys(NAMES) as Language[]).map((one) => {
    const made = html("button", { type: "button", lang: one, "aria-pressed": String(one === language) }, NAMES[one]);
    made.addEventListener("click", () => {
      language = one;
      draw();
    });
    return made;
  });
  const lender = "standing" in shown ? shown.standing.lender : "";
  return html("header", { class: "top" },
    html("span", { class: "brand" }, spoken(say(language, "lender", { lender }))),
    html("span", { class: "soft small" }, say(language, "top")),
    html("div", { class: "lang noprint", role: "group", "aria-label": say(language, "language") }, ...buttons),
  );
}

function draw(): void {
  document.documentElement.lang = language;
  document.title = say(language, "title");
  const foot = "standing" in shown && shown.standing.contact
    ? html("footer", { class: "foot" }, line("contact", { contact: shown.standing.contact }))
    : html("footer", {});
  document.getElementById("page")?.replaceChildren(top(), html("main", {}, ...parts()), foot);
}

function parts(): readonly Node[] {
  const view = shown;
  switch (view.kind) {
    case "loading":
      return [html("p", { role: "status" }, say(language, "loading"))];
    case "link":
      return [title("link"), line("link_text")];
    case "away":
      return [title("away"), line("away_text"), html("p", { class: "row" }, button("again", () => void begin()))];
    case "stands":
      return stands(view.standing);
    case "ready":
      return ready(view.standing, view.file, view.parts);
  }
}

function stands(standing: Standing): readonly Node[] {
  if (standing.standing === "waiting") {
    return [html("div", { role: "status" }, title("waiting"), line("waiting_text")), receipt(standing)];
  }
  const label = standing.label ?? "";
  return [
    html("div", { role: "status" }, title("closed", { label }), line("closed_text")),
    panel("keep", html("div", { class: "row noprint" }, letter())),
    receipt(standing),
  ];
}

function ready(standing: Standing, file: Uint8Array, inside: Parts | undefined): readonly Node[] {
  const found = inside ? look(inside, standing.log, Math.floor(Date.now() / 1000)) : undefined;
  const element = document.createElement("equiproof-certificate") as EquiproofCertificate;
  element.setAttribute("lang", language);
  element.setAttribute("heading", "2");
  if (inside && found?.kind === "logged") element.setAttribute("commitment", inside.commitment.modelCommitment);
  element.bytes = file;
  const names = html("div", {});
  element.addEventListener("verified", (event) => {
    names.replaceChildren(...compared(element, (event as CustomEvent<Checked>).detail));
  });
  const receipted = inside?.files.get("receipt.json");
  return [
    title("ready"),
    line("ready_text"),
    ...(found?.kind === "other" ? [register(found)] : []),
    element,
    ...(found && found.kind !== "other" ? [register(found)] : []),
    names,
    panel("keep",
      html("div", { class: "row noprint" },
        letter(),
        save("file", "decision.equiproof", file),
        ...(receipted ? [save("receipt", "receipt.json", receipted)] : []),
      ),
      line("file_text"),
    ),
    receipt(standing),
  ];
}

/** The names that a letter begins to show, in full, and the field in which they are compared. */
function compared(element: EquiproofCertificate, { identity, model }: Checked): readonly Node[] {
  if (identity === null || model === null) return [];
  const same = line("compare_same");
  const field = compare("model", { own: model, certificate: identity }, new Words(language), {
    equal: (_, name) => {
      // What is pinned is checked again, and this panel drawn anew.
      if (element.getAttribute("commitment") === name) section.append(same);
      else element.setAttribute("commitment", name);
    },
    alike: () => same.remove(),
    different: () => same.remove(),
  });
  const section = panel("compare",
    line("compare_certificate"), html("p", {}, digits(identity)), line("compare_model"),
    ...field.filter((one): one is Node => one instanceof Node),
  );
  return [section];
}

function register(found: Found): HTMLElement {
  if (found.kind === "other") {
    const heading = html("h2", { class: "title" }, say(language, "other"));
    return html("section", { class: "panel", role: "alert" }, heading, line("other_text"));
  }
  if (found.kind === "unlogged") return panel("register", line("unlogged"));
  const { log, owner } = found;
  const who = line("logged_who", {}, "soft small");
  if (!found.until) return panel("register", line("logged_alone", { log, owner }), who);
  const { count: number } = found;
  const count = number === 1 ? say(language, "witnesses_one") : say(language, "witnesses", { n: String(number) });
  const until = found.until.replace("T", " ").replace("Z", " UTC");
  return panel("register", line("logged", { log, owner, count, until }), who);
}

/** The number of the receipt, which is all that a link shows of it before there is a certificate. */
function receipt({ receipt: digits, received, log }: Standing): HTMLElement {
  const grouped = digits.replace(/.{4}(?=.)/g, "$& ");
  const at = new Date(`${received}T12:00:00Z`);
  const day = at.toLocaleDateString(LOCALES[language], { dateStyle: "long", timeZone: "UTC" });
  const name = log?.key.split("+", 1)[0];
  return panel("number",
    html("p", { class: "mono number" }, grouped),
    line("number_text", { day }),
    ...(name ? [line("number_logged", { log: name })] : []),
  );
}

function button(which: string, act: () => void, quiet = false): HTMLElement {
  const made = html("button", { type: "button", class: quiet && "quiet" }, say(language, which));
  made.addEventListener("click", act);
  return made;
}

/** A form, since a page of its own with its own policy opens: the token is in its body. */
function letter(): HTMLElement {
  const field = (name: string, value: string): HTMLElement => html("input", { type: "hidden", name, value });
  const open = html("button", { type: "submit" }, say(language, "letter"));
  const attributes = { method: "post", action: "a/letter", target: "_blank", rel: "noopener" };
  return html("form", attributes, field("token", token()), field("language", language), open);
}

function save(which: string, name: string, data: Uint8Array): HTMLElement {
  return button(which, () => {
    const href = URL.createObjectURL(new Blob([data as BlobPart], { type: "application/octet-stream" }));
    html("a", { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }, true);
}

addEventListener("hashchange", () => {
  shown = { kind: "loading" };
  draw();
  void begin();
});
draw();
void begin();
