/** Files that a page names by their addresses. */

import type { KeyFiles } from "../../verifier/src/trust.js";
import type { Given } from "./files.js";

/** Load a file; throws an Error that names the address. */
export async function fetchFile(address: string): Promise<Given> {
  const answered = await fetch(address, { credentials: "same-origin" });
  if (!answered.ok) throw new Error(`${address}: ${answered.status}`);
  const name = new URL(address, document.baseURI).pathname.split("/").at(-1) ?? "";
  return { name, data: new Uint8Array(await answered.arrayBuffer()) };
}

/** Load the two files of a key's folder; `metadata` is the name of one of them. */
export async function fetchKey(folder: string, metadata = "key.json"): Promise<KeyFiles> {
  const at = folder.replace(/\/$/, "");
  const [document, verifying] = await Promise.all([fetchFile(`${at}/${metadata}`), fetchFile(`${at}/verifying.key`)]);
  return { name: folder, file: metadata, document: document.data, verifying: verifying.data };
}
