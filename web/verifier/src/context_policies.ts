/** Policies about what a context says; they go with ForContext. Twins of two in verifier/policy.py. */

import type { Context } from "./documents.js";
import { PolicyError } from "./errors.js";
import type { Check, Policy } from "./facts.js";
import { sentence } from "./sentence.js";
import { plain } from "./text.js";

const NOTHING: ReadonlySet<Check> = new Set();

/** Require names and texts of the context that the certificate was made for; goes with {@link ForContext}. */
export class ContextHas implements Policy {
  readonly ofBoxes = true;
  readonly context: Context;
  readonly texts: Context;
  readonly covers = NOTHING;

  constructor(context: Context, texts: Context) {
    [this.context, this.texts] = [new Map(context), new Map(texts)];
  }

  check(): readonly string[] {
    return [...this.texts].map(([name, text]) => {
      const [shown, wanted] = [plain(name).slice(0, 40), plain(text).slice(0, 60)];
      const found = this.context.get(name);
      if (found === text) return sentence("checked.context_field", { field: shown, value: wanted });
      const is = found === undefined ? sentence("word.missing") : `'${plain(found).slice(0, 60)}'`;
      const message = sentence("policy.context_field_differs", {
        field: `'${shown}'`, stated: is, required: `'${wanted}'`,
      });
      throw new PolicyError(message, "context-lacks");
    });
  }
}

/**
 * Require that the `date` of the context (2026-01-31) is at most so many days before today; goes with ForContext.
 *
 * A date of tomorrow is accepted, since it may be tomorrow already where the certificate was made.
 */
export class NotOlderThan implements Policy {
  readonly ofBoxes = true;
  readonly context: Context;
  readonly days: number;
  readonly #today: number;
  readonly covers = NOTHING;

  /** `today` is spelled as dates of contexts are; RangeError for any other text. */
  constructor(context: Context, days: number, today: string) {
    const now = dayOf(today);
    if (now === undefined) throw new RangeError(`'${today}' is no date such as 2026-01-31`);
    [this.context, this.days, this.#today] = [new Map(context), days, now];
  }

  check(): readonly string[] {
    const text = this.context.get("date") ?? "";
    const made = dayOf(text);
    if (made === undefined) {
      const shown = `'${plain(text).slice(0, 40)}'`;
      throw new PolicyError(sentence("policy.context_date_malformed", { date: shown }), "too-old");
    }
    const age = this.#today - made;
    if (age < -1 || age > this.days) {
      const message = sentence("policy.context_too_old", { date: text, age, days: this.days });
      throw new PolicyError(message, "too-old");
    }
    return [sentence("checked.context_age", { date: text, days: this.days })];
  }
}

/** Return the number of a day from year 1 on; undefined for text that is not one spelled as 2026-01-31. */
function dayOf(text: string): number | undefined {
  const [, year, month, day] = (/^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? []).map(Number);
  if (!year || !month || !day) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.toISOString().startsWith(text) ? Math.round(date.getTime() / 86_400_000) : undefined;
}
