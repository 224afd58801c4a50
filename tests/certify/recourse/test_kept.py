"""What a search for recourse keeps for others of the same model and spec: nobody's answer depends on who was before."""

import random

from equiproof.certify.recourse import crossings, moves
from equiproof.certify.recourse.ensembles import cheapest
from equiproof.certify.trees import problem
from equiproof.circuits import categories
from tests.certify.recourse.cases import asked_drawn, ensemble_drawn, spec_drawn

KEPT = (
    moves._ladder_of,
    moves._integers,
    moves._of_category,
    crossings.crossed_of,
    problem._form,
    categories.choices_of,
)


def forget():
    """Empty all that is kept."""
    for one in KEPT:
        one.cache_clear()


def people(seed):
    """Some people under one spec, and two models of its columns."""
    rng = random.Random(seed)
    spec = spec_drawn(rng)
    models = [ensemble_drawn(rng, spec, trees=4) for _ in range(2)]
    return models, [asked_drawn(rng, spec, label) for label in (0, 1, 1, 0, 1)]


def answers(models, asked, *, before=lambda: None):
    """What is found for everybody, model by model."""
    found = []
    for one in asked:
        for model in models:
            before()
            found.append(cheapest(model, one, every=bool(len(found) % 2)))
    return found


def test_answers_do_not_depend_on_who_was_asked_before(monkeypatch):
    """With everything kept, with nothing, and with room for one list of options, the answers are the same."""
    some = 0
    for seed in range(25):
        models, asked = people(seed)
        forget()
        fresh = answers(models, asked, before=forget)
        forget()
        assert answers(models, asked) == fresh
        with monkeypatch.context() as patch:
            patch.setattr(crossings, "_KEPT", 1)
            forget()
            assert answers(models, asked) == fresh
        some += sum(one.taken is not None and any(option.shown for option in one.taken) for one in fresh)
    assert some > 30


def test_what_is_kept_is_used():
    """The second search of a model reads nothing of it again."""
    models, asked = people(3)
    forget()
    for _ in range(2):
        answers(models[:1], asked[:1])
    assert crossings.crossed_of.cache_info()[:2] == (1, 1)
    assert problem._form.cache_info()[:2] == (1, 1)
