"""Plug-ins are found by entry points; one that is broken is there as broken, and breaks nothing else."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from equiproof.audits import plugin
from equiproof.audits.errors import AuditError
from equiproof.audits.plugin import Audit, Broken, Option, installed, load, settings
from tests.audits.made import Made

OPTIONS = (
    Option("delta", "how far, in units", 0.5),
    Option("steps", "how many", 3),
    Option("label", "which", "granted"),
    Option("exact", "whether", True),
)


class Raising(Made):
    """An audit that does not come into being."""

    def __init__(self):
        raise RuntimeError("no\nlicence")


class Leaving(Made):
    """An audit that ends the program."""

    def __init__(self):
        raise SystemExit(3)


class Nothing:
    """No audit at all."""


class Stranger(Made):
    """An audit of another name."""

    name = "stranger"


class Greedy(Made):
    """An audit that needs what nobody has."""

    needs = frozenset({"rows", "gold"})


class Sloppy(Made):
    """An audit whose needs are no set."""

    needs = None


class Listing(Made):
    """An audit whose needs stand in a list, from which nothing can be taken away."""

    needs = ["rows"]  # noqa: RUF012


class Twice(Made):
    """An audit with two options of one name."""

    options = (Option("a", "", 1), Option("a", "", 2))


class Odd(Made):
    """An audit with an option of no kind."""

    options = (Option("a", "", None),)


class Bare(Made):
    """An audit with options that are none."""

    options = ("a",)


class Mute(Made):
    """An audit that cannot be run."""

    run = "soon"


class Trap(Made):
    """An audit that raises when it is looked at."""

    @property
    def version(self):
        raise OSError("disk on fire")


def point(kind, name="made"):
    """Return an entry point to something in this module, or to a text."""
    value = kind if isinstance(kind, str) else f"{__name__}:{kind.__name__}"
    return EntryPoint(name, value, plugin.GROUP)


def test_a_sound_plug_in_is_loaded():
    """A class without faults becomes an audit of its name."""
    (audit,) = load([point(Made)]).values()
    assert isinstance(audit, Audit)
    assert (audit.name, audit.version) == ("made", "1")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("no_such_module:Audit", "no_such_module is not installed; the audits of this project need"),
        (
            "equiproof.audits.no_such_method:Audit",
            "ModuleNotFoundError: No module named 'equiproof.audits.no_such_method'",
        ),
        ("equiproof.audits.plugin:no_such_class", "AttributeError"),
        (Raising, "RuntimeError: no licence"),
        (Leaving, "SystemExit: 3"),
        (Nothing, "not an audit: want name, version, about, needs, options and run"),
        ("math:pi", "TypeError"),
        (Mute, "not an audit"),
        (Stranger, "calls itself 'stranger'"),
        (Greedy, "needs gold; an audit may need rows, labels, linear"),
        (Sloppy, "needs must be a set of names"),
        (Listing, "needs must be a set of names"),
        (Twice, "options must be audits.plugin.Option"),
        (Odd, "options must be audits.plugin.Option"),
        (Bare, "options must be audits.plugin.Option"),
        (Trap, "OSError: disk on fire"),
    ],
)
def test_a_broken_plug_in_is_listed_and_others_load(kind, said):
    """Whatever is wrong with one, it is said in one line, and the next one is loaded."""
    loaded = load([point(kind, "made"), point(Stranger, "stranger")])
    assert isinstance(loaded["made"], Broken)
    assert loaded["made"].error.startswith(said)
    assert loaded["made"].error.isprintable()
    assert isinstance(loaded["stranger"], Stranger)


def test_a_name_that_is_no_word_is_refused():
    """Names become files and options, so they are words."""
    name = "../made"
    kind = type("Climbing", (Made,), {"name": name})
    assert plugin._fault(kind(), name) == "a name consists of letters, digits, - and _"


def test_of_two_with_one_name_neither_is_taken():
    """Nobody chooses between two plug-ins that both claim a name; three of them are no better."""
    for count in (2, 3):
        loaded = load([point(Made)] * count + [point(Stranger, "stranger")])
        assert loaded["made"] == Broken("made", "two plug-ins have this name")
        assert isinstance(loaded["stranger"], Stranger)


def test_the_project_names_its_own_audits():
    """The installed distribution has an entry point for each method, in alphabetical order."""
    assert {"fvgm", "groups", "hyfair", "leak", "pba", "prof", "recourse", "unfair"} <= set(installed())
    assert list(installed()) == sorted(installed())


def test_options_have_their_defaults():
    """Without values, the defaults are the settings."""
    assert settings(Made(options=OPTIONS), {}) == {"delta": 0.5, "steps": 3, "label": "granted", "exact": True}


def test_options_are_read_by_the_kind_of_their_default():
    """A text becomes a number, a word or a truth, as the default is one."""
    given = {"delta": "1e-3", "steps": "-4", "label": "5", "exact": "False"}
    assert settings(Made(options=OPTIONS), given) == {"delta": 0.001, "steps": -4, "label": "5", "exact": False}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"delta": "far"}, "made: option delta: 'far' is not a number"),
        ({"delta": "nan"}, "made: option delta: 'nan' is not a number"),
        ({"delta": "inf"}, "made: option delta: 'inf' is not a number"),
        ({"steps": "2.5"}, "made: option steps: '2.5' is not a whole number"),
        ({"exact": "maybe"}, "made: option exact: 'maybe' is not true or false"),
        ({"colour": "red"}, "made: no option is called 'colour'; there are delta, steps, label, exact"),
    ],
)
def test_an_option_that_is_none_is_refused(given, said):
    """Names and values that do not fit are one line with what would."""
    with pytest.raises(AuditError) as caught:
        settings(Made(options=OPTIONS), given)
    assert str(caught.value) == said


def test_kinds_are_written_in_words():
    """What an option takes is said as people say it."""
    assert [option.kind for option in OPTIONS] == ["a number", "a whole number", "a text", "true or false"]


def test_listing_the_audits_loads_no_torch():
    """What takes seconds to import is imported by the audit that runs."""
    code = "import sys; from equiproof.audits.plugin import installed; installed(); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
