// What tests see of the package's inside. Integers travel as decimal text.
import { canonicalText } from "../../web/verifier/src/canonical.js";
import { pack, tag } from "../../web/verifier/src/commitment.js";
import { toHex } from "../../web/verifier/src/field.js";
import { expandMessage, hashToField } from "../../web/verifier/src/hashing.js";
import { afterNumber, complaint, jointComplaint, quoted, unitComplaint } from "../../web/verifier/src/names.js";
import { exact, integerRoot, readNumber, roundedDown } from "../../web/verifier/src/numbers.js";
import { hashElements, roundKeys } from "../../web/verifier/src/poseidon2.js";
import { compress, permute } from "../../web/verifier/src/poseidon2.js";

const numbers = (texts: readonly string[]): readonly bigint[] => texts.map(BigInt);
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));

export { afterNumber as after_number, quoted };
export const name_rule = (text: string): string | null => complaint(text)?.rule ?? null;
export const unit_rule = (text: string): string | null => (complaint(text) ?? unitComplaint(text))?.rule ?? null;
export const spec_rule = (groups: ReadonlyArray<readonly [string, string[]]>): string | null =>
  jointComplaint(new Map(groups))?.rule ?? null;
export const round_keys = (): string[][] => roundKeys().map((keys) => [...keys].map(toHex));
export const hash_elements = (elements: readonly string[]): string => toHex(hashElements(numbers(elements)));
export const compressed = (left: string, right: string): string => toHex(compress(BigInt(left), BigInt(right)));
export const permuted = (left: string, right: string): string[] => permute(BigInt(left), BigInt(right)).map(toHex);
export const packed = (values: readonly string[], width: number): string[] => pack(numbers(values), width).map(String);
export const tagged = (text: string): string => toHex(tag(text));
export const hash_to_field = (message: string, domain: string): string => toHex(hashToField(bytes(message), domain));
export const expand_message = (message: string, domain: string, length: number): string =>
  Buffer.from(expandMessage(bytes(message), domain, length)).toString("hex");
export const canonical = (text: string): string => canonicalText(JSON.parse(text));
export const root = (value: string): string => String(integerRoot(BigInt(value)));
export const rounded_down = (text: string): string => String(roundedDown(exact(text)));
export const number_of = (value: string | number): string | null => {
  const found = readNumber(value);
  return found === undefined ? null : `${found.numerator}/${found.denominator}`;
};
