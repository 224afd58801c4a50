/** What users of the element see of it; custom-elements.json has its attributes and parts. */

/** The bytes of one `.equiproof`, or of loose files by their names. */
export type Bytes = Uint8Array | ArrayBuffer | Readonly<Record<string, Uint8Array>>;

/** A bar: how far one detail alone could differ. Places run from 0 to 10,000. */
export type Bar = { readonly name: string; readonly own: string | null; readonly span: string } & (
  | { readonly kind: "none" }
  | {
      readonly kind: "category";
      readonly values: ReadonlyArray<{ readonly text: string; readonly in: boolean; readonly you: boolean }>;
    }
  | {
      readonly kind: "number";
      readonly low: number;
      readonly high: number;
      readonly you: number | null;
      readonly caps: readonly [boolean, boolean];
      readonly limits: readonly [string, string] | null;
    }
);

/** What a verification says to people. The lender's words stand between U+2068 and U+2069. */
export interface Answer {
  readonly language: "en" | "de";
  readonly outcome: "valid" | "open" | "not-enough" | "not-valid" | "not-a-certificate";
  readonly heading: string;
  readonly below: readonly string[];
  readonly sentences: readonly string[];
  readonly bars_heading: string | null;
  readonly bars_note: string | null;
  readonly bars: readonly Bar[];
  readonly checked: readonly string[];
  readonly not_checked: ReadonlyArray<{ readonly text: string; readonly warning: boolean }>;
  readonly never_shown: readonly string[];
  readonly reason: string | null;
  readonly technical: string | null;
  /** What a refused applicant's own file says would have been enough, or that nothing would have been. */
  readonly recourse?: {
    readonly title: string;
    readonly ways: ReadonlyArray<{ readonly sentence: string; readonly bars: readonly Bar[] }>;
    readonly sentences: readonly string[];
  };
}

/** What `verified` and `refused` carry. */
export interface Found {
  readonly answer: Answer;
  /** The certificate's name and the model's fingerprint, 64 digits each; null where it is not accepted. */
  readonly identity: string | null;
  readonly model: string | null;
}

export interface EquiproofCertificateEvents {
  verified: CustomEvent<Found>;
  refused: CustomEvent<Found>;
  unavailable: CustomEvent<{ readonly message: string }>;
}

/** A certificate on a page. */
export class EquiproofCertificate extends HTMLElement {
  bytes: Bytes | undefined;
  readonly answer: Answer | undefined;
  addEventListener<K extends keyof EquiproofCertificateEvents>(
    type: K,
    listener: (event: EquiproofCertificateEvents[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "equiproof-certificate": EquiproofCertificate;
  }
}
