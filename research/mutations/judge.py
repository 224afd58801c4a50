"""Which test notices a mutant, and how."""

from __future__ import annotations

import re

from research.mutations.build import Mutant
from research.mutations.suite import Suite, Test, execute

LIE, HONEST, CIRCUIT, OTHER = "false passes", "honest refused", "no circuit", "otherwise"
"""How a mutant is noticed: a false witness passes; an honest one is refused; there is no circuit; or else."""

SAME, NOTHING = "same circuit", "survives"
"""No test notices it: its constraint systems are the same, or they are not."""

HOWS = (LIE, HONEST, CIRCUIT, OTHER, SAME, NOTHING)

_MESSAGE = r"_test\.go:\d+: .*"
SAYS = {
    LIE: re.compile(
        _MESSAGE + r"(accepted$|every row holds|passes|can be changed alone|can be another|: proven$|keep a statement)",
        re.M,
    ),
    CIRCUIT: re.compile(r"^panic: |runtime error|parse circuit|^goroutine |^runtime: |the time is over", re.M),
    HONEST: re.compile(_MESSAGE + r"(refused|do not hold|not satisfied)", re.M),
}
"""What failing tests write; the first that is found counts."""

GOES_ON = 0.5
"""For how many seconds of tests a false witness is looked for once a mutant has been noticed in another way."""


def failure(output: str) -> str:
    """Return how a test failed."""
    return next((how for how, pattern in SAYS.items() if pattern.search(output)), OTHER)


QUICK = 1.0
"""After how many seconds of tests that notice nothing constraint systems are compared."""


PATIENCE = 20
"""How many times as long as without a mutant a test may take: a busy machine makes it slow, not endless."""


def order(mutant: Mutant, tests: list[Test]) -> list[Test]:
    """Return the tests that reach a mutant: quick ones first, and of these the ones of its own package."""
    own = "equiproof/" + mutant.file.rpartition("/")[0]
    reaching = [test for test in tests if mutant.id in test.reaches]
    return sorted(reaching, key=lambda test: (test.seconds > 1, test.package != own, test.seconds))


def judge(mutant: Mutant, suite: Suite) -> list[str]:
    """Run tests until a false witness passes, or for a while after another failure; returns how, and the test."""
    found, before, after, compared = [NOTHING, ""], 0.0, 0.0, False
    for test in order(mutant, suite.tests):
        if found[0] != NOTHING:
            after += test.seconds
        elif not compared and before + test.seconds > QUICK:
            compared = True
            if suite.same(mutant.id):
                return [SAME, ""]
        if after > GOES_ON:
            break
        before += test.seconds
        limit = 60 + PATIENCE * test.seconds
        status, output = execute(test.package, test.program, test.name, limit, EQUIPROOF_MUTANT=str(mutant.id))
        how = failure(output) if status else CIRCUIT if status is None else NOTHING
        if how == LIE or (how != NOTHING and found[0] == NOTHING):
            found = [how, f"{test.package.partition('/')[2]}: {test.name}"]
        if how == LIE or status is None:
            break
    return [SAME, ""] if found[0] == NOTHING and not compared and suite.same(mutant.id) else found
