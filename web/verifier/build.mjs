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

// Licences of what the bundle holds; their texts are in the files that are copied below.
const banner = { js: "/* Equiproof: Apache-2.0. (c) 2022 Paul Miller, noble-curves and noble-hashes: MIT. Unicode: Unicode-3.0. */" };

mkdirSync(folder, { recursive: true });
await build({ ...common, outfile: join(folder, "index.js"), packages: "external" });
await build({ ...common, outfile: join(folder, "equiproof-verifier.min.js"), minify: true, legalComments: "none", banner });
const licences = {
  LICENSE: ["..", "..", "LICENSE"],
  "names.LICENSE": ["..", "..", "equiproof", "circuits", "names.LICENSE"],
  "noble.LICENSE": ["node_modules", "@noble", "curves", "LICENSE"],
};
for (const [name, place] of Object.entries(licences)) copyFileSync(join(here, ...place), join(folder, name));
const compiler = join(here, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "--project", here, "--outDir", folder], { stdio: "inherit" });
process.exitCode = status ?? 1;
