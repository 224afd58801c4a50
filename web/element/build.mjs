// Builds the element: node build.mjs [FOLDER], by default into dist. One module holds everything but the sentences of
// other languages than English: each has a module of its own, which is loaded where it is spoken.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { licences, said, script, words } from "./building.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, "dist"));
mkdirSync(folder, { recursive: true });
const banner = "/* Equiproof: Apache-2.0. Licences of what else is inside: others.LICENSE. */\n";
const sources = readdirSync(join(here, "src")).map((name) => readFileSync(join(here, "src", name), "utf8"));
const { en, ...others } = words((name) => sources.some((source) => source.includes(`"${name}"`)));
const named = (language) => `equiproof-certificate.${language}.js`;
const loading = Object.keys(others).map((language) => `${language}: () => import("./${named(language)}")`);
// A list of names, and for each language the list of its sentences in that order. Rows name what they say already.
const saying = new Set(said());
const left = Object.keys(en).filter((name) => !saying.has(name));
const names = [...saying, ...left];
const table = `import rows from "./answers.json";
const of = (texts) => Object.fromEntries(NAMES.map((name, at) => [name, texts[at]]));
const said = Object.values(rows).flatMap((parts) => Object.values(parts).flat()).map(({ say }) => say);
const NAMES = [...new Set(said), ...${JSON.stringify(left.join("|"))}.split("|")];
const table = { en: of(${JSON.stringify(names.map((name) => en[name]))}) };
const LATER = { ${loading.join(", ")} };
const technical = {};
export default table;
export const load = async (language) => {
  if (table[language]) return;
  const later = await LATER[language]();
  technical[language] = later.sentences;
  table[language] = of(later.default);
};
export const sentences = (language) => technical[language] ?? [];`;
const { code, german } = await script(join(here, "src", "element.ts"), "esm", table);
writeFileSync(join(folder, "equiproof-certificate.js"), banner + code);
for (const [language, sentences] of Object.entries(others)) {
  const words = `export default ${JSON.stringify(names.map((name) => sentences[name]))};\n`;
  const text = `${words}export const sentences = ${JSON.stringify(german)};\n`;
  writeFileSync(join(folder, named(language)), `/* Equiproof: Apache-2.0. */\n${text}`);
}
writeFileSync(join(folder, "others.LICENSE"), licences());
copyFileSync(join(here, "src", "types.d.ts"), join(folder, "equiproof-certificate.d.ts"));
copyFileSync(join(here, "..", "..", "LICENSE"), join(folder, "LICENSE"));
