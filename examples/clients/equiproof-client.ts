// A client of the Equiproof lending service, made from openapi.json by scripts/clients.py: change that, not this.

/** A request that the service did not fulfil: `kind` says why, `retryAfter` in how many seconds to try again. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    readonly detail: string,
    readonly retryAfter: number | null,
  ) {
    super(`${status} ${kind}: ${detail}`);
  }
}

/** An applicant's link; it is shown once, and kept nowhere. */
export interface LinkBody {
  url: string;
  expires: string;
}

/** A committed model that decides, and what it needs to know of an applicant. */
export interface ModelBody {
  name: string;
  commitment: string;
  since: string;
  entry: number | null;
  labels: (string)[];
  sensitive: (string)[];
  spec: Record<string, unknown>;
  links: (Record<string, unknown>)[];
}

/** What an applicant asked for: the day on which, what is to be put right, and who says so. */
export interface NewCorrection {
  asked: string;
  request: string;
  name: string;
}

/** An application: the raw features of a model, none of them sensitive, and the caller's own reference.

A feature that the applicant does not state, where the model's spec lets it be missing, is null or left out.
person is the caller's pseudonym of the applicant, where the service limits how often one person may apply. */
export interface NewDecision {
  model: string;
  features: Record<string, string | number | null>;
  reference?: string | null;
  person?: string | null;
}

/** A person's decision: one of the model's labels, why, and who. */
export interface NewOverride {
  label: string;
  reason: string;
  name: string;
}

/** A person's decision beside the model's. */
export interface OverrideBody {
  label: string;
  reason: string;
  name: string;
  at: string;
}

/** Who said it, and when. */
export interface SaidBody {
  name: string;
  at: string;
}

/** The decision that was made with the details put right, by its id or reference, and who says so. */
export interface SecondDecision {
  second: string;
  name: string;
}

export type State = "decided" | "certifying" | "certified" | "review" | "undecided" | "failed";

/** A way: its name, which files of it are asked for by, the features that it changes, and what would be enough. */
export interface WayBody {
  name: string;
  changed: (string)[];
  sentence: string;
}

/** What an applicant does not want to change of a feature: it is fixed, or keeps to nearer ends, or fewer values.

A number has from, to and by, a category values, as a file of wishes. */
export interface WishBody {
  fixed?: boolean | null;
  from?: string | null;
  to?: string | null;
  by?: string | null;
  values?: (string)[] | null;
}

/** A request for correction, and what closed it: second and closed are null while it is open. */
export interface CorrectionBody {
  decision: string;
  second: string | null;
  asked: string;
  changed: (string)[];
  way: number | null;
  filed: SaidBody;
  closed: SaidBody | null;
}

/** The models that decide, by name. */
export interface ModelList {
  models: (ModelBody)[];
}

/** What an applicant does not want to change, by feature; what is not named may change as the rules allow. */
export interface NewRecourse {
  wishes?: Record<string, WishBody>;
}

/** What a refused applicant could have changed, as far as it has left.

outcome is null until stage is made. files are the names of what can be fetched. review says whether a
person has answered, where recourse depends on a sensitive feature. released is when the letter may leave. */
export interface RecourseBody {
  decision: string;
  stage: "waiting" | "made" | "failed";
  asked: string;
  ended: string | null;
  outcome: "way" | "none" | "dependent" | "undecided" | null;
  within: number | null;
  ways: (WayBody)[];
  sentences: (string)[];
  files: (string)[];
  review: "open" | "answered" | null;
  released: string | null;
}

/** A state, and since when: under a policy with release_every_seconds, since it has left. */
export interface Step {
  state: State;
  at: string;
  reason: string;
}

/** The corrections of a decision: the one that led to it, and the one that followed or was asked for. */
export interface CorrectionList {
  corrections: (CorrectionBody)[];
}

/** A decision: what the model decided, what a person decided, and which of both stands. */
export interface DecisionBody {
  id: string;
  model: string;
  reference: string | null;
  state: State;
  label: string | null;
  override: OverrideBody | null;
  outcome: string | null;
  received: string;
  receipt: string;
  history: (Step)[];
}

/** A page of decisions, the newest first; next is the cursor of the next page. */
export interface DecisionList {
  decisions: (DecisionBody)[];
  next: string | null;
}

/** Calls a service at an address with an API key, from a server: the key does not belong in a page. */
export class Client {
  constructor(
    private readonly address: string,
    private readonly key: string,
    private readonly seconds = 30,
  ) {}

  /** Decide about an applicant at once; the receipt is written with the decision, the certificate follows. */
  async decide(body: NewDecision, options: { idempotencyKey: string }): Promise<DecisionBody> {
    return JSON.parse(new TextDecoder().decode(await this.send("POST", `/v1/decisions`, {}, { "Idempotency-Key": options.idempotencyKey }, body))) as DecisionBody;
  }

  /** Return the caller's decisions, the newest first; take cursor from the field next of a page. */
  async decisions(options: { state?: State | null; cursor?: string | null; limit?: number } = {}): Promise<DecisionList> {
    return JSON.parse(new TextDecoder().decode(await this.send("GET", `/v1/decisions`, { "state": options.state, "cursor": options.cursor, "limit": options.limit }, {}))) as DecisionList;
  }

  /** Return a decision with its history. */
  async decision(decisionId: string): Promise<DecisionBody> {
    return JSON.parse(new TextDecoder().decode(await this.send("GET", `/v1/decisions/${part(decisionId)}`, {}, {}))) as DecisionBody;
  }

  /** Return the certificate's file once there is one. */
  async certificate(decisionId: string): Promise<Uint8Array> {
    return this.send("GET", `/v1/decisions/${part(decisionId)}/certificate`, {}, {});
  }

  /** Return the receipt: it is the applicant's, and opens the entry in the public register. */
  async receipt(decisionId: string): Promise<Uint8Array> {
    return this.send("GET", `/v1/decisions/${part(decisionId)}/receipt`, {}, {});
  }

  /** Return the applicant's own bundle: the certificate with all that verifies it, and the applicant's data. */
  async bundle(decisionId: string): Promise<Uint8Array> {
    return this.send("GET", `/v1/decisions/${part(decisionId)}/bundle`, {}, {});
  }

  /** Return the letter to the applicant, where the policy lets it leave; it is kept as it left. */
  async letter(decisionId: string, options: { language?: "en" | "de" } = {}): Promise<Uint8Array> {
    return this.send("GET", `/v1/decisions/${part(decisionId)}/letter`, { "language": options.language }, {});
  }

  /** Return the evidence package of a certified decision: it is the lender's, and holds the applicant's data. */
  async package(decisionId: string): Promise<Uint8Array> {
    return this.send("GET", `/v1/decisions/${part(decisionId)}/package`, {}, {});
  }

  /** Add a person's decision beside the model's, where no certificate may leave; the newest one stands. */
  async override(decisionId: string, body: NewOverride): Promise<DecisionBody> {
    return JSON.parse(new TextDecoder().decode(await this.send("POST", `/v1/decisions/${part(decisionId)}/override`, {}, {}, body))) as DecisionBody;
  }

  /** Make a link with which the applicant sees this decision; it is shown once. */
  async makeLink(decisionId: string, options: { days?: number | null } = {}): Promise<LinkBody> {
    return JSON.parse(new TextDecoder().decode(await this.send("POST", `/v1/decisions/${part(decisionId)}/links`, { "days": options.days }, {}))) as LinkBody;
  }

  /** End the life of all links of a decision. */
  async revokeLinks(decisionId: string): Promise<void> {
    await this.send("DELETE", `/v1/decisions/${part(decisionId)}/links`, {}, {});
  }

  /** Return the corrections of a decision: the one that led to it, and the one that followed or was asked for. */
  async corrections(decisionId: string): Promise<CorrectionList> {
    return JSON.parse(new TextDecoder().decode(await this.send("GET", `/v1/decisions/${part(decisionId)}/corrections`, {}, {}))) as CorrectionList;
  }

  /** File that the applicant asked for details to be put right: at most once for a decision. */
  async ask_for_correction(decisionId: string, body: NewCorrection, options: { idempotencyKey: string }): Promise<CorrectionBody> {
    return JSON.parse(new TextDecoder().decode(await this.send("POST", `/v1/decisions/${part(decisionId)}/corrections`, {}, { "Idempotency-Key": options.idempotencyKey }, body))) as CorrectionBody;
  }

  /** Close the request: name the second decision, which was made with the details put right. */
  async correct(decisionId: string, body: SecondDecision, options: { idempotencyKey: string }): Promise<CorrectionBody> {
    return JSON.parse(new TextDecoder().decode(await this.send("POST", `/v1/decisions/${part(decisionId)}/corrections/second`, {}, { "Idempotency-Key": options.idempotencyKey }, body))) as CorrectionBody;
  }

  /** Have it looked for what a refused applicant could have changed: once for a certified decision. */
  async ask_for_recourse(decisionId: string, body: NewRecourse, options: { idempotencyKey: string }): Promise<RecourseBody> {
    return JSON.parse(new TextDecoder().decode(await this.send("POST", `/v1/decisions/${part(decisionId)}/recourse`, {}, { "Idempotency-Key": options.idempotencyKey }, body))) as RecourseBody;
  }

  /** Return how recourse of a decision stands, and in words what it says once its end has left. */
  async recourse(decisionId: string, options: { language?: "en" | "de" } = {}): Promise<RecourseBody> {
    return JSON.parse(new TextDecoder().decode(await this.send("GET", `/v1/decisions/${part(decisionId)}/recourse`, { "language": options.language }, {}))) as RecourseBody;
  }

  /** Return the letter about recourse, once an officer has released it; it is kept as it left. */
  async recourseLetter(decisionId: string, options: { language?: "en" | "de" } = {}): Promise<Uint8Array> {
    return this.send("GET", `/v1/decisions/${part(decisionId)}/recourse/letter`, { "language": options.language }, {});
  }

  /** Return a box certificate; it fits the decision's certificate and query. */
  async recourse_certificate(decisionId: string, name: string): Promise<Uint8Array> {
    return this.send("GET", `/v1/decisions/${part(decisionId)}/recourse/${part(name)}/certificate`, {}, {});
  }

  /** Return an opened box: it is the applicant's, and says what the certificate is about. */
  async recourse_box(decisionId: string, name: string): Promise<Uint8Array> {
    return this.send("GET", `/v1/decisions/${part(decisionId)}/recourse/${part(name)}/box`, {}, {});
  }

  /** Return the models that decide, with what they need to know of an applicant. */
  async models(): Promise<ModelList> {
    return JSON.parse(new TextDecoder().decode(await this.send("GET", `/v1/models`, {}, {}))) as ModelList;
  }

  private async send(
    method: string,
    path: string,
    query: Record<string, string | number | null | undefined>,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Uint8Array> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const words = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const sent: Record<string, string> = { ...headers, Authorization: `Bearer ${this.key}` };
    if (body !== undefined) sent["Content-Type"] = "application/json";
    const answer = await fetch(`${this.address.replace(/\/+$/, "")}${path}${words ? "?" : ""}${words}`, {
      method,
      headers: sent,
      body: body === undefined ? null : JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(this.seconds * 1000),
    });
    if (!answer.ok) throw await problem(answer);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

function part(text: string): string {
  return encodeURIComponent(text);
}

async function problem(answer: Response): Promise<ServiceError> {
  const found = (await answer.json().catch(() => ({}))) as { type?: string; detail?: string };
  const after = Number(answer.headers.get("Retry-After") ?? Number.NaN);
  const kind = (found.type ?? "").replace(/^urn:equiproof:/, "");
  return new ServiceError(answer.status, kind, found.detail ?? "", Number.isInteger(after) ? after : null);
}
