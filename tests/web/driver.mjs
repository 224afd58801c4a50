// Runs the package for tests: a JSON command per line on standard input, a JSON answer per line. Two modules are given:
// the bundle that pages load, and what tests see of its inside.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

import { judge } from "./judge.mjs";

const [, , bundle, inner] = process.argv;
const product = await import(pathToFileURL(bundle));
const inside = await import(pathToFileURL(inner));
console.warn = () => {};

// English is spoken, and each sentence that is said must be one of the German ones.
const german = product.GERMAN ?? (await import(new URL("german.js", pathToFileURL(bundle)))).GERMAN;
const checked = (sentences) => new Proxy([], {
  get: (_, id) => {
    if (!(id in sentences)) throw new Error(`no sentence in German: ${String(id)}`);
  },
});
const english = () => {
  inside.speak(checked(inside.GERMAN));
  product.speak(checked(german));
};
english();

// Buffers, as programs of Node have them: they differ from plain arrays of bytes in what `slice` returns.
const commands = {
  ...judge(product, (text) => Buffer.from(text, "hex"), (data) => data.toString("hex")),
  speak: ({ language }) => language === "de" ? product.speak(german) : english(),
  names: () => Object.keys(product),
  call: ({ name, words }) => inside[name](...words),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...words } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[command](words)) ?? null };
  } catch (error) {
    answer = { exception: error.name, reason: error.reason ?? null, message: String(error.message) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
