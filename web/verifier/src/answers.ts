/** Answers in words for people, in English and German: what a page says of a verification, or of a refusal. */

export {
  type Answer,
  answerOf,
  type Findings,
  type KeyMaking,
  type LogStanding,
  makingOf,
  type Open,
  type Outcome,
  type Pinned,
  weakerOf,
} from "./answer.js";
export type { Bar, BarValue } from "./bars.js";
export { refusal } from "./refusal.js";
export { type Language, Words } from "./words.js";
