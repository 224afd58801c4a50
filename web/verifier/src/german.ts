/** The sentences for technical readers in German. Builds put a list of their own sentences in place of this module. */

import KINDS from "../../../go-gnark/verify/tables/kinds.json";
import MESSAGES from "../../../go-gnark/verify/tables/messages.json";
import type { Sentences } from "./language.js";
import { OPTIONS, placesOf } from "./sentence.js";

const numbered = ([id, text]: [string, string]): [string, string] => {
  const places = placesOf(MESSAGES.en[id] ?? "");
  return [id, text.replace(OPTIONS, "").replace(/\{([a-z_]+)\}/g, (_, place: string) => `{${places.indexOf(place)}}`)];
};

const kinds = Object.entries(KINDS).map(([mark, { german }]) => [`kind.${mark}`, german] as const);

/** For `speak`. */
export const GERMAN: Sentences = Object.fromEntries([...Object.entries(MESSAGES.de).map(numbered), ...kinds]);
