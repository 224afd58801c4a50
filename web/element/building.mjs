// What the builds of page and element share. The compiler is the verifier's: one lock file names all packages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { numbered, sayings } from "../verifier/sayings.mjs";
import { tables } from "../verifier/tables.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const verifier = join(here, "..", "verifier");
const { version } = JSON.parse(readFileSync(join(verifier, "package.json"), "utf8"));
const packages = createRequire(join(verifier, "package.json"));
const { build, transform } = packages("esbuild");
const { minify } = packages("terser");

/** Return a style of several files, without what only people need. */
export const style = async (...files) => {
  const texts = files.map((file) => readFileSync(file, "utf8"));
  return (await transform(texts.join("\n"), { loader: "css", minify: true, target: "es2022" })).code.trim();
};

/** A style as the text that a module of the source imports. */
const styles = {
  name: "styles",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({ contents: await style(path), loader: "text" })),
};

const TABLES = join(here, "..", "..", "go-gnark", "verify", "tables");

/** Return the names of the sentences that rows of answers and refusals say, in their order. */
export const said = () => {
  const { answer, refusal } = JSON.parse(readFileSync(join(TABLES, "answers.json"), "utf8"));
  return [answer, refusal].flatMap((parts) => Object.values(parts).flat()).map(({ say }) => say);
};

/** Return the sentences of answers and of recourse, and of those around answers the ones that are kept or write dates. */
export const words = (kept) => {
  const table = JSON.parse(readFileSync(join(TABLES, "words.json"), "utf8"));
  const sources = [join(verifier, "src", "words.ts"), join(here, "src", "recourse_answer.ts"), join(here, "src", "render.ts")];
  const writing = sources.map((file) => readFileSync(file, "utf8")).join("\n");
  // Words are kept by their names in the sources: one that a template makes would be left out, and the page say nothing.
  const made = writing.match(/`(letter|page|label|recourse)\.[^`]*\$\{/);
  if (made) throw new Error(`${made[0]}: write the names of words out`);
  const said = ([name]) => !/^(letter|page|label|recourse)\./.test(name) || writing.includes(`"${name}"`) || kept(name);
  return Object.fromEntries(
    Object.entries(table).map(([language, all]) => [language, Object.fromEntries(Object.entries(all).filter(said))]),
  );
};

/** A list of ranges, in hexadecimal code points, as the gaps between them and their lengths: a third is left. */
const packed = (ranges) => {
  let at = 0;
  const parts = ranges.split(" ").map((range) => {
    const [first, last = first] = range.split("-").map((digits) => Number.parseInt(digits, 16));
    const part = [first - at, last - first].map((number) => number.toString(36)).join("-");
    at = last + 1;
    return part.replace(/-0$/, "");
  });
  return parts.join(" ");
};

/** The text of a function that unpacks it again, as small as can be. */
const UNPACK = `(ranges, at = 0) => ranges.split(" ").map((part) => {
  const [gap, length = "0"] = part.split("-");
  const first = at + Number.parseInt(gap, 36);
  const last = first + Number.parseInt(length, 36);
  at = last + 1;
  return first.toString(16) + "-" + last.toString(16);
}).join(" ")`;

/** Return the module of the table of names, without what programs do not read, its ranges packed. */
export const tableOfNames = (json) => {
  const { what, look_alikes: looks, ...table } = JSON.parse(json);
  const flat = Object.entries(looks).flat();
  if (flat.some((text) => !text || text.includes(" "))) throw new Error("a look or a sign is a blank");
  const ranges = (value) => `unpack(${JSON.stringify(packed(value))})`;
  const byScript = (all) => Object.entries(all).map(([name, value]) => `${JSON.stringify(name)}: ${ranges(value)}`);
  const fields = Object.entries(table).map(([name, value]) => {
    if (name === "letters" || name === "marks") return `${name}: { ${byScript(value).join(", ")} }`;
    return `${name}: ${/^(marks_of|signs)/.test(name) ? ranges(value) : JSON.stringify(value)}`;
  });
  const pairs = `${JSON.stringify(flat.join(" "))}.match(/[^ ]+ [^ ]+/g).map((pair) => pair.split(" "))`;
  fields.push(`look_alikes: Object.fromEntries(${pairs})`);
  return `const unpack = ${UNPACK};\nexport default { ${fields.join(", ")} };`;
};

const names = {
  name: "names",
  setup: ({ onLoad }) => {
    const read = ({ path }) => ({ contents: tableOfNames(readFileSync(path, "utf8")), loader: "js" });
    onLoad({ filter: /names\.json$/ }, read);
  },
};

/** Lists for programs, in a build that does not show them, since its answers say it for people: they are empty. */
const unsaid = {
  name: "unsaid",
  setup: ({ onLoad }) => {
    const contents = 'export const leftOpen = () => []; export const [logLeftOpen, recourseLeftOpen] = [() => "", () => ""];';
    onLoad({ filter: /left_open\.ts$/ }, () => ({ contents, loader: "js" }));
  },
};

/** What takes the place of the table of words: a piece of a module. */
const sentences = (contents) => ({
  name: "sentences",
  setup: ({ onLoad }) => onLoad({ filter: /words\.json$/ }, () => ({ contents, loader: "js", resolveDir: TABLES })),
});

/**
 * Return one script of a source and all that it imports, and its technical sentences in German. `table` is the module
 * of the words, in which GERMAN stands for that list; `lists` is whether lists for programs are shown.
 */
export const script = async (file, format, table, lists = false) => {
  const done = await build({
    entryPoints: [file], bundle: true, minify: true, write: false, format, target: "es2022", charset: "utf8",
    legalComments: "none", plugins: [styles, names, ...(lists ? [] : [unsaid]), sayings, tables, sentences(table)],
    define: { VERSION: JSON.stringify(version) },
    external: ["./equiproof-certificate.*.js"],
  });
  const options = { module: format === "esm", ecma: 2022, compress: { passes: 3 }, format: { comments: false } };
  const { scripts: [text], german } = numbered([done.outputFiles[0].text]);
  const whole = text.replace(/\bGERMAN\b/, () => JSON.stringify(german));
  return { code: (await minify(whole, options)).code.trim(), german };
};

/** Return the licences of what a build holds besides the project's own. */
export const licences = () => {
  const text = readFileSync(join(here, "..", "..", "go-gnark", "verify", "tables", "names.LICENSE"), "utf8").trim();
  return `Tables of Unicode\n\n${text}`;
};
