/** What go-gnark/verify/tables/names.json holds: characters as ranges of code points in hexadecimal. */
declare module "*/names.json" {
  const table: {
    readonly longest: number;
    readonly marks_in_a_row: number;
    readonly letters: Readonly<Record<string, string>>;
    readonly marks: Readonly<Record<string, string>>;
    readonly marks_of_any_script: string;
    readonly signs: string;
    readonly one_of: readonly string[];
    readonly together: readonly string[];
    readonly right_to_left: readonly string[];
    readonly signs_from_right: string;
    /** By what they look like. */
    readonly look_alikes: Readonly<Record<string, string>>;
  };
  export default table;
}

/** What go-gnark/verify/tables/messages.json holds: sentences by language and id. */
declare module "*/messages.json" {
  const table: Readonly<Record<"en" | "de", Readonly<Record<string, string>>>>;
  export default table;
}

/** What go-gnark/verify/tables/kinds.json holds: what documents are called, by their format marks. */
declare module "*/kinds.json" {
  const table: Readonly<Record<string, { readonly name: string; readonly german: string }>>;
  export default table;
}

/** What go-gnark/verify/tables/written.json holds: sentences of documents by id. */
declare module "*/written.json" {
  const table: Readonly<Record<string, string>>;
  export default table;
}

/** What go-gnark/verify/tables/policies.json holds of each policy, as far as policy files need it. */
declare module "*/policies.json" {
  const table: Readonly<Record<string, { readonly field?: string; readonly kind: string }>>;
  export default table;
}

/** What go-gnark/verify/tables/reasons.json holds; builds write how each reason is shown, and leave its class out. */
declare module "*/reasons.json" {
  type Class = "format" | "key" | "proof" | "policy" | "export" | "package";
  const table: {
    readonly classes: Readonly<Record<Class, { readonly shown: string }>>;
    /** The outcome of each sentence. */
    readonly shown: Readonly<Record<string, string>>;
    readonly reasons: Readonly<Record<string, { readonly class?: Class; readonly shown?: string }>>;
  };
  export default table;
}

/** What go-gnark/verify/tables/answers.json holds of answers and refusals; builds leave the rest out. */
declare module "*/answers.json" {
  /** One sentence and when it is said; go-gnark/verify/tables/answers.go describes the fields. */
  export interface Row<Part extends string> {
    readonly say: string;
    readonly each?: string;
    readonly when?: Readonly<Record<string, readonly string[]>>;
    readonly with?: Readonly<Record<string, Part>>;
    readonly joined?: true;
    readonly warning?: true;
    readonly outcome?: "valid" | "open";
  }
  export type Parts<Part extends string> = Readonly<Record<Part, readonly Row<Part>[]>>;
  type OfAnswers =
    | "heading"
    | "below"
    | "about"
    | "sentences"
    | "features"
    | "many"
    | "bars_heading"
    | "bars_note"
    | "checked"
    | "not_checked"
    | "never_shown";
  const table: { readonly answer: Parts<OfAnswers>; readonly refusal: Parts<"heading" | "below"> };
  export default table;
}

/** What go-gnark/verify/tables/words.json holds: sentences by language and name. */
declare module "*/words.json" {
  const table: Readonly<Record<"en" | "de", Readonly<Record<string, string>>>>;
  export default table;
  /** The element's table alone begins with English, and loads the sentences of other languages. */
  export const load: (language: "en" | "de") => Promise<void>;
  /** Those of page and element have the sentences for technical readers too; of English ones there is no list. */
  export const sentences: (language: "en" | "de") => readonly string[];
}
