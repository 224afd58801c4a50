"""A client of the Equiproof lending service, made from openapi.json by scripts/clients.py: change that, not this."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Literal, NotRequired, TypedDict


class ServiceError(Exception):
    """A request that the service did not fulfil: `kind` says why, `retry_after` in how many seconds to try again."""

    def __init__(self, status: int, kind: str, detail: str, retry_after: int | None) -> None:
        super().__init__(f"{status} {kind}: {detail}")
        self.status, self.kind, self.detail, self.retry_after = status, kind, detail, retry_after


class LinkBody(TypedDict):
    """An applicant's link; it is shown once, and kept nowhere."""

    url: str
    expires: str


class ModelBody(TypedDict):
    """A committed model that decides, and what it needs to know of an applicant."""

    name: str
    commitment: str
    since: str
    entry: int | None
    labels: list[str]
    sensitive: list[str]
    spec: dict[str, Any]
    links: list[dict[str, Any]]


class NewCorrection(TypedDict):
    """What an applicant asked for: the day on which, what is to be put right, and who says so."""

    asked: str
    request: str
    name: str


class NewDecision(TypedDict):
    """An application: the raw features of a model, none of them sensitive, and the caller's own reference.

    A feature that the applicant does not state, where the model's spec lets it be missing, is null or left out.
    person is the caller's pseudonym of the applicant, where the service limits how often one person may apply.
    """

    model: str
    features: dict[str, str | int | None]
    reference: NotRequired[str | None]
    person: NotRequired[str | None]


class NewOverride(TypedDict):
    """A person's decision: one of the model's labels, why, and who."""

    label: str
    reason: str
    name: str


class OverrideBody(TypedDict):
    """A person's decision beside the model's."""

    label: str
    reason: str
    name: str
    at: str


class SaidBody(TypedDict):
    """Who said it, and when."""

    name: str
    at: str


class SecondDecision(TypedDict):
    """The decision that was made with the details put right, by its id or reference, and who says so."""

    second: str
    name: str


State = Literal["decided", "certifying", "certified", "review", "undecided", "failed"]


class WayBody(TypedDict):
    """A way: its name, which files of it are asked for by, the features that it changes, and what would be enough."""

    name: str
    changed: list[str]
    sentence: str


WishBody = TypedDict(
    "WishBody",
    {
        "fixed": NotRequired[bool | None],
        "from": NotRequired[str | None],
        "to": NotRequired[str | None],
        "by": NotRequired[str | None],
        "values": NotRequired[list[str] | None],
    },
)
"""What an applicant does not want to change of a feature: it is fixed, or keeps to nearer ends, or fewer values.

A number has from, to and by, a category values, as a file of wishes.
"""


class CorrectionBody(TypedDict):
    """A request for correction, and what closed it: second and closed are null while it is open."""

    decision: str
    second: str | None
    asked: str
    changed: list[str]
    way: int | None
    filed: SaidBody
    closed: SaidBody | None


class ModelList(TypedDict):
    """The models that decide, by name."""

    models: list[ModelBody]


class NewRecourse(TypedDict):
    """What an applicant does not want to change, by feature; what is not named may change as the rules allow."""

    wishes: NotRequired[dict[str, WishBody]]


class RecourseBody(TypedDict):
    """What a refused applicant could have changed, as far as it has left.

    outcome is null until stage is made. files are the names of what can be fetched. review says whether a
    person has answered, where recourse depends on a sensitive feature. released is when the letter may leave.
    """

    decision: str
    stage: Literal["waiting", "made", "failed"]
    asked: str
    ended: str | None
    outcome: Literal["way", "none", "dependent", "undecided"] | None
    within: int | None
    ways: list[WayBody]
    sentences: list[str]
    files: list[str]
    review: Literal["open", "answered"] | None
    released: str | None


class Step(TypedDict):
    """A state, and since when: under a policy with release_every_seconds, since it has left."""

    state: State
    at: str
    reason: str


class CorrectionList(TypedDict):
    """The corrections of a decision: the one that led to it, and the one that followed or was asked for."""

    corrections: list[CorrectionBody]


class DecisionBody(TypedDict):
    """A decision: what the model decided, what a person decided, and which of both stands."""

    id: str
    model: str
    reference: str | None
    state: State
    label: str | None
    override: OverrideBody | None
    outcome: str | None
    received: str
    receipt: str
    history: list[Step]


class DecisionList(TypedDict):
    """A page of decisions, the newest first; next is the cursor of the next page."""

    decisions: list[DecisionBody]
    next: str | None


class Client:
    """Calls a service at an address with an API key; `timeout` is in seconds."""

    def __init__(self, address: str, key: str, timeout: float = 30.0) -> None:
        self._address, self._key, self._timeout = address.rstrip("/"), key, timeout

    def decide(self, body: NewDecision, *, idempotency_key: str) -> DecisionBody:
        """Decide about an applicant at once; the receipt is written with the decision, the certificate follows."""
        answer: DecisionBody = json.loads(
            self._send("POST", "/v1/decisions", {}, {"Idempotency-Key": idempotency_key}, body)
        )
        return answer

    def decisions(
        self, *, state: State | None = None, cursor: str | None = None, limit: int | None = None
    ) -> DecisionList:
        """Return the caller's decisions, the newest first; take cursor from the field next of a page."""
        answer: DecisionList = json.loads(
            self._send("GET", "/v1/decisions", {"state": state, "cursor": cursor, "limit": limit}, {})
        )
        return answer

    def decision(self, decision_id: str) -> DecisionBody:
        """Return a decision with its history."""
        answer: DecisionBody = json.loads(self._send("GET", f"/v1/decisions/{_part(decision_id)}", {}, {}))
        return answer

    def certificate(self, decision_id: str) -> bytes:
        """Return the certificate's file once there is one."""
        return self._send("GET", f"/v1/decisions/{_part(decision_id)}/certificate", {}, {})

    def receipt(self, decision_id: str) -> bytes:
        """Return the receipt: it is the applicant's, and opens the entry in the public register."""
        return self._send("GET", f"/v1/decisions/{_part(decision_id)}/receipt", {}, {})

    def bundle(self, decision_id: str) -> bytes:
        """Return the applicant's own bundle: the certificate with all that verifies it, and the applicant's data."""
        return self._send("GET", f"/v1/decisions/{_part(decision_id)}/bundle", {}, {})

    def letter(self, decision_id: str, *, language: Literal["en", "de"] | None = None) -> bytes:
        """Return the letter to the applicant, where the policy lets it leave; it is kept as it left."""
        return self._send("GET", f"/v1/decisions/{_part(decision_id)}/letter", {"language": language}, {})

    def package(self, decision_id: str) -> bytes:
        """Return the evidence package of a certified decision: it is the lender's, and holds the applicant's data."""
        return self._send("GET", f"/v1/decisions/{_part(decision_id)}/package", {}, {})

    def override(self, decision_id: str, body: NewOverride) -> DecisionBody:
        """Add a person's decision beside the model's, where no certificate may leave; the newest one stands."""
        answer: DecisionBody = json.loads(
            self._send("POST", f"/v1/decisions/{_part(decision_id)}/override", {}, {}, body)
        )
        return answer

    def make_link(self, decision_id: str, *, days: int | None = None) -> LinkBody:
        """Make a link with which the applicant sees this decision; it is shown once."""
        answer: LinkBody = json.loads(
            self._send("POST", f"/v1/decisions/{_part(decision_id)}/links", {"days": days}, {})
        )
        return answer

    def revoke_links(self, decision_id: str) -> None:
        """End the life of all links of a decision."""
        self._send("DELETE", f"/v1/decisions/{_part(decision_id)}/links", {}, {})

    def corrections(self, decision_id: str) -> CorrectionList:
        """Return the corrections of a decision: the one that led to it, and the one that followed or was asked for."""
        answer: CorrectionList = json.loads(
            self._send("GET", f"/v1/decisions/{_part(decision_id)}/corrections", {}, {})
        )
        return answer

    def ask_for_correction(self, decision_id: str, body: NewCorrection, *, idempotency_key: str) -> CorrectionBody:
        """File that the applicant asked for details to be put right: at most once for a decision."""
        answer: CorrectionBody = json.loads(
            self._send(
                "POST",
                f"/v1/decisions/{_part(decision_id)}/corrections",
                {},
                {"Idempotency-Key": idempotency_key},
                body,
            )
        )
        return answer

    def correct(self, decision_id: str, body: SecondDecision, *, idempotency_key: str) -> CorrectionBody:
        """Close the request: name the second decision, which was made with the details put right."""
        answer: CorrectionBody = json.loads(
            self._send(
                "POST",
                f"/v1/decisions/{_part(decision_id)}/corrections/second",
                {},
                {"Idempotency-Key": idempotency_key},
                body,
            )
        )
        return answer

    def ask_for_recourse(self, decision_id: str, body: NewRecourse, *, idempotency_key: str) -> RecourseBody:
        """Have it looked for what a refused applicant could have changed: once for a certified decision."""
        answer: RecourseBody = json.loads(
            self._send(
                "POST", f"/v1/decisions/{_part(decision_id)}/recourse", {}, {"Idempotency-Key": idempotency_key}, body
            )
        )
        return answer

    def recourse(self, decision_id: str, *, language: Literal["en", "de"] | None = None) -> RecourseBody:
        """Return how recourse of a decision stands, and in words what it says once its end has left."""
        answer: RecourseBody = json.loads(
            self._send("GET", f"/v1/decisions/{_part(decision_id)}/recourse", {"language": language}, {})
        )
        return answer

    def recourse_letter(self, decision_id: str, *, language: Literal["en", "de"] | None = None) -> bytes:
        """Return the letter about recourse, once an officer has released it; it is kept as it left."""
        return self._send("GET", f"/v1/decisions/{_part(decision_id)}/recourse/letter", {"language": language}, {})

    def recourse_certificate(self, decision_id: str, name: str) -> bytes:
        """Return a box certificate; it fits the decision's certificate and query."""
        return self._send("GET", f"/v1/decisions/{_part(decision_id)}/recourse/{_part(name)}/certificate", {}, {})

    def recourse_box(self, decision_id: str, name: str) -> bytes:
        """Return an opened box: it is the applicant's, and says what the certificate is about."""
        return self._send("GET", f"/v1/decisions/{_part(decision_id)}/recourse/{_part(name)}/box", {}, {})

    def models(self) -> ModelList:
        """Return the models that decide, with what they need to know of an applicant."""
        answer: ModelList = json.loads(self._send("GET", "/v1/models", {}, {}))
        return answer

    def _send(
        self, method: str, path: str, query: dict[str, Any], headers: dict[str, str], body: object = None
    ) -> bytes:
        """Return the answer's body; raises ServiceError, and urllib.error.URLError where no service answers."""
        given = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
        address = f"{self._address}{path}{'?' if given else ''}{given}"
        request = urllib.request.Request(address, method=method)  # noqa: S310 -- the address is the caller's own
        request.add_header("Authorization", f"Bearer {self._key}")
        for name, value in headers.items():
            request.add_header(name, value)
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            raise _problem(error) from None


def _part(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _problem(error: urllib.error.HTTPError) -> ServiceError:
    try:
        found = json.loads(error.read())
    except ValueError:
        found = {}
    after = error.headers.get("Retry-After", "")
    kind = str(found.get("type", "")).removeprefix("urn:equiproof:")
    return ServiceError(error.code, kind, str(found.get("detail", "")), int(after) if after.isdigit() else None)
