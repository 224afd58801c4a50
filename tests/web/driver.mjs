// Runs the package for tests: a JSON command per line on standard input, a JSON answer per line. Two modules are given:
// the bundle that pages load, and what tests see of its inside.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , bundle, inner] = process.argv;
const product = await import(pathToFileURL(bundle));
const inside = await import(pathToFileURL(inner));
console.warn = () => {};

// Buffers, as programs of Node have them: they differ from plain arrays of bytes in what `slice` returns.
const bytes = (text) => Buffer.from(text, "hex");
const policies = {
  query: ({ query }) => new product.ForQuery(product.parseQuery(query, "query.json")),
  context: ({ context }) => new product.ForContext(product.parseContext(context, "context.json")),
  min_radius: (_, text) => new product.MinRadius(text),
  transcript: (_, digest) => new product.TranscriptIs(digest),
  setup: (_, kind) => new product.SetupIs(kind),
  key: (_, name) => new product.KeyIs(name),
  model: (_, name) => new product.ModelIs(name),
  proof_system: (_, name) => new product.ProofSystemIs(name),
  no_ranges: () => new product.NoRanges(),
  all_of: (files, parts) => new product.AllOf(...parts.map((part) => policyOf(files, part))),
  any_of: (files, parts) => new product.AnyOf(...parts.map((part) => policyOf(files, part))),
};

const policyOf = (files, demands) => {
  const wanted = Object.entries(demands).filter(([, value]) => value !== false);
  const made = wanted.map(([name, value]) => policies[name](files, value));
  return made.length ? new product.AllOf(...made) : new product.UnsafeNoPolicy();
};

// Files as a relying party holds them, and in the order in which the other verifiers read them.
const judged = ({ files, policy }) => {
  const read = Object.fromEntries(Object.entries(files).map(([name, data]) => [name, bytes(data)]));
  const certificate = product.parseCertificate(read["certificate.json"], "certificate.json");
  const commitment = product.parseCommitment(read["commitment.json"], "commitment.json");
  const folders = Object.keys(read).filter((name) => /^keys\/[^./][^/]*\/key\.json$/.test(name)).sort();
  const keys = folders.map((name) => {
    const folder = name.slice(0, -"/key.json".length);
    return { name: folder, document: read[name], verifying: read[`${folder}/verifying.key`] };
  });
  const verifier = new product.Verifier(commitment, new product.TrustStore(keys));
  const given = { query: read["query.json"], context: read["context.json"] };
  const verified = verifier.verify(certificate, policyOf(given, policy));
  const { identity, sentence, made, notMade } = verified;
  const intervals = policy.query && Object.fromEntries(product.intervalsOf(verified, product.parseQuery(given.query)));
  // The caller's bytes are read and never written.
  for (const [name, data] of Object.entries(files)) if (read[name].toString("hex") !== data) throw new Error(name);
  return { identity, sentence, made, notMade, intervals };
};

const commands = {
  proof: ({ key, digest, proof }) => product.verifyProof(bytes(key), bytes(digest), bytes(proof)),
  certificate: judged,
  read: ({ kind, data }) => void product[kind](bytes(data), kind),
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
