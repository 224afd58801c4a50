// Signed notes, as tests ask for them.
import { holds } from "../../web/verifier/src/ed25519.js";
import { parseKeys, parseNote, whoSigned } from "../../web/verifier/src/notes.js";

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));

/** The names of those of the keys that signed a note, or what is wrong with note or keys. */
export const note = (data: string, lines: string): Record<string, unknown> => {
  try {
    const keys = parseKeys(lines, "keys");
    return { value: whoSigned(parseNote(bytes(data)), keys).map(({ name }) => name) };
  } catch (error) {
    return { fault: (error as Error).name === "NoteError" ? (error as Error).message : String(error) };
  }
};

export const signature_holds = (publicKey: string, signature: string, message: string): boolean =>
  holds(bytes(publicKey), bytes(signature), bytes(message));
