/** What a spec calls its labels, features and units in a language: the owner's translation, or its own words. */

import type { Feature, SpecFields } from "./spec.js";

/** The languages of translations, in the order of checks. */
export const LANGUAGES = ["en", "de"] as const;
type Language = (typeof LANGUAGES)[number];

export function nameIn(feature: Feature, language: Language): string {
  return feature[language]?.name ?? feature.name;
}

export function unitIn(feature: Feature, language: Language): string {
  return feature[language]?.unit ?? feature.unit;
}

export function labelsIn(fields: SpecFields, language: Language): readonly string[] {
  return fields[language]?.labels ?? fields.labels;
}
