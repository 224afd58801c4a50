// Stands in place of build.mjs of a copy of web/verifier that holds mutants: the same modules, with nothing made smaller
// and no types judged, since a switch in the sources changes both.
import { join, resolve } from "node:path";

import { build } from "esbuild";

import { modules } from "./modules.mjs";
import { tables } from "./tables.mjs";

const folder = resolve(process.argv[2]);
const [index, ...others] = [...modules, "german"].map((name) => join("src", `${name}.ts`));
const common = { bundle: true, format: "esm", target: "es2022", charset: "utf8", plugins: [tables] };
await build({ ...common, splitting: true, packages: "external", entryPoints: [index, ...others], outdir: folder });
await build({ ...common, entryPoints: [index], outfile: join(folder, "equiproof-verifier.min.js") });
