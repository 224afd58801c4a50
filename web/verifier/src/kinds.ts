/**
 * Kinds of fields: what a document may hold, as a table. Twin of the types that msgspec decodes into.
 *
 * Unknown fields, missing fields and wrong types are refused as soon as they are met, with the field's name.
 */

import type { Path, Reader, Start } from "./reader.js";
import { sentence } from "./sentence.js";

/** Reads one kind of value; throws CertificateFormatError for any other. */
export interface Kind<T> {
  read(from: Reader, path: Path): T;
  /** The value of a field that is absent; a field without it must be there. */
  readonly absent?: { readonly value: T };
}

/** The type of a kind's values. */
export type Of<K> = K extends Kind<infer T> ? T : never;

/** The type of a document by its fields. */
export type Document<F> = { readonly [Name in keyof F]: Of<F[Name]> };

/** What reads the fields of a document, by its type. */
export type Fields<T> = { readonly [Name in keyof T]: Kind<T[Name]> };

interface Lengths {
  readonly least?: number;
  readonly most?: number;
}

/** The name of what a value begins with; in the language of the moment, so that none is said when this is loaded. */
const TYPES: Readonly<Record<Start, () => string>> = {
  object: () => sentence("type.object"),
  list: () => sentence("type.list"),
  text: () => sentence("type.text"),
  number: () => sentence("type.number"),
  flag: () => sentence("type.flag"),
  null: () => sentence("type.null"),
};

/** Throw the error of a value of another type. Texts, numbers and words are read first: they must be well formed. */
function expected(from: Reader, path: Path, wanted: string): never {
  const found = from.start();
  if (found === "text") from.text(true);
  if (found === "number") from.number(path);
  if (found === "flag" || found === "null") from.word();
  throw from.wrong(path, sentence("value.of_other_type", { wanted, found: TYPES[found]() }));
}

function want(from: Reader, path: Path, start: Start, wanted: () => string = TYPES[start]): void {
  if (from.start() !== start) expected(from, path, wanted());
}

/** A text; lengths count code points. */
export function text({ least = 0, most = Infinity }: Lengths = {}): Kind<string> {
  return {
    read(from, path) {
      want(from, path, "text");
      const found = from.text();
      if (most === Infinity) return found;
      const length = [...found].length;
      if (length < least || length > most) throw from.wrong(path, sentence("value.length_wrong", { least, most }));
      return found;
    },
  };
}

/** An integer. One beyond 2^53 has no canonical form, and is refused with the document. */
export const integer: Kind<number> = {
  read(from, path) {
    want(from, path, "number", () => sentence("type.integer"));
    const found = from.number(path);
    if (!found.whole) throw from.wrong(path, sentence("value.want_integer"));
    return found.value;
  },
};

/** True or false. */
export const flag: Kind<boolean> = {
  read(from, path) {
    want(from, path, "flag");
    return from.word() === true;
  },
};

/** A raw feature value: text, or a number as it prints. */
export const raw: Kind<string | number> = {
  read(from, path) {
    const start = from.start();
    if (start === "text") return from.text();
    if (start === "number") return from.number(path).value;
    return expected(from, path, sentence("type.text_or_number"));
  },
};

/** One of these texts. */
export function oneOf<const T extends string>(...texts: readonly T[]): Kind<T> {
  const any = text();
  return {
    read(from, path) {
      const found = any.read(from, path);
      const known = texts.find((known) => known === found);
      if (known !== undefined) return known;
      const value = `'${found.slice(0, 40)}'`;
      throw from.wrong(path, sentence("value.not_one_of", { value, known: texts.join(", ") }));
    },
  };
}

/** A list of values of a kind. */
export function list<T>(kind: Kind<T>, most = Infinity, least = 0): Kind<readonly T[]> {
  return {
    read(from, path) {
      want(from, path, "list");
      const found: T[] = [];
      from.pass("[");
      for (let more = !from.passed("]"); more; more = !ended(from, "]")) {
        if (found.length >= most) throw from.wrong(path, sentence("value.list_length_wrong", { length: most }));
        found.push(kind.read(from, `${path}[${found.length}]`));
      }
      if (found.length < least) throw from.wrong(path, sentence("value.list_length_wrong", { length: least }));
      return found;
    },
  };
}

/** Two values of a kind. */
export function pair<T>(kind: Kind<T>): Kind<readonly [T, T]> {
  const both = list(kind, 2, 2);
  return {
    read(from, path) {
      const [first, second] = both.read(from, path) as readonly [T, T];
      return [first, second];
    },
  };
}

/** An object of values of a kind by any names; `repeated` is called for a name that stands there twice. */
export function dictionary<T>(
  kind: Kind<T>,
  name: Kind<string> = text(),
  most = Infinity,
  repeated: () => void = () => undefined,
): Kind<ReadonlyMap<string, T>> {
  return {
    read(from, path) {
      want(from, path, "object");
      const found = new Map<string, T>();
      each(from, () => {
        const inside = sentence("format.a_name_in_it");
        const key = name.read(from, path ? `${path}, ${inside}` : inside);
        from.pass(":");
        if (found.has(key)) repeated();
        found.set(key, kind.read(from, `${path}${path ? "." : ""}${key.slice(0, 40)}`));
      });
      if (found.size > most) throw from.wrong(path, sentence("value.too_many_entries", { most }));
      return found;
    },
  };
}

/** An object of these fields and no others. */
export function document<F extends { readonly [name: string]: Kind<unknown> }>(fields: F): Kind<Document<F>> {
  return {
    read(from, path) {
      want(from, path, "object");
      const found = new Map<string, unknown>();
      each(from, () => {
        const name = from.text();
        from.pass(":");
        const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
        if (kind === undefined) {
          throw from.wrong(path, sentence("value.field_unknown", { field: `'${name.slice(0, 40)}'` }));
        }
        found.set(name, kind.read(from, path ? `${path}.${name}` : name));
      });
      for (const [name, { absent }] of Object.entries(fields)) {
        if (found.has(name)) continue;
        if (absent === undefined) throw from.wrong(path, sentence("value.field_missing", { field: `'${name}'` }));
        found.set(name, absent.value);
      }
      return Object.fromEntries(found) as Document<F>;
    },
  };
}

/** Any value: what holds it says later what it wants. */
export const anything: Kind<unknown> = {
  read(from, path) {
    const start = from.start();
    if (start === "object") return dictionary(anything).read(from, path);
    if (start === "list") return list(anything).read(from, path);
    if (start === "text") return from.text();
    return start === "number" ? from.number(path).value : from.word();
  },
};

/** A value of a kind, or null. */
export function nullable<T>(kind: Kind<T>): Kind<T | null> {
  return { read: (from, path) => (from.start() === "null" ? from.word() as null : kind.read(from, path)) };
}

/** A field that may be absent, and then is no part of the canonical form. */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return { read: (from, path) => kind.read(from, path), absent: { value: undefined } };
}

/** A field that may be absent, and then has this value, which is a part of the canonical form. */
export function otherwise<T>(kind: Kind<T>, value: T): Kind<T> {
  return { read: (from, path) => kind.read(from, path), absent: { value } };
}

/** Fields of a document, with values of some that may be absent: parts of the canonical form. */
export function filled<F extends { readonly [name: string]: Kind<unknown> }, Name extends keyof F>(
  fields: F,
  values: { readonly [N in Name]: undefined extends Of<F[N]> ? Exclude<Of<F[N]>, undefined> : never },
): { readonly [N in keyof F]: N extends Name ? Kind<Exclude<Of<F[N]>, undefined>> : F[N] } {
  const own = Object.entries<unknown>(values).map(([name, value]) => [name, otherwise(fields[name]!, value)]);
  return { ...fields, ...Object.fromEntries(own) };
}

/** Read the entries of an object one by one. */
function each(from: Reader, entry: () => void): void {
  from.pass("{");
  for (let more = !from.passed("}"); more; more = !ended(from, "}")) {
    if (from.start() !== "text") from.pass('"');
    entry();
  }
}

/** Pass the end of an object or a list and return true, or pass the comma before the next entry and return false. */
function ended(from: Reader, end: string): boolean {
  if (from.passed(end)) return true;
  from.pass(",");
  return false;
}
