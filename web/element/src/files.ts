/** The files that a reader gives: from a drop, a choice or a text. Nothing is read beyond what a bundle may have. */

/** A file with its name; `path` is where it stood in a folder. */
export interface Given {
  readonly name: string;
  readonly data: Uint8Array;
}

/** No file of ours is larger, and a longer one is cut: what reads it then says that it is too long. */
const MOST_BYTES = (8 << 20) + 1;
/** A folder of a certificate has fewer. */
const MOST_FILES = 64;
const DEEPEST = 4;

/** Read files as they are. */
export async function readAll(files: Iterable<File>): Promise<readonly Given[]> {
  return Promise.all([...files].slice(0, MOST_FILES).map(read));
}

/** Read what was dropped: files, and the files of folders. */
export async function dropped(transfer: DataTransfer): Promise<readonly Given[]> {
  // The entries are gone once this call gives up its turn, so that they are taken first.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.some(({ isDirectory }) => isDirectory)) return readAll(transfer.files);
  const found: Given[] = [];
  await walk(entries, "", DEEPEST, found);
  return found;
}

/** Return a pasted text as a file: a document as it stands, anything else as the base64 of a bundle. */
export function pasted(text: string): Given {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{")) {
    try {
      const decoded = atob(trimmed.replace(/\s+/g, ""));
      return { name: "", data: Uint8Array.from(decoded, (sign) => sign.charCodeAt(0)) };
    } catch {
      // It is no base64: what reads it will say that it is nothing of ours.
    }
  }
  return { name: "", data: new TextEncoder().encode(trimmed) };
}

async function read(file: File): Promise<Given> {
  return { name: file.name, data: new Uint8Array(await file.slice(0, MOST_BYTES).arrayBuffer()) };
}

async function walk(
  entries: readonly FileSystemEntry[],
  folder: string,
  levels: number,
  found: Given[],
): Promise<void> {
  for (const entry of entries) {
    if (found.length >= MOST_FILES) return;
    if (entry.isFile) {
      const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
      found.push({ ...(await read(file)), name: folder + file.name });
    } else if (levels > 0) {
      const inside = await children(entry as FileSystemDirectoryEntry);
      await walk(inside, `${folder}${entry.name}/`, levels - 1, found);
    }
  }
}

/** List a folder; a browser lists it part by part, the last part being empty. */
async function children(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (!part.length || found.length >= MOST_FILES) return found;
    found.push(...part);
  }
}
