/**
 * Certificates of one kind that were handed over for those of another one. Twin of circuits/kinds.py, which knows all
 * documents.
 */

import { parse } from "./canonical.js";
import { anything } from "./kinds.js";
import { called, sentence } from "./sentence.js";

/** By format mark, what certificates are called, and the command that verifies them. */
const CERTIFICATES: Readonly<Record<string, readonly [() => string, string]>> = {
  "equiproof-certificate": [() => called("equiproof-certificate"), "equiproof verify"],
  "equiproof-gain": [() => called("equiproof-gain"), "equiproof gain verify"],
  "equiproof-box": [() => called("equiproof-box"), "equiproof box verify"],
};

/** Return words for the kind of a file and for the one of `mark`; undefined unless both are certificates and differ. */
export function mistaken(data: Uint8Array, mark: string): string | undefined {
  const found = markOf(data);
  if (found === mark || !Object.hasOwn(CERTIFICATES, found)) return undefined;
  const [stated, wanted] = [CERTIFICATES[found], CERTIFICATES[mark]];
  if (stated === undefined || wanted === undefined) return undefined;
  const [kind, command] = stated;
  const named = sentence("format.kind", { kind: kind() });
  const words = sentence("format.kind_wanted", { stated: named, kind: wanted[0]() });
  return words + sentence("format.verify_by", { command });
}

/** Return the format mark of a file; nothing for anything that has none. */
function markOf(data: Uint8Array): string {
  try {
    const found = parse(data, anything, "");
    return found instanceof Map ? String(found.get("format")) : "";
  } catch {
    // What is no JSON, or has brackets in each other beyond the stack, is no document.
    return "";
  }
}
