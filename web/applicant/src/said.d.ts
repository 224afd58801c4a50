/** The sentences by language and name. */
declare module "*/said.json" {
  const table: Readonly<Record<"en" | "de", Readonly<Record<string, string>>>>;
  export default table;
}
