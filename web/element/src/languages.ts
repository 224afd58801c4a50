/** Which of the table's languages a reader is answered in. */

import type { Language } from "../../verifier/src/words.js";

/** Return the first language of a list that the table has; English where it has none of them. */
export function preferred(languages: readonly string[]): Language {
  const known = languages.map((one) => one.slice(0, 2).toLowerCase()).find((one) => one === "en" || one === "de");
  return known === "de" ? "de" : "en";
}
