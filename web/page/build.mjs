// Builds the page: node build.mjs [FOLDER], by default into dist. The result is one file with everything inside, whose
// policy names the one script and the one style that it may use, by their digests.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { licences, script, style, words } from "../element/building.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, "dist"));

/** The policy's word for a text that stands in the page. */
const digest = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// The words are text of the page, not of its script: a block of data, which nothing runs.
const table = words((name) => /^(page|label)\./.test(name));
const from = `const of = (id) => JSON.parse(document.getElementById(id).textContent);
export default of("words");
export const sentences = (language) => (language === "de" ? of("sentences") : []);`;
const { code, german } = await script(join(here, "src", "page.ts"), "iife", from, true);
const css = await style(join(here, "..", "element", "src", "style.css"), join(here, "src", "page.css"));
if (/<\/(script|style)|<!--/i.test(code + css)) throw new Error("the script or the style would end its element");
const policy = [
  "default-src 'none'",
  `script-src ${digest(code)}`,
  `style-src ${digest(css)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const data = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");
const texts = { words: data(table), sentences: data(german) };
const parts = { policy, style: css, script: code, ...texts, licences: licences() };
const frame = readFileSync(join(here, "src", "page.html"), "utf8");
const page = frame.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "verify.html"), page);
