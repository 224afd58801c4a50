// The modules that programs import, by name; index is the one for pages, too.
export const modules = ["index", "answers", "box", "drand", "gain", "lot", "signers"];
