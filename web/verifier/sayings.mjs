// A part of every build: puts sentences of the table in place of their ids, as plain template literals. A bundle holds the
// sentences that it can say, and neither the table nor what fills it in.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TABLE = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "go-gnark", "verify", "tables", "messages.json");
const CALL = /(?<![.\w])sentence\(\s*"([a-z0-9_.]+)"\s*/g;
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

/** Return a module with each sentence in place of the call that names it; errors name an id or a value that is wrong. */
export const said = (text, messages) => {
  let made = "", from = 0;
  for (const match of text.matchAll(CALL)) {
    const [call, id] = match;
    if (messages[id] === undefined) throw new Error(`messages.json has no sentence ${id}`);
    const { parts, end } = arguments_(text, match.index + call.length);
    const values = parts.length ? valuesOf(parts[0]) : {};
    const places = [...messages[id].matchAll(PLACE)].map(([, place]) => place);
    if (String(Object.keys(values).sort()) !== String([...places].sort())) throw new Error(`${id}: want ${places}`);
    const escaped = messages[id].replace(OPTIONS, "").replace(/[\\`]|\$(?=\{)/g, "\\$&");
    const quoted = escaped.replace(PLACE, (_, place) => "${" + values[place] + "}");
    made += `${text.slice(from, match.index)}\`${quoted}\``;
    from = end;
  }
  return from ? (made + text.slice(from)).replace(/^import \{ sentence \} from "[^"]+";\n/m, "") : text;
};

export const sayings = {
  name: "sayings",
  setup: ({ onLoad }) => {
    const messages = JSON.parse(readFileSync(TABLE, "utf8"));
    onLoad({ filter: /[\\/]src[\\/](?:\w+[\\/])?\w+\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      return { contents: path.endsWith("sentence.ts") ? text : said(text, messages), loader: "ts" };
    });
  },
};
