// A part of every build: puts in place of the tables of answers, reasons and policies what programs read of them, and writes
// two sources: src/reasons.ts, which has the names of reasons as a type, and src/fields.ts, which has what reads the fields
// of documents. Sentences have a part of their own, sayings.mjs.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => JSON.parse(readFileSync(join(here, "..", "..", "go-gnark", "verify", "tables", name), "utf8"));

/** The class of reasons that no program in TypeScript gives, nor shows: it reads no time stamps. */
const WITHOUT = "stamp";

/** Return the module of the table of reasons: how each is shown, its names in one text for each way. */
export const reasonsModule = ({ classes: { [WITHOUT]: _, ...classes }, shown, reasons: all }) => {
  const reasons = Object.fromEntries(Object.entries(all).filter(([, row]) => row.class !== WITHOUT));
  const names = {};
  for (const [reason, row] of Object.entries(reasons)) {
    const [kind, sentence] = [classes[row.class], row.shown ?? classes[row.class]?.shown];
    if (kind === undefined) throw new Error(`reasons.json: ${reason}: no class ${row.class}`);
    if (shown[sentence] === undefined) throw new Error(`reasons.json: ${reason}: no sentence ${sentence}`);
    names[sentence] = [...(names[sentence] ?? []), reason];
  }
  const texts = Object.fromEntries(Object.entries(names).map(([sentence, all]) => [sentence, all.join(" ")]));
  const ofClasses = Object.fromEntries(Object.entries(classes).map(([name, row]) => [name, { shown: row.shown }]));
  return `const names = ${JSON.stringify(texts)};
const of = ([shown, all]) => all.split(" ").map((reason) => [reason, { shown }]);
const reasons = Object.fromEntries(Object.entries(names).flatMap(of));
export default { classes: ${JSON.stringify(ofClasses)}, shown: ${JSON.stringify(shown)}, reasons };`;
};

/** Return the module of the table of policies: those that a policy file may require, with what reads them. */
export const policiesModule = (policies) => {
  const rows = Object.entries(policies).filter(([, { field }]) => field !== undefined);
  const kept = rows.map(([name, { field, kind }]) => [name, { field, kind }]);
  return `export default ${JSON.stringify(Object.fromEntries(kept))};`;
};

/** The text of a function that unpacks the rows of a part, as small as can be. */
const UNPACK = `(rows) => rows.split("|").map((text) => {
  const [say, ...rest] = text.split(" "), row = { say, when: {} };
  for (const one of rest) {
    const [name, value, part] = one.split(/[=:]/);
    if (one.includes("=")) row.when[name] = value.split(",");
    else row[name] = part ? { [value]: part } : value || true;
  }
  return row;
})`;

/** Return the rows of a part as one text: of each "SENTENCE FACT=VALUE,VALUE", and other fields as "NAME:VALUE". */
const packed = (rows) => rows.map(({ say, when = {}, ...fields }) => {
  const facts = Object.entries(when).map(([fact, values]) => `${fact}=${values}`);
  const others = Object.entries(fields).map(([name, value]) => {
    if (value === true) return `${name}:`;
    return [name, ...(typeof value === "string" ? [value] : Object.entries(value).flat())].join(":");
  });
  const text = [say, ...facts, ...others].join(" ");
  if (!/^[\w.-]+( \w+(=[\w,-]+|(:\w*){1,2}))*$/.test(text)) throw new Error(`answers.json: no plain names: ${text}`);
  return text;
}).join("|");

/** Return the module of the rows of answers and refusals; errors name a row and what it names that no table has. */
export const answersModule = ({ facts, lists, answer, refusal }, { en: sentences }) => {
  for (const parts of [answer, refusal]) {
    for (const [part, rows] of Object.entries(parts)) {
      for (const { say, each, when = {}, with: inner = {}, outcome = "open" } of rows) {
        const require = (holds, what) => {
          if (!holds) throw new Error(`answers.json: ${part}: ${say}: no ${what}`);
        };
        require(sentences[say] !== undefined, `sentence ${say} in words.json`);
        require(["valid", "open"].includes(outcome), `outcome ${outcome}`);
        require(each === undefined || lists.includes(each), `list ${each}`);
        for (const [fact, values] of Object.entries(when)) {
          for (const value of values) require(facts[fact]?.includes(value), `fact ${fact} with the value ${value}`);
        }
        for (const [place, other] of Object.entries(inner)) {
          require(sentences[say].includes(`{${place}}`) && parts[other], `place ${place} for a part ${other}`);
        }
      }
    }
  }
  const module = [answer, refusal].map((parts) => {
    const all = Object.entries(parts).map(([part, rows]) => `${part}: unpack(${JSON.stringify(packed(rows))})`);
    return `{ ${all.join(", ")} }`;
  });
  return `const unpack = ${UNPACK};\nexport default { answer: ${module[0]}, refusal: ${module[1]} };`;
};

const TYPE = `/** The names of reasons. Builds write this file by go-gnark/verify/tables/reasons.json (tables.mjs). */

/** Stable names of reasons; docs/answers.md explains each. */
export type Reason =
`;

/** Return what holds the fields of a document or of a part of one: `equiproof-lot-seal` is `LOT_SEAL`. */
export const constant = (name) =>
  name.replace(/^equiproof-/, "").replaceAll("-", "_").replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();

/** Return the name of the type of a document or of a part of one: `equiproof-lot-seal` is `LotSeal`. */
const typeName = (name) =>
  name.startsWith("equiproof-") ? name.replace(/^equiproof|-(\w)/g, (_, first = "") => first.toUpperCase()) : name;

/** A call that builds leave out where nothing uses its value. */
const PURE = "/* @__PURE__ */ ";
const PLAIN = {
  ...{ text: ["TEXT", "string"], integer: ["integer", "number"], "true or false": ["flag", "boolean"] },
  "text or integer or number": ["raw", "string | number"],
};
/** How types of several words are written: what reads one, and its type, by those of what stands in it. */
const FORMS = [
  [/^(.+) or null$/, (read, type) => [`${PURE}nullable(${read})`, `${type} | null`]],
  [/^list of 2: (.+), \1$/, (read, type) => [`${PURE}pair(${read})`, `readonly [${type}, ${type}]`]],
  [/^list of (?!2: )(.+)$/, (read, type) => [`${PURE}list(${read})`, `readonly ${type.includes(" ") ? `(${type})` : type}[]`]],
  [/^object of (.+)$/, (read, type) => [`${PURE}dictionary(${read})`, `ReadonlyMap<string, ${type}>`]],
];

/** Return what reads a type in words, and the type. `part` returns both of one that is named. */
const kindOf = (words, part) => {
  if (PLAIN[words] !== undefined) return PLAIN[words];
  const [, names] = /^one of (.+?)(?<! or null)$/.exec(words) ?? [];
  if (names !== undefined) {
    const quoted = names.split(", ").map((name) => JSON.stringify(name));
    return [`${PURE}oneOf(${quoted.join(", ")})`, quoted.join(" | ")];
  }
  for (const [form, kind] of FORMS) {
    const [, inner] = form.exec(words) ?? [];
    if (inner !== undefined) return kind(...kindOf(inner, part));
  }
  return part(words);
};

const FIELDS = `/** The fields of documents. Builds write this file by go-gnark/verify/tables/documents.json (tables.mjs). */

import { dictionary, document, type Fields, flag, integer, list, nullable, oneOf, optional, pair, raw, text } from "./kinds.js";

const TEXT = ${PURE}text();
`;

/** Parts whose fields are those of the policies. */
const ELSEWHERE = ["Requirements", "ContextRequirement"];

/** Return a text with its lines folded behind commas and before bars, at 120 characters. */
const folded = (text) => {
  const fold = (line) => {
    const at = Math.max(line.lastIndexOf(", ", 118) + 1, line.lastIndexOf(" | ", 119));
    return line.length > 120 && at > 4 ? `${line.slice(0, at)}\n${fold(`    ${line.slice(at + 1)}`)}` : line;
  };
  return text.split("\n").map(fold).join("\n");
};

/** Return the module with the fields of each document and each part, and what reads the values of policy files. */
export const fieldsModule = ({ documents, parts, values }) => {
  const tables = { ...parts, ...Object.fromEntries(Object.entries(documents).map(([mark, row]) => [mark, row.fields])) };
  const written = new Map();
  const part = (name) => {
    if (ELSEWHERE.includes(name)) return [`${PURE}document({})`, "object"];
    if (tables[name] === undefined) throw new Error(`documents.json: no type ${name}`);
    if (!written.has(name)) write(name, tables[name]);
    return [`${PURE}document(${constant(name)})`, typeName(name)];
  };
  const write = (name, rows) => {
    const [types, reads] = [[], []];
    for (const [field, { type: words, required }] of Object.entries(rows)) {
      const [read, type] = kindOf(words, part);
      types.push(`  readonly ${field}: ${type}${required ? "" : " | undefined"};\n`);
      reads.push(`  ${field}: ${required ? read : `${PURE}optional(${read})`},\n`);
    }
    const [type, own] = [typeName(name), constant(name)];
    written.set(name, `
/** ${name} */
export type ${type} = {
${types.join("")}};
export const ${own}: Fields<${type}> = {
${reads.join("")}};
`);
  };
  Object.keys(tables).forEach(part);
  const kinds = Object.entries(values).map(([kind, words]) => `  ${kind}: ${kindOf(words, part)[0]},\n`);
  return folded(`${FIELDS}${[...written.values()].join("")}
/** What a policy file has for each kind of value. */
export const VALUES = {
${kinds.join("")}};
`);
};

/** Write a source; a file that holds it already stays as it is, since several builds may run at once. */
const write = (name, text) => {
  const file = join(here, "src", name);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  const made = `${file}.${process.pid}`;
  writeFileSync(made, text);
  renameSync(made, file);
};

/** Write the sources that follow from tables. */
const writeSources = () => {
  const ours = Object.entries(read("reasons.json").reasons).filter(([, row]) => row.class !== WITHOUT);
  const names = ours.map(([name]) => name);
  write("reasons.ts", `${TYPE}${names.map((name) => `  | "${name}"`).join("\n")};\n`);
  write("fields.ts", fieldsModule(read("documents.json")));
};

export const tables = {
  name: "tables",
  setup: ({ onLoad }) => {
    writeSources();
    onLoad({ filter: /reasons\.json$/ }, () => ({ contents: reasonsModule(read("reasons.json")), loader: "js" }));
    const answers = () => answersModule(read("answers.json"), read("words.json"));
    onLoad({ filter: /answers\.json$/ }, () => ({ contents: answers(), loader: "js" }));
    onLoad({ filter: /policies\.json$/ }, () => ({ contents: policiesModule(read("policies.json")), loader: "js" }));
  },
};

// Alone it writes the sources only, before a check of types.
if (process.argv[1] === fileURLToPath(import.meta.url)) writeSources();
