/**
 * The feature encodings: how a raw value becomes columns, and what a distance between columns means. Twin of
 * circuits/encodings.
 *
 * Each encoding is one class, in a file of its own, and one line of ENCODINGS. All share one scaling: a raw column
 * number v becomes floor((v - mean) / scale * 2^f_x + 1/2), computed exactly.
 */

import type { Encoding } from "./encodings/interface.js";
import { Log } from "./encodings/log.js";
import { OneHot } from "./encodings/one_hot.js";
import { Rank } from "./encodings/rank.js";
import { Scaled } from "./encodings/scaled.js";

export type EncodingName = "scaled" | "log" | "rank" | "one-hot";

/** Name in a spec -> encoding. */
export const ENCODINGS: Readonly<Record<EncodingName, Encoding>> = {
  scaled: new Scaled(), log: new Log(), rank: new Rank(), "one-hot": new OneHot(),
};
