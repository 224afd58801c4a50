"""What all records and all calls of the verifier have in common, so that no new one is without it."""

import dataclasses
import importlib
import inspect
import pkgutil

import msgspec
import pytest

import equiproof.circuits
import equiproof.verifier

OPEN = {
    "equiproof.circuits.kinds._Marked": "it reads the mark of any document, whatever else stands there",
    "equiproof.circuits.names._Table": "names.json has fields of other programs",
    "equiproof.verifier.many.Row": "it is written and never read",
    "equiproof.verifier.policy_file._Fields": "Requirements, which is made from it, is closed",
}
"""Records that may pass over fields, and why."""

DEFAULTS = {"threads": 0, "checker": "auto", "jobs": 1}
"""What a parameter or a field of this name is where nobody gives it: one thread per core, the program at hand."""


def members(*rooms):
    """Yield each class and function of some rooms with its full name."""
    for room in rooms:
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            for name, value in vars(importlib.import_module(found.name)).items():
                if getattr(value, "__module__", None) == found.name and (inspect.isclass(value) or callable(value)):
                    yield f"{found.name}.{name}", value


CHANGING = {
    "equiproof.circuits.kinds._Marked": "its one field is read at once",
    "equiproof.verifier.many.Source": "it counts what it yields",
}
"""Records and data classes whose fields may be set, and why."""

RECORDS = {
    name: value
    for name, value in members(equiproof.circuits, equiproof.verifier)
    if isinstance(value, type) and issubclass(value, msgspec.Struct)
}


DATACLASSES = {
    name: value
    for name, value in members(equiproof.circuits, equiproof.verifier)
    if isinstance(value, type) and dataclasses.is_dataclass(value)
}


def test_nothing_that_was_checked_can_be_changed():
    """Documents and their parts, policies, facts and verdicts are frozen."""
    open_ones = [name for name, value in RECORDS.items() if not value.__struct_config__.frozen]
    open_ones += [name for name, value in DATACLASSES.items() if not value.__dataclass_params__.frozen]
    assert sorted(open_ones) == sorted(CHANGING)
    assert len(RECORDS) > 50
    assert len(DATACLASSES) > 50


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_has_no_field_that_nobody_named(name):
    """What is read from outside is refused where it has a field that is not understood."""
    assert RECORDS[name].__struct_config__.forbid_unknown_fields == (name not in OPEN)


def test_what_is_left_out_is_the_same_everywhere():
    """No call takes another number of threads, or another program, than the next one does."""
    seen = set()
    for name, value in members(equiproof.verifier):
        inner = vars(value).values() if inspect.isclass(value) else ()
        for call in [value, *filter(inspect.isfunction, inner)]:
            try:
                parameters = inspect.signature(call).parameters
            except (TypeError, ValueError):  # made by nobody, as a type alias is
                continue
            for one in parameters.keys() & DEFAULTS.keys():
                if parameters[one].default is not inspect.Parameter.empty:
                    assert parameters[one].default == DEFAULTS[one], (name, call)
                    seen.add(one)
    assert seen == DEFAULTS.keys()
