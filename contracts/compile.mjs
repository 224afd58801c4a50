// Compiles a contract that `equiproof keys solidity` made: node compile.mjs CONTRACT.json > CODE.json
// Prints its ABI, the code to deploy, and the code that then stands on the chain.
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import solc from "solc";

const MADE = ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"];

/** Returns what the compiler makes of sources by their file's name; warnings are errors. */
export const compiled = (sources, settings) => {
  const files = Object.entries(sources).map(([name, content]) => [name, { content }]);
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(files),
    settings: { ...settings, outputSelection: { "*": { "*": MADE } } },
  };
  const { contracts, errors } = JSON.parse(solc.compile(JSON.stringify(input)));
  if (errors) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
  return contracts;
};

/** Returns ABI and code of the contract with this file of metadata; its source stands beside it. */
const contractAt = (path) => {
  const metadata = JSON.parse(readFileSync(path));
  if (metadata.format !== "equiproof-contract" || metadata.version !== 2)
    throw new Error(`${path}: not the metadata of a contract, version 2`);
  const source = readFileSync(join(dirname(path), metadata.source));
  if (createHash("sha256").update(source).digest("hex") !== metadata.source_digest)
    throw new Error(`${metadata.source}: not the source that the metadata names`);
  if (!solc.version().startsWith(`${metadata.compiler}+`))
    throw new Error(`the compiler is ${solc.version()}, the metadata names ${metadata.compiler}`);
  const made = compiled({ [metadata.source]: source.toString() }, metadata.settings)[metadata.source][metadata.name];
  if (!made) throw new Error(`${metadata.source}: no contract ${metadata.name}`);
  const { abi, evm } = made;
  const { key, link_key, name } = metadata;
  return { key, link_key, name, abi, code: evm.bytecode.object, runtime: evm.deployedBytecode.object };
};

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const path = process.argv[2];
  try {
    if (!path) throw new Error("want the contract's metadata, such as key/contract.json");
    console.log(JSON.stringify(contractAt(path)));
  } catch (error) {
    console.error(`compile: ${error.message}`);
    process.exit(2);
  }
}
