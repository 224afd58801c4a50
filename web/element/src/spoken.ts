/** The sentences of a language: English is always here, others are loaded where they are spoken. */

import TABLE, { load } from "../../../go-gnark/verify/tables/words.json";
import type { Language } from "../../verifier/src/words.js";

/** Return a language whose sentences are here: this one, or English. */
export function here(language: Language): Language {
  return language in TABLE ? language : "en";
}

/** Load the sentences of a language; where that fails, English is spoken. */
export async function learn(language: Language): Promise<void> {
  await load(language).catch(() => undefined);
}
