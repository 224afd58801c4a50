/** What circuits/names.json holds: characters as ranges of code points in hexadecimal. */
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
