/**
 * The language of the sentences for technical readers: English, until somebody brings those of another one (german.ts).
 * The words of certificates are English in every language.
 */

/** The sentences of a language by their ids, or by the numbers that a build gave them, with their places numbered. */
export type Sentences = Readonly<Record<string, string | undefined>> | ReadonlyArray<string | undefined>;

let spoken: Sentences = [];

/** Say sentences in this language from now on; without sentences in English. */
export function speak(sentences: Sentences = []): void {
  spoken = sentences;
}

/**
 * Return what fills in the sentence of an id, a template of its English text. In another language, the values go to the
 * places of their numbers.
 */
export const said = (id: string) => (english: readonly string[], ...values: readonly unknown[]): string => {
  const text = (spoken as Readonly<Record<string, string | undefined>>)[id];
  if (text !== undefined) return text.replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)]));
  return english.map((part, at) => part + (at < values.length ? String(values[at]) : "")).join("");
};
