// The verifier's own hashes, of bytes in hexadecimal digits.
import { hex, sha256 } from "../../web/verifier/src/bytes.js";
import { keccak256 } from "../../web/verifier/src/keccak.js";
import { keccak_256 } from "../../web/verifier/node_modules/@noble/hashes/sha3.js";

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));

export const hash_sha256 = (text: string): string => hex(sha256(bytes(text)));
export const hash_keccak = (text: string): readonly [string, string] => [
  hex(keccak256(bytes(text))), hex(keccak_256(bytes(text))),
];
