// Times one verification in a process of its own: node web.mjs BUNDLE FOLDER. Prints milliseconds as JSON: loading the
// bundle, the first verification after it, and the median of later ones.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , bundle, folder] = process.argv;
const read = (name) => readFileSync(join(folder, name));
const names = ["certificate.json", "commitment.json", "query.json", "context.json"];
const [certificate, commitment, query, context] = names.map(read);
const keys = [{ document: read("keys/key/key.json"), verifying: read("keys/key/verifying.key") }];

const begun = performance.now();
const { AllOf, ForContext, ForQuery, MinRadius, parseContext, parseQuery, verify } = await import(pathToFileURL(bundle));
const loaded = performance.now();
const once = () => {
  const start = performance.now();
  const about = [new ForQuery(parseQuery(query)), new ForContext(parseContext(context)), new MinRadius("0.1")];
  verify({ certificate, commitment, keys }, new AllOf(...about));
  return performance.now() - start;
};
const first = once();
const later = Array.from({ length: 9 }, once).sort((left, right) => left - right);
console.log(JSON.stringify({ load: loaded - begun, first, later: later[4] }));
