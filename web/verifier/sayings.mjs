// A part of every build: puts sentences of the tables in place of their ids, as template literals. A bundle holds the
// sentences that it can say in English, and no table; in German they are a list beside it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TABLES = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "go-gnark", "verify", "tables");
const CALL = /(?<![.\w])(called|sentence|written)\(\s*"([a-z0-9_.-]+)"\s*/g;
const IMPORT = /^import \{ (?:called|sentence|written)(?:, (?:sentence|written))* \} from "([^"]+\/)sentence\.js";\n/m;
/** An id before its template in a script that was built. */
const SAID = /\("([a-z_]+\.[a-z0-9_-]+)"\)`/g;
/** A bracket that names options: of a command line, which programs in TypeScript have not. */
const OPTIONS = / \([^()]*--[^()]*\)/g;
const PLACE = /\{([a-z_]+)\}/g;

/** Return the text up to the bracket that closes the one before `start`, in its parts between commas. */
const arguments_ = (text, start) => {
  const parts = [];
  let depth = 0, from = start, at = start;
  for (; depth > 0 || !")]}".includes(text[at]); at++) {
    if (at >= text.length) throw new Error(`nothing closes ${text.slice(start, start + 60)}`);
    if ("([{".includes(text[at])) depth++;
    else if (")]}".includes(text[at])) depth--;
    else if ('"`'.includes(text[at])) {
      const quote = text[at];
      while (text[++at] !== quote) if (text[at] === "\\") at++;
    } else if (text[at] === "," && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return { parts: [...parts, text.slice(from, at)].map((part) => part.trim()).filter(Boolean), end: at + 1 };
};

/** Return the values of an object literal by name: `name: expression`, or `name` alone. */
const valuesOf = (literal) => {
  const { parts } = arguments_(literal, 1);
  return Object.fromEntries(parts.map((part) => {
    const [, name, value = name] = /^(\w+)(?:\s*:\s*([^]+))?$/.exec(part) ?? [];
    if (name === undefined) throw new Error(`not a value with a name: ${part}`);
    return [name, value];
  }));
};

/** Return the places of a sentence, without those of options. */
const placesOf = (text) => [...text.replace(OPTIONS, "").matchAll(PLACE)].map(([, place]) => place);

/**
 * Return a module with each sentence in place of the call that names it; errors name an id or a value that is wrong. A
 * sentence for readers is a template in English with its id before it: `said` looks for it in another language.
 */
export const inPlace = (text, tables) => {
  const whole = replaced(text, tables);
  return whole === text ? text : whole.replace(IMPORT, (_, folder) => `import { said } from "${folder}language.js";\n`);
};

/** The id of what a function of sentence.ts says: a kind of document has the one of its mark. */
const idOf = (name, id) => name === "called" ? `kind.${id}` : id;

const replaced = (text, { messages, written }) => {
  let made = "", from = 0;
  for (const match of text.matchAll(CALL)) {
    if (match.index < from) continue; // a value of the call before
    const [call, name, given] = match;
    const id = idOf(name, given);
    const english = name === "written" ? written[id] : messages.en[id];
    if (english === undefined) throw new Error(`${name === "written" ? name : "messages"}.json has no sentence ${id}`);
    const { parts, end } = arguments_(text, match.index + call.length);
    const values = parts.length ? valuesOf(parts[0]) : {};
    const places = [...english.matchAll(PLACE)].map(([, place]) => place);
    if (String(Object.keys(values).sort()) !== String([...places].sort())) throw new Error(`${id}: want ${places}`);
    const escaped = english.replace(OPTIONS, "").replace(/[\\`]|\$(?=\{)/g, "\\$&");
    const value = (place) => replaced(values[place], { messages, written });
    const quoted = escaped.replace(PLACE, (_, place) => "${" + value(place) + "}");
    made += `${text.slice(from, match.index)}${name === "written" ? "" : `said("${id}")`}\`${quoted}\``;
    from = end;
  }
  return made + text.slice(from);
};

/**
 * Return scripts with numbers in place of the ids of their sentences, and these sentences in German in the order of
 * their numbers: places are numbered as in English.
 */
export const numbered = (scripts, { messages } = sentenceTables()) => {
  const ids = [...new Set(scripts.flatMap((script) => [...script.matchAll(SAID)].map(([, id]) => id)))].sort();
  const german = ids.map((id) => {
    const places = placesOf(messages.en[id]);
    return messages.de[id].replace(OPTIONS, "").replace(PLACE, (_, place) => `{${places.indexOf(place)}}`);
  });
  const number = (script) => script.replace(SAID, (_, id) => `(${ids.indexOf(id)})\``);
  return { scripts: scripts.map(number), german };
};

/** Return the tables of sentences as builds use them. */
export const sentenceTables = () => {
  const table = (name) => JSON.parse(readFileSync(join(TABLES, `${name}.json`), "utf8"));
  return { messages: withKinds(table("messages"), table("kinds")), written: table("written") };
};

/** Return the sentences, with what documents are called among them. */
const withKinds = ({ en, de }, kinds) => {
  const rows = Object.entries(kinds);
  const named = (word) => Object.fromEntries(rows.map(([mark, row]) => [idOf("called", mark), row[word]]));
  return { en: { ...en, ...named("name") }, de: { ...de, ...named("german") } };
};

export const sayings = {
  name: "sayings",
  setup: ({ onLoad }) => {
    const tables = sentenceTables();
    onLoad({ filter: /[\\/]src[\\/](?:\w+[\\/])?\w+\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      return { contents: path.endsWith("sentence.ts") ? text : inPlace(text, tables), loader: "ts" };
    });
  },
};
