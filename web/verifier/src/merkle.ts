/**
 * The tree of a log's entries and its two proofs, as RFC 9162 has them in sections 2.1.1 to 2.1.4 (SHA-256). Twin of
 * verifier/merkle.py.
 *
 * A proof of inclusion shows that an entry stands at an index of a tree; one of consistency, that a tree begins with
 * all entries of an older one, in their order. Both are checked against roots that a signed checkpoint fixes.
 */

import { hex, joined, same, sha256 } from "./bytes.js";
import { sentence } from "./sentence.js";

export const HASH_BYTES = 32;
/** The most entries of a log. */
export const MAX_SIZE = (1n << 63n) - 1n;
/** The most hashes of a proof of inclusion in the largest tree. */
export const MAX_PATH = 63;
/** The root of the tree without entries. */
export const EMPTY_ROOT = sha256(new Uint8Array());

/** A proof that does not hold; one line that says where. */
export class MerkleError extends Error {
  override readonly name = "MerkleError";
}

/** A tree as a checkpoint fixes it. */
export interface Tree {
  readonly size: bigint;
  readonly root: Uint8Array;
}

/** Return the hash of an entry. */
export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256(joined(Uint8Array.of(0), entry));
}

/** Return the hash of a node above two others; no entry's hash is computed so. */
function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(joined(Uint8Array.of(1), left, right));
}

/** Where a path stands: a node, and the last node at its level. */
class Place {
  constructor(
    public node: bigint,
    public last: bigint,
  ) {}

  /** Whether the sibling stands to the left; then levels at which a last node has none are passed. */
  left(): boolean {
    if (!(this.node & 1n) && this.node !== this.last) return false;
    while (!(this.node & 1n) && this.node) this.up();
    return true;
  }

  up(): void {
    this.node >>= 1n;
    this.last >>= 1n;
  }
}

/** Throw MerkleError unless the entry of hash `leaf` stands at `index` of a tree (RFC 9162, 2.1.3.2). */
export function checkInclusion(leaf: Uint8Array, index: bigint, tree: Tree, path: readonly Uint8Array[]): void {
  if (index < 0n || index >= tree.size || tree.size > MAX_SIZE) {
    throw new MerkleError(sentence("merkle.no_such_entry", { index, size: tree.size }));
  }
  checkHashes([leaf, tree.root, ...path]);
  const place = new Place(index, tree.size - 1n);
  let found = leaf;
  for (const sibling of path) {
    if (!place.last) throw new MerkleError(sentence("merkle.path_too_long"));
    found = place.left() ? nodeHash(sibling, found) : nodeHash(found, sibling);
    place.up();
  }
  if (place.last) throw new MerkleError(sentence("merkle.path_too_short"));
  if (!same(found, tree.root)) {
    throw new MerkleError(sentence("merkle.path_not_to_root", { index }));
  }
}

/**
 * Throw MerkleError unless the tree `newer` begins with all entries of `older` (RFC 9162, 2.1.4.2). Of trees of one
 * size, and from the empty tree, the path is empty.
 */
export function checkConsistency(older: Tree, newer: Tree, path: readonly Uint8Array[]): void {
  if (older.size < 0n || older.size > newer.size || newer.size > MAX_SIZE) {
    throw new MerkleError(sentence("merkle.tree_cannot_follow", { newer: newer.size, older: older.size }));
  }
  checkHashes([older.root, newer.root, ...path]);
  if ([older, newer].some(({ size, root }) => !size && !same(root, EMPTY_ROOT))) {
    throw new MerkleError(sentence("merkle.empty_tree_root"));
  }
  if (!older.size || older.size === newer.size) {
    if (path.length) throw new MerkleError(sentence("merkle.path_between_too_long"));
    if (older.size && !same(older.root, newer.root)) {
      throw new MerkleError(sentence("merkle.same_size_other_root", { size: older.size }));
    }
    return;
  }
  // A tree whose size is a power of two is one node of the larger one, so the path leaves its root out.
  climb(older, newer, older.size & (older.size - 1n) ? path : [older.root, ...path]);
}

/** Compute both roots from the nodes that the trees share and from those of the newer one alone. */
function climb(older: Tree, newer: Tree, [start, ...path]: readonly Uint8Array[]): void {
  if (start === undefined) throw new MerkleError(sentence("merkle.path_between_too_short"));
  const place = new Place(older.size - 1n, newer.size - 1n);
  while (place.node & 1n) place.up();
  let [first, second] = [start, start];
  for (const sibling of path) {
    if (!place.last) throw new MerkleError(sentence("merkle.path_between_too_long"));
    if (place.left()) [first, second] = [nodeHash(sibling, first), nodeHash(sibling, second)];
    else second = nodeHash(second, sibling);
    place.up();
  }
  if (place.last) throw new MerkleError(sentence("merkle.path_between_too_short"));
  if (hex(first) !== hex(older.root) || hex(second) !== hex(newer.root)) {
    throw new MerkleError(sentence("merkle.older_not_beginning"));
  }
}

/** Refuse what is no hash: of other lengths, two parts could be split in two ways. */
function checkHashes(hashes: readonly Uint8Array[]): void {
  if (hashes.some(({ length }) => length !== HASH_BYTES)) {
    throw new MerkleError(sentence("merkle.hash_length_wrong", { bytes: HASH_BYTES }));
  }
}
