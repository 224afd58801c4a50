// Loaded before a program that holds mutants: when it ends, the numbers of those that it ran are left in the folder that
// EQUIPROOF_REACHED names.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

process.on("exit", () => {
  const reached = globalThis.__stryker__?.mutantCoverage?.static;
  if (reached) writeFileSync(join(process.env.EQUIPROOF_REACHED, `${process.pid}.json`), JSON.stringify(Object.keys(reached)));
});
