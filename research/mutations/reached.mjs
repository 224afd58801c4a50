// Loaded before a program that holds mutants: when it ends, EQUIPROOF_REACHED, a folder, has the numbers of those that ran,
// by what of the tests ran meanwhile (contexts.py keeps it in the file that EQUIPROOF_CONTEXT names). A program that
// answers lines is asked by one test after another; what it ran before the first line is of whoever started it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const context = () => readFileSync(process.env.EQUIPROOF_CONTEXT, "utf8");
const starter = process.env.EQUIPROOF_STARTER;
const switches = (globalThis.__stryker__ ??= {});
const { emit } = process.stdin;

process.stdin.emit = function (event, ...values) {
  if (event === "data") switches.currentTestId = context();
  return emit.call(this, event, ...values);
};

process.on("exit", () => {
  const { perTest, static: early } = switches.mutantCoverage ?? {};
  if (!early) return;
  const reached = Object.entries({ ...perTest, [starter]: { ...perTest[starter], ...early } }).map(([name, ran]) => [name, Object.keys(ran)]);
  writeFileSync(join(process.env.EQUIPROOF_REACHED, `${process.pid}.json`), JSON.stringify(reached));
});
