// Builds an applicant's page for the service: node build.mjs [FOLDER], by default into the service's own folder. One
// page, one script with the element and the check of the public log inside, one style: its policy allows no other.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { licences, script, style, words } from "../element/building.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const shared = (...names) => join(here, "..", ...names);
const folder = resolve(process.argv[2] ?? shared("..", "equiproof", "service", "web", "assets"));
mkdirSync(folder, { recursive: true });
const read = (path) => readdirSync(path).map((name) => readFileSync(join(path, name), "utf8"));
const sources = [...read(join(here, "src")), ...read(shared("element", "src")), readFileSync(shared("page", "src", "compare.ts"), "utf8")];
const table = words((name) => sources.some((source) => source.includes(`"${name}"`)));
const module = `export default ${JSON.stringify(table)};
export const load = async () => undefined;
export const sentences = (language) => (language === "de" ? GERMAN : []);`;
const banner = `/* Equiproof: Apache-2.0. Inside are:\n\n${licences().replaceAll("*/", "* /")}\n*/\n`;
const { code } = await script(join(here, "src", "applicant.ts"), "esm", module);
writeFileSync(join(folder, "applicant.js"), banner + code);
const sheets = [shared("element", "src", "style.css"), shared("page", "src", "page.css"), join(here, "src", "applicant.css")];
writeFileSync(join(folder, "applicant.css"), await style(...sheets));
copyFileSync(join(here, "src", "applicant.html"), join(folder, "applicant.html"));
