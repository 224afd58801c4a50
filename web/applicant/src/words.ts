/** The sentences around the check: what a link shows before there is a certificate, and beside it. */

import type { Language } from "../../verifier/src/words.js";
import TABLE from "./said.json";

/** Return a sentence with its places filled in; what is filled in is isolated, since it is somebody's own words. */
export function say(language: Language, which: string, texts: Readonly<Record<string, string>> = {}): string {
  const sentence = TABLE[language][which] ?? "";
  return sentence.replace(/\{([a-z]+)\}/g, (_, name: string) => `\u2068${texts[name] ?? ""}\u2069`);
}
