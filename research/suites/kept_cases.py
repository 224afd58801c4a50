"""The models that the suite `kept` compares in both forms, and the demands set before kept models were built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from bench.branch.larger import Question as Larger
from bench.seeded import spec_of
from equiproof.certify.data import load
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.circuits.shape import Shape, branch_shape, kept_shape, visiting_shape
from equiproof.circuits.spec import Feature, Spec, checked
from equiproof.prover.opening import Opening
from research.suites.target_models import MODELS, Model, committed
from research.suites.targets import shape_of

Hidden = tuple[int, ...]

Form = Literal["opened", "kept", "visiting"]

OPENED: Form = "opened"
KEPT: Form = "kept"
VISITING: Form = "visiting"
FORMS = (OPENED, KEPT)
"""The forms that every model is proven in."""


class Demands(NamedTuple):
    """At most these shares of the opened form's constraints, seconds and peak memory of a proof, and proving key.

    `together` bounds the constraints of kept form and link together, `most` those of the kept form alone, and `seconds`
    those of a proof. None where nothing was demanded.
    """

    constraints: float | None = None
    prove_s: float | None = None
    peak_mb: float | None = None
    key_mb: float | None = None
    together: float | None = None
    most: int | None = None
    seconds: float | None = None


NOTHING = Demands()

PROOF_BYTES, LINK_BYTES = 228, 1300
"""The length of every proof of the kept form, and the most bytes of a link."""

CHECK, BATCH, PLAIN, PLAIN_LINK = 1.25, 1.2, 1.25, 2.4
"""At most so many times the opened form: a native check beside a known link, and each of a batch; a check in plain
Python beside a known link, and a first one that checks the link, too."""

TOGETHER = 1.25


@dataclass(frozen=True)
class Counted:
    """A shape whose constraints alone are counted; `opened` says whether the opened form is counted as well."""

    words: str
    shape: Callable[[Path | None], Shape]
    demands: Demands
    opened: bool = True


@dataclass(frozen=True)
class Case:
    """A model that is proven in both forms: a network by its hidden layers, with a capacity, or one of the targets.

    An ensemble with `passed` is proven in a third form as well, whose certificates visit nodes and have room for so
    many passed ones: `visiting` has the demands on it.
    """

    words: str
    dataset: str
    model: Hidden | Model
    demands: Demands
    capacity: int = 8
    passed: int | None = None
    visiting: Demands = NOTHING

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms that are proven."""
        return FORMS if self.passed is None else (*FORMS, VISITING)

    def opening(self, data_dir: Path | None) -> Opening:
        """Train the model; raises DataError where the data set is missing, BenchError for a missing library."""
        data = load(self.dataset, data_dir)
        if isinstance(self.model, Model):
            return Opening.of(committed(self.model, data), data.spec, blinding=1)
        asked = Larger()
        network, _ = train(data, self.model, decay=asked.decay, settings=asked.settings)
        return Opening.of(quantise(network, data.spec), data.spec, blinding=1)

    def shape(self, opening: Opening, form: Form = OPENED) -> Shape:
        """Return the shape of the keys of a form, with the room of the suites that have it."""
        shape = self._opened(opening)
        if form == VISITING and self.passed is not None:
            return visiting_shape(shape, self.passed)
        return shape if form == OPENED else kept_shape(shape)

    def _opened(self, opening: Opening) -> Shape:
        """Return the shape of the keys whose certificates open the model."""
        if not isinstance(self.model, Model):
            return branch_shape(opening.spec, opening.sizes, self.capacity)
        room, sizes = self.model.room, opening.sizes
        slots = sizes[0] if room.slots is None else min(room.slots, sizes[0])
        nodes = sizes[3] if len(sizes) > 2 else 0
        return shape_of(opening, room._replace(slots=slots, rows=min(room.rows, nodes)))


def _of_data(hidden: Hidden, capacity: int, data_dir: Path | None) -> Shape:
    """Return the shape of a network on German."""
    return branch_shape(load("german", data_dir).spec, hidden, capacity)


def _of_columns(plain: int, sensitive: int, hidden: Hidden, capacity: int, _data_dir: Path | None) -> Shape:
    """Return the shape of a network with so many columns that are not sensitive, and one or two that are."""
    return branch_shape(_spec(plain, sensitive), hidden, capacity)


def _of_target(case: Case, data_dir: Path | None) -> Shape:
    """Return the shape of one of the targets, which is trained for it."""
    return case.shape(case.opening(data_dir))


def _spec(plain: int, sensitive: int) -> Spec:
    """Return a spec of numbers and a sensitive feature of two values: one column, or two of a category."""
    spec = spec_of(plain, 2)
    if sensitive == 1:
        return spec
    group = Feature("group", "categorical", "one-hot", sensitive=True, domain=("0", "1"))
    return checked(msgspec.structs.replace(spec, features=(*spec.plain_features, group)))


_TARGETS = {model.name: model for model in MODELS}

CASES: dict[str, Case] = {
    "100-50": Case(
        "German (100,50), 8 leaves", "german", (100, 50), Demands(0.5, 0.55, 0.6, 0.55, TOGETHER)
    ),
    "300x6": Case(
        "Adult, 300 trees of depth 6", "adult", _TARGETS["300x6"], Demands(0.56, 0.6, together=TOGETHER),
        passed=1910, visiting=Demands(0.38, 0.42),
    ),
    "ebm-pairs": Case(
        "Adult, boosting machine with pairs", "adult", _TARGETS["ebm-pairs"], Demands(0.45, 0.5, together=TOGETHER),
        passed=1799, visiting=Demands(0.22, seconds=6.0),
    ),
}  # fmt: skip
"""The models that are proven, by the name that their parts begin with."""

_TREES = Case("Adult, 100 trees of depth 4", "adult", _TARGETS["100x4"], Demands(0.95))

COUNTED: dict[str, Counted] = {
    "4-2": Counted("(4,2), 18 + 2 columns, 8 leaves", partial(_of_columns, 18, 2, (4, 2), 8), Demands()),
    "16-8": Counted("(16,8), 18 + 2 columns, 32 leaves", partial(_of_columns, 18, 2, (16, 8), 32), Demands(0.88)),
    "100-50-32": Counted(
        "German (100,50), 32 leaves", partial(_of_data, (100, 50), 32), Demands(0.66, together=TOGETHER)
    ),
    "100-100": Counted(
        "(100,100), 11 + 2 columns, 16 leaves", partial(_of_columns, 11, 2, (100, 100), 16),
        Demands(0.52, together=TOGETHER),
    ),
    "200-200-200": Counted(
        "(200,200,200), 6 + 1 columns, 32 leaves", partial(_of_columns, 6, 1, (200, 200, 200), 32),
        Demands(0.77, together=TOGETHER),
    ),
    "500-500": Counted(
        "(500,500), 18 + 2 columns, 16 leaves", partial(_of_columns, 18, 2, (500, 500), 16), Demands(most=2_700_000),
        opened=False,
    ),
    "100x4": Counted(_TREES.words, partial(_of_target, _TREES), _TREES.demands),
}  # fmt: skip
"""The shapes that are counted only, by the end of their part's name."""


def titles() -> dict[str, tuple[str, Demands]]:
    """Return words and demands of every model and shape, by name."""
    entries: list[tuple[str, Any]] = [*CASES.items(), *COUNTED.items()]
    return {name: (one.words, one.demands) for name, one in entries}
