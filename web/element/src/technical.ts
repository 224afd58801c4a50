/** The sentences for technical readers, in the language of a page. */

import { sentences } from "../../../go-gnark/verify/tables/words.json";
import { speak } from "../../verifier/src/language.js";
import type { Language } from "../../verifier/src/words.js";

/** Do something with sentences for technical readers in a language; where they are not here, in English. */
export function speaking<T>(language: Language, act: () => T): T {
  speak(sentences(language));
  try {
    return act();
  } finally {
    speak();
  }
}
