// Builds the package: node build.mjs [FOLDER], by default into dist. index.js leaves the two dependencies to the
// program that imports it; equiproof-verifier.min.js holds everything, for a page.
import { copyFileSync, mkdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, "dist"));
const common = { entryPoints: [join(here, "src", "index.ts")], bundle: true, format: "esm", target: "es2022", charset: "utf8" };

mkdirSync(folder, { recursive: true });
await build({ ...common, outfile: join(folder, "index.js"), packages: "external" });
await build({ ...common, outfile: join(folder, "equiproof-verifier.min.js"), minify: true, legalComments: "inline" });
// The table of names is under Unicode's licence.
copyFileSync(join(here, "..", "..", "equiproof", "circuits", "names.LICENSE"), join(folder, "names.LICENSE"));
copyFileSync(join(here, "..", "..", "LICENSE"), join(folder, "LICENSE"));
const compiler = join(here, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "--project", here, "--outDir", folder], { stdio: "inherit" });
process.exitCode = status ?? 1;
