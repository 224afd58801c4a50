// Builds the package: node build.mjs [FOLDER], by default into dist. index.js, answers.js, box.js, drand.js, gain.js,
// lot.js and signers.js, which share further files, are for programs; equiproof-verifier.min.js, as small as can be, is
// index.js for pages. german.js has the sentences of all of them in German. The packages that drand.js and signers.js
// need are not inside: npm brings them.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { minify } from "terser";

import { modules } from "./modules.mjs";
import { numbered, sayings } from "./sayings.mjs";
import { tables } from "./tables.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, "dist"));
const [index, ...others] = modules.map((name) => join(here, "src", `${name}.ts`));
const common = { bundle: true, format: "esm", target: "es2022", charset: "utf8", plugins: [sayings, tables] };

// Licences of what the bundle holds; their texts are in the files that are copied below.
const banner = "/* Equiproof: Apache-2.0. Unicode: Unicode-3.0. */\n";

mkdirSync(folder, { recursive: true });
// The names of shared files follow from their contents: an earlier build's would stay, and be packed.
for (const name of readdirSync(folder)) if (name.startsWith("shared-")) rmSync(join(folder, name));
const shared = { splitting: true, chunkNames: "shared-[hash]", packages: "external" };
const whole = await build({ ...common, ...shared, entryPoints: [index, ...others], outdir: folder, write: false });
const smallest = await build({ ...common, minify: true, entryPoints: [index], write: false });
const files = [...whole.outputFiles, ...smallest.outputFiles];
const { scripts, german } = numbered(files.map(({ text }) => text));
for (const [at, { path }] of whole.outputFiles.entries()) writeFileSync(path, scripts[at]);
writeFileSync(join(folder, "german.js"), `export const GERMAN = ${JSON.stringify(german, null, 1)};\n`);
const small = { module: true, ecma: 2022, compress: { passes: 3 }, format: { comments: false } };
writeFileSync(join(folder, "equiproof-verifier.min.js"), banner + (await minify(scripts.at(-1), small)).code);
const licences = {
  LICENSE: ["..", "..", "LICENSE"],
  "names.LICENSE": ["..", "..", "go-gnark", "verify", "tables", "names.LICENSE"],
};
for (const [name, place] of Object.entries(licences)) copyFileSync(join(here, ...place), join(folder, name));
const compiler = join(here, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "--project", here, "--outDir", folder], { stdio: "inherit" });
process.exitCode = status ?? 1;
