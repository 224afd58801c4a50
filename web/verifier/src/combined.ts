/** Policies made of policies: all of them, any of them, and none at all. Twin of verifier/combined.py. */

import { PolicyError } from "./errors.js";
import { type Check, type Facts, pinnedBy, type Policy } from "./facts.js";
import { sentence } from "./sentence.js";

/** Require every one of several policies; RangeError for none: use UnsafeNoPolicy for that. */
export class AllOf implements Policy {
  readonly policies: readonly Policy[];

  constructor(...policies: readonly Policy[]) {
    if (!policies.length) throw new RangeError(sentence("policy.all_of_empty"));
    this.policies = policies;
  }

  get covers(): ReadonlySet<Check> {
    return new Set(this.policies.flatMap((policy) => [...policy.covers]));
  }

  get ofDecisions(): boolean {
    return this.policies.some((policy) => policy.ofDecisions);
  }

  get ofBoxes(): boolean {
    return this.policies.every((policy) => policy.ofBoxes);
  }

  /** Check the policies in their order; the first that is not met refuses. What one of them pins is pinned. */
  check(facts: Facts): readonly string[] {
    const pinned = pinnedBy(facts, this);
    return this.policies.flatMap((policy) => policy.check(pinned));
  }

  stillOpen(): readonly string[] {
    return this.policies.flatMap((policy) => policy.stillOpen?.() ?? []);
  }
}

/** Require at least one of several policies; RangeError for none, since no certificate could meet that. */
export class AnyOf implements Policy {
  readonly policies: readonly Policy[];

  constructor(...policies: readonly Policy[]) {
    if (!policies.length) throw new RangeError(sentence("policy.any_of_empty"));
    this.policies = policies;
  }

  /** What all of the policies cover: which of them is met is not known beforehand. */
  get covers(): ReadonlySet<Check> {
    const all = new AllOf(...this.policies).covers;
    return new Set([...all].filter((check) => this.policies.every((policy) => policy.covers.has(check))));
  }

  get ofDecisions(): boolean {
    return new AllOf(...this.policies).ofDecisions;
  }

  get ofBoxes(): boolean {
    return new AllOf(...this.policies).ofBoxes;
  }

  /** Check the policies in their order until one is met; a refusal lists what each of them lacked. */
  check(facts: Facts): readonly string[] {
    const lacking: string[] = [];
    for (const policy of this.policies) {
      try {
        const met = policy.check(facts).join("; ") || sentence("policy.requires_nothing");
        return [sentence("policy.alternative_met", { count: this.policies.length, met })];
      } catch (error) {
        if (!(error instanceof PolicyError)) throw error;
        lacking.push(`(${lacking.length + 1}) ${error.message}`);
      }
    }
    const message = sentence("policy.no_alternative_met", { count: lacking.length, reasons: lacking.join("; ") });
    throw new PolicyError(message, "no-policy-met");
  }
}

/** Require nothing: any true certificate passes, of any radius, applicant and context. Warns each time. */
export class UnsafeNoPolicy implements Policy {
  readonly ofBoxes = true;
  readonly covers: ReadonlySet<Check> = new Set();

  constructor() {
    console.warn(sentence("unproven.no_policy"));
  }

  check(): readonly string[] {
    return [];
  }
}
