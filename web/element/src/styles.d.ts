/** A style as text: the build reads it and takes out what only people need. */
declare module "*.css" {
  const text: string;
  export default text;
}

/** The release, which the build puts in. */
declare const VERSION: string;
