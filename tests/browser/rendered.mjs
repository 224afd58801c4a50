// Builds the page of rendered.ts: node rendered.mjs FILE.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { script, style } from "../../web/element/building.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, "..", "..", "web");
const words = readFileSync(join(here, "..", "..", "go-gnark", "verify", "tables", "words.json"), "utf8");
const css = await style(join(web, "element", "src", "style.css"), join(web, "page", "src", "page.css"));
const from = `export default ${words}; export const sentences = () => [];`;
const { code } = await script(join(here, "rendered.ts"), "iife", from);
writeFileSync(process.argv[2], `<!doctype html><html lang="en"><meta charset="utf-8"><title>Answer</title>
<style>${css}</style><div class="wrap"><main class="box"></main></div><script>${code}</script>`);
