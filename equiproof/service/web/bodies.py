"""Bodies of requests and answers, as the OpenAPI document describes them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from equiproof.service.states import State

MAX_FEATURES = 4096

IDENTIFIER = "^[0-9a-f]{32}$"
SHORT_NAME = "^[a-z0-9][a-z0-9-]{0,63}$"
LINE = r"^[^\x00-\x1f\x7f]*$"
"""Text without control characters: databases and logs do not take all of them."""

EXAMPLE_ID = "5f0c7b1e9a7d4c3f8e21b6a40d9c7e13"
EXAMPLE_DIGEST = "9e107d9d372bb6826bd81d3542a419d6ad1f4bb2a0d1e6a0c7f3b28d5e9f6a10"


def described_by_value(schema: dict[str, Any]) -> None:
    """Say in a schema what the value of every name is, as generators of clients read it.

    A pattern of names that stands beside no `additionalProperties` leaves the values of all other names open.
    """
    ((pattern, value),) = schema.pop("patternProperties").items()
    schema["propertyNames"] = {**schema["propertyNames"], "pattern": pattern}
    schema["additionalProperties"] = value


Name = Annotated[StrictStr, Field(min_length=1, max_length=200, pattern=LINE)]
Value = Annotated[StrictStr, Field(max_length=200)] | StrictInt
"""Decimals are text: a float is not the number that was written."""

Detail = Value | None
"""A value that may be missing is null then, or its feature is left out."""

Reference = Annotated[StrictStr, Field(min_length=1, max_length=128, pattern=LINE, examples=["2026-11-0431"])]


Person = Annotated[StrictStr, Field(pattern="^[0-9a-f]{64}$", examples=[EXAMPLE_DIGEST])]
"""A pseudonym: a hash under a key of the caller's, HMAC-SHA-256 in hexadecimal."""


class Strict(BaseModel):
    """A body without unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NewDecision(Strict):
    """An application: the raw features of a model, none of them sensitive, and the caller's own reference.

    A feature that the applicant does not state, where the model's spec lets it be missing, is null or left out.
    `person` is the caller's pseudonym of the applicant, where the service limits how often one person may apply.
    """

    model: Annotated[StrictStr, Field(pattern=SHORT_NAME, examples=["loans"])]
    features: Annotated[
        dict[Name, Detail],
        Field(
            max_length=MAX_FEATURES,
            examples=[{"income": "45458", "housing": "own"}],
            json_schema_extra=described_by_value,
        ),
    ]
    reference: Reference | None = None
    person: Person | None = None


class NewOverride(Strict):
    """A person's decision: one of the model's labels, why, and who."""

    label: Annotated[StrictStr, Field(max_length=200, examples=["granted"])]
    reason: Annotated[StrictStr, Field(min_length=1, max_length=2000, examples=["income shown by payslips"])]
    name: Annotated[StrictStr, Field(min_length=1, max_length=128, pattern=LINE, examples=["M. Okafor"])]


class NewCorrection(Strict):
    """What an applicant asked for: the day on which, what is to be put right, and who says so."""

    asked: Annotated[
        StrictStr,
        Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", examples=["2026-11-24"], description="a day, not to come"),
    ]
    request: Annotated[
        StrictStr, Field(min_length=1, max_length=2000, examples=["my income was entered without its last digit"])
    ]
    name: Annotated[StrictStr, Field(min_length=1, max_length=128, pattern=LINE, examples=["M. Okafor"])]


class SecondDecision(Strict):
    """The decision that was made with the details put right, by its id or reference, and who says so."""

    second: Reference
    name: Annotated[StrictStr, Field(min_length=1, max_length=128, pattern=LINE, examples=["M. Okafor"])]


Decimal = Annotated[StrictStr, Field(max_length=40, pattern=r"^-?[0-9]+(\.[0-9]+)?$", examples=["4500"])]


class WishBody(Strict):
    """What an applicant does not want to change of a feature: it is `fixed`, or keeps to nearer ends, or fewer values.

    A number has `from`, `to` and `by`, a category `values`, as a file of wishes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False)

    fixed: Annotated[StrictBool | None, Field(description="true, or left out")] = None
    start: Annotated[Decimal | None, Field(alias="from")] = None
    to: Decimal | None = None
    by: Decimal | None = None
    values: list[Annotated[StrictStr, Field(max_length=200)]] | None = None


class NewRecourse(Strict):
    """What an applicant does not want to change, by feature; what is not named may change as the rules allow."""

    wishes: Annotated[
        dict[Name, WishBody],
        Field(
            max_length=MAX_FEATURES,
            examples=[{"housing": {"fixed": True}}],
            json_schema_extra=described_by_value,
        ),
    ] = {}


class WayBody(Strict):
    """A way: its name, which files of it are asked for by, the features that it changes, and what would be enough."""

    name: Annotated[str, Field(examples=["way-1"])]
    changed: list[str]
    sentence: str


class RecourseBody(Strict):
    """What a refused applicant could have changed, as far as it has left.

    `outcome` is null until `stage` is `made`. `files` are the names of what can be fetched. `review` says whether a
    person has answered, where recourse depends on a sensitive feature. `released` is when the letter may leave.
    """

    decision: Annotated[str, Field(pattern=IDENTIFIER, examples=[EXAMPLE_ID])]
    stage: Literal["waiting", "made", "failed"]
    asked: datetime
    ended: datetime | None
    outcome: Literal["way", "none", "dependent", "undecided"] | None
    within: Annotated[
        int | None, Field(description="where undecided: none helps within so many percent of what numbers may change")
    ]
    ways: list[WayBody]
    sentences: Annotated[list[str], Field(description="what the applicant may be told, beside the ways")]
    files: Annotated[list[str], Field(description="`none`, `part`, or `way-1` and those that follow")]
    review: Literal["open", "answered"] | None
    released: datetime | None


class Step(Strict):
    """A state, and since when: under a policy with `release_every_seconds`, since it has left."""

    state: State
    at: datetime
    reason: str


class OverrideBody(Strict):
    """A person's decision beside the model's."""

    label: str
    reason: str
    name: str
    at: datetime


class DecisionBody(Strict):
    """A decision: what the model decided, what a person decided, and which of both stands."""

    id: Annotated[str, Field(pattern=IDENTIFIER, examples=[EXAMPLE_ID])]
    model: str
    reference: str | None
    state: State
    label: Annotated[str | None, Field(description="what the model decided, null where it did not decide alike")]
    override: OverrideBody | None
    outcome: Annotated[str | None, Field(description="the decision that stands, null until a person decides")]
    received: datetime
    receipt: Annotated[
        str, Field(description="digest of the receipt, as the public register has it", examples=[EXAMPLE_DIGEST])
    ]
    history: list[Step]


class SaidBody(Strict):
    """Who said it, and when."""

    name: str
    at: datetime


class CorrectionBody(Strict):
    """A request for correction, and what closed it: `second` and `closed` are null while it is open."""

    decision: Annotated[str, Field(pattern=IDENTIFIER, examples=[EXAMPLE_ID])]
    second: Annotated[str, Field(pattern=IDENTIFIER, examples=[EXAMPLE_ID])] | None
    asked: Annotated[str, Field(description="the day on which the applicant asked", examples=["2026-11-24"])]
    changed: Annotated[list[str], Field(description="the features that were put right")]
    way: Annotated[int | None, Field(description="number of the shown way of recourse that the changes follow")]
    filed: SaidBody
    closed: SaidBody | None


class CorrectionList(Strict):
    """The corrections of a decision: the one that led to it, and the one that followed or was asked for."""

    corrections: list[CorrectionBody]


class DecisionList(Strict):
    """A page of decisions, the newest first; `next` is the cursor of the next page."""

    decisions: list[DecisionBody]
    next: str | None


class LinkBody(Strict):
    """An applicant's link; it is shown once, and kept nowhere."""

    url: Annotated[str, Field(examples=["https://bank.example/a#3q2-7wAAAAAAAAAAAAAAAA"])]
    expires: datetime


class ModelBody(Strict):
    """A committed model that decides, and what it needs to know of an applicant."""

    name: str
    commitment: Annotated[str, Field(description="as the public register has it", examples=[EXAMPLE_DIGEST])]
    since: datetime
    entry: Annotated[int | None, Field(description="place of the commitment in the public log")]
    labels: list[str]
    sensitive: Annotated[list[str], Field(description="features that are neither needed nor taken")]
    spec: Annotated[dict[str, Any], Field(description="the whole feature specification, as it was committed")]
    links: Annotated[
        list[dict[str, Any]], Field(description="the links of its kept keys, each the object of its published file")
    ]


class ModelList(Strict):
    """The models that decide, by name."""

    models: list[ModelBody]
