/**
 * Reads JSON (RFC 8259) byte by byte, so that nothing is built of a document before its form is known.
 *
 * `JSON.parse` would keep the last of two fields of a name and round large integers without a word.
 */

import { CertificateFormatError } from "./errors.js";
import { sentence } from "./sentence.js";
import { plain } from "./text.js";

/** Where in a document something stands, as people write it: `spec.features[0].name`. */
export type Path = string;

/** A number as it stands: an integer, or one with a fraction or an exponent. */
export interface NumberToken {
  readonly value: number;
  readonly whole: boolean;
}

/** What a value begins with. */
export type Start = "object" | "list" | "text" | "number" | "flag" | "null";

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** A number, and behind it what a number cannot end before. */
const NUMBER = /^(-?(?:0|[1-9][0-9]*)(?![0-9])(\.[0-9]+(?![0-9])|(?!\.))([eE][+-]?[0-9]+|(?![eE])))/;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
};
const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];
/** More digits are no number of ours. */
const LONGEST_INTEGER = 4300;

/** A document that is being read; `inexact` is set by an integer that numbers of this language do not hold. */
export class Reader {
  readonly where: string;
  inexact = false;
  readonly #data: Uint8Array;
  #at = 0;

  constructor(data: Uint8Array, where: string) {
    this.#data = data;
    this.where = where;
  }

  /** Return the error of a value that its field does not allow. */
  wrong(path: Path, message: string): CertificateFormatError {
    const [where, problem] = [this.where, plain(message)];
    const full = path ? sentence("format.field_wrong", { where, field: plain(path), problem }) : `${where}: ${problem}`;
    return new CertificateFormatError(full, "wrong-fields");
  }

  /** Return what the next value begins with, without passing it. */
  start(): Start {
    this.#blanks();
    const sign = this.#sign();
    if (sign === "{") return "object";
    if (sign === "[") return "list";
    if (sign === '"') return "text";
    if (sign === "t" || sign === "f") return "flag";
    if (sign === "n") return "null";
    if (sign === "-" || (sign >= "0" && sign <= "9")) return "number";
    throw this.#broken(sentence("format.want_value"));
  }

  /** Pass a sign if it comes next, and say whether it did. */
  passed(sign: string): boolean {
    this.#blanks();
    if (this.#sign() !== sign) return false;
    this.#at += 1;
    return true;
  }

  /** Pass a sign that must come next. */
  pass(sign: string): void {
    if (!this.passed(sign)) throw this.#broken(sentence("format.want_sign", { sign }));
  }

  /** Pass a whole document's end. */
  end(): void {
    this.#blanks();
    if (this.#at < this.#data.length) throw this.#broken(sentence("format.want_end"));
  }

  /** Pass and return true, false or null. */
  word(): boolean | null {
    for (const [word, value] of [["true", true], ["false", false], ["null", null]] as const) {
      if (this.#ascii(this.#at, this.#at + word.length) === word) {
        this.#at += word.length;
        return value;
      }
    }
    throw this.#broken(sentence("format.want_value"));
  }

  /** Pass and return a number; one too large for a number of this language is wrong at `path`. */
  number(path: Path): NumberToken {
    const from = this.#at;
    while (/[-+.0-9eE]/.test(this.#sign())) this.#at += 1;
    const [, text, fraction, power] = NUMBER.exec(DECODER.decode(this.#data.subarray(from, this.#at))) ?? [];
    if (text === undefined) throw this.#broken(sentence("format.want_number"));
    this.#at = from + text.length;
    const whole = !fraction && !power;
    const value = Number(text);
    if (whole ? text.length > LONGEST_INTEGER : !Number.isFinite(value)) {
      throw this.wrong(path, sentence("value.too_large"));
    }
    if (whole && !Number.isSafeInteger(value)) this.inexact = true;
    return { value: value === 0 && whole ? 0 : value, whole };
  }

  /** Pass and return a text; one that is only `passed` over need not be UTF-8, since nobody reads it. */
  text(passed = false): string {
    if (this.#byte() !== QUOTE) throw this.#broken(sentence("format.want_text"));
    this.#at += 1;
    let found = "";
    for (;;) {
      found += this.#run(passed);
      const sign = this.#byte();
      this.#at += 1;
      if (sign === QUOTE) return found;
      if (sign !== BACKSLASH) throw this.#broken(sentence("format.want_text_end"));
      found += this.#escape();
    }
  }

  /** Pass and return the part of a text up to an escape, its end, or what it must not hold. */
  #run(passed: boolean): string {
    const from = this.#at;
    for (let byte = this.#byte(); byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH; byte = this.#byte()) {
      this.#at += 1;
    }
    if (passed) return "";
    try {
      return DECODER.decode(this.#data.subarray(from, this.#at));
    } catch {
      throw this.#broken(sentence("format.want_utf8"));
    }
  }

  /** Pass what stands behind a backslash, and return what it stands for. */
  #escape(): string {
    const sign = this.#sign();
    this.#at += 1;
    if (sign !== "u") {
      const plain = ESCAPES[sign];
      if (plain === undefined) throw this.#broken(sentence("format.want_escape"));
      return plain;
    }
    const unit = this.#unit();
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    const paired = unit < 0xdc00 && this.#ascii(this.#at, this.#at + 2) === "\\u";
    if (paired) this.#at += 2;
    const low = paired ? this.#unit() : 0;
    if (low < 0xdc00 || low > 0xdfff) throw this.#broken(sentence("format.want_pair"));
    return String.fromCharCode(unit, low);
  }

  /** Pass and return four hexadecimal digits. */
  #unit(): number {
    const digits = this.#ascii(this.#at, this.#at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#broken(sentence("format.want_escape"));
    this.#at += 4;
    return Number.parseInt(digits, 16);
  }

  #blanks(): void {
    while ([0x20, 0x09, 0x0a, 0x0d].includes(this.#byte())) this.#at += 1;
  }

  /** Return the next byte, -1 behind the end. */
  #byte(): number {
    return this.#data[this.#at] ?? -1;
  }

  /** Return the next byte as a character, nothing behind the end. */
  #sign(): string {
    return this.#ascii(this.#at, this.#at + 1);
  }

  #ascii(from: number, to: number): string {
    return String.fromCharCode(...this.#data.subarray(from, to));
  }

  #broken(message: string): CertificateFormatError {
    const problem = sentence("format.at_byte", { problem: message, position: this.#at });
    return new CertificateFormatError(sentence("format.not_json", { where: this.where, problem }), "not-json");
  }
}
