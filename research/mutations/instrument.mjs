// Puts every mutant of the TypeScript verifier behind a switch, by StrykerJS. It is run in a copy of web/verifier, from
// the folder of the package, whose sources it rewrites; it prints the mutants as JSON, and the texts that they are of.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createInstrumenter } from "@stryker-mutator/instrumenter";

import { inPlace, sentenceTables } from "./sayings.mjs";

const tables = sentenceTables();
const unmutated = /\.d\.ts$|^(fields|reasons)\.ts$/;
const names = readdirSync("src", { recursive: true }).filter((name) => name.endsWith(".ts") && !unmutated.test(name)).sort();
// Sentences stand in place of their ids first, as in every build: a build finds them by the text of the sources.
const files = names.map((name) => {
  const text = readFileSync(join("src", name), "utf8");
  return { name, mutate: true, content: name === "sentence.ts" ? text : inPlace(text, tables) };
});
const texts = Object.fromEntries(files.map(({ name, content }) => [name, content]));

/** What StrykerJS asks for its parts. */
const injector = (values) => ({
  provideValue: (name, value) => injector({ ...values, [name]: value }),
  injectClass: (kind) => new kind(...kind.inject.map((name) => values[name])),
});
const logger = new Proxy({}, { get: () => () => false });
const instrument = (ignorers) =>
  createInstrumenter(injector({ logger }))
    .instrument(files, { plugins: null, ignorers, excludedMutations: [], noHeader: false });

/** Whether a mutant of a pattern is a pattern: one that is none would keep the whole file from being read. */
const isPattern = (literal) => {
  const [, pattern, flags] = /^\/(.*)\/(\w*)$/s.exec(literal);
  try {
    return Boolean(new RegExp(pattern, flags));
  } catch {
    return false;
  }
};
/** Where a place of the text begins and ends, in bytes. */
const bytesOf = (name, { start, end }) => {
  const lines = texts[name].split("\n");
  const before = ({ line, column }) => [...lines.slice(0, line), lines[line].slice(0, column)].join("\n");
  return [start, end].map((at) => Buffer.byteLength(before(at)));
};
const textOf = (name, { start, end }) => {
  const lines = texts[name].split("\n").slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column);
  lines[0] = lines[0].slice(start.column);
  return lines.join("\n");
};
const patterns = (await instrument([])).mutants.filter(({ mutatorName }) => mutatorName === "Regex");
const broken = patterns.filter(({ replacement }) => !isPattern(replacement));
const spared = new Set(broken.map(({ fileName, location }) => textOf(fileName, location)));
const shouldIgnore = (path) =>
  path.isRegExpLiteral() && spared.has(`/${path.node.pattern}/${path.node.flags}`) ? "no pattern" : undefined;
const instrumented = await instrument([{ shouldIgnore }]);

for (const { name, content } of instrumented.files) writeFileSync(join("src", name), content);

const mutants = instrumented.mutants.filter(({ status }) => status !== "Ignored").map(({ id, fileName, mutatorName, replacement, location }) => ({
  id, file: fileName, kind: mutatorName, line: location.start.line + 1, at: location.start.column,
  before: textOf(fileName, location), after: replacement, bytes: bytesOf(fileName, location),
}));
process.stdout.write(JSON.stringify({ texts, mutants }));
