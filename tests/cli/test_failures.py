"""Every error class says what it means for a caller, and every front end reads that off the class."""

import ast
import errno
import importlib
import os
import pkgutil
import re
from pathlib import Path

import pytest

import equiproof
from equiproof.circuits import exit_codes
from equiproof.circuits.text import LONGEST_LIST
from equiproof.cli import failures

INTERNAL = {
    "equiproof.certify.archive.ArchiveError": "readers of files turn it into an error that names the file",
    "equiproof.certify.branch.budget.NoTreeError": "ends one radius inside a search, which tries a smaller one",
    "equiproof.certify.trees.making.WrongError": "ends one radius inside a search, which tries a smaller one",
    "equiproof.certify.errors.EvidenceError": "a search whose evidence does not hold is wrong: a fault of ours",
    "equiproof.circuits.commitment.PackError": "openings turn it into an error that names the file",
    "equiproof.circuits.encodings.interface.EncodingError": "specs turn it into an error that names the feature",
    "equiproof.circuits.field.FieldError": "every reader of files turns it into an error that names file and field",
    "equiproof.circuits.layout.WitnessError": "a witness that the prover itself fills wrongly: a fault of ours",
    "equiproof.circuits.numbers.NumberError": "encodings turn it into an error of their own",
    "equiproof.circuits.reference.field.RuleError": "only tests evaluate the reference",
    "equiproof.circuits.replacement.BusyError": "writing files turns it into an error that names the note in the way",
    "equiproof.circuits.tables.TableError": "a table of ours lacks what a program reads in it: a fault of ours",
    "equiproof.cli.demo.DemoError": "a step of the demo that ends otherwise than expected: a fault of ours",
    "equiproof.ffi.errors.RefusedError": "verifier and ceremony turn it into a refusal, the prover into an error",
    "equiproof.prover.estimate.TooLargeError": "estimates stop there and show its line",
    "equiproof.service.asking.AskingError": "the demo's own service answers otherwise than expected: a fault of ours",
    "equiproof.service.delivery.DeliveryError": "settings turn it into their error, a sender tries again",
    "equiproof.service.idempotency.ReusedError": "routes turn it into a problem",
    "equiproof.service.idempotency.RunningError": "routes turn it into a problem",
    "equiproof.service.states.StateError": "a change of state that no request asks for: a fault of ours",
    "equiproof.service.web.problems.ProblemError": "the answer to a request",
    "equiproof.service.worker.provers.DiedError": "the worker tries again, and then gives the decision up",
    "equiproof.service.worker.provers.EndedError": "an admin wanted that: the decision waits again or has failed",
    "equiproof.service.worker.provers.HungError": "the same, of a prover that was ended",
}
"""Error classes without an exit code, each with the reason: nothing that a user does makes a command end with it.

Errors inside one audit are left out as well: the runner reports whatever an audit raises as that audit's failure.
"""

AUDITS = re.compile(r"equiproof\.audits\.\w+\.\w+\.\w+")
"""A class of a module of one audit's own package, and none of the modules that all audits share."""


def error_classes():
    """Import every module of the package and return its error classes by their full name."""
    found = {}
    for module in pkgutil.walk_packages(equiproof.__path__, "equiproof."):
        if module.name.rpartition(".")[2] in ("__main__", "_build", "_native") or ".lib" in module.name:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Exception) and value.__module__ == module.name:
                found[f"{module.name}.{value.__qualname__}"] = value
    return found


@pytest.fixture(scope="module")
def classes():
    """Return every error class of the package by its full name."""
    return error_classes()


def test_every_error_class_has_an_exit_code_or_a_reason(classes):
    """A class without an exit code is listed above with its reason, and no class is in the list for nothing."""
    assert len(classes) > 40
    without = {name for name, kind in classes.items() if not hasattr(kind, "exit_code")}
    public = {name for name in without if not name.rpartition(".")[2].startswith("_")}
    assert {name for name in public if not AUDITS.fullmatch(name)} == set(INTERNAL)


def test_exit_codes_of_errors_are_those_that_errors_may_have(classes):
    """An error means refused, misused, exhausted or a forked log; unfair is a result, a fault has no code."""
    codes = {name: kind.exit_code for name, kind in classes.items() if hasattr(kind, "exit_code")}
    assert set(codes.values()) == {exit_codes.REFUSED, exit_codes.MISUSED, exit_codes.EXHAUSTED, exit_codes.FORKED}
    refused = {name for name, code in codes.items() if code == exit_codes.REFUSED}
    rooms = {name.rpartition(".")[0] for name in refused}
    verifier = {f"equiproof.verifier.{module}" for module in ("checkpoint", "errors", "merkle")}
    assert rooms == {*verifier, "equiproof.prover.ceremony.errors", "equiproof.register.lot.errors"}


def test_an_error_of_the_boundary_is_misuse(classes):
    """The number that the boundary writes is the constant, which it cannot import."""
    assert classes["equiproof.ffi.errors.BackendError"].exit_code == exit_codes.MISUSED


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FileNotFoundError(2, "No such file or directory", "x"), exit_codes.MISUSED),
        (ModuleNotFoundError("No module named 'numpy'", name="numpy"), exit_codes.MISUSED),
        (ModuleNotFoundError("No module named 'equiproof.x'", name="equiproof.x"), None),
        (ModuleNotFoundError("No module named 'json.x'", name="json.x"), None),
        (ValueError("x"), None),
    ],
)
def test_errors_of_others_are_misuse_or_faults(error, code):
    """A file that is missing and a package that is not installed are the user's to mend; anything else is a fault."""
    assert failures.exit_code(error) == code


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOENT, "check the path: place/rows.csv: No such file or directory"),
        (errno.EISDIR, "name a file instead of the folder: place/rows.csv: Is a directory"),
        (errno.EACCES, "name another place, or change the permissions: place/rows.csv: Permission denied"),
        (errno.ENOTCONN, f"place/rows.csv: {os.strerror(errno.ENOTCONN)}"),
    ],
)
def test_errors_of_the_system_begin_with_what_to_do(number, said):
    """What to do, the file, and what the system says; the number that Python shows is nothing to people."""
    assert failures.lines(OSError(number, os.strerror(number), "place/rows.csv")) == [said]
    assert failures.one_line(OSError(number, os.strerror(number))) == said.replace("place/rows.csv: ", "")
    assert failures.one_line(OSError("timed out")) == "timed out"


def test_a_folder_in_the_place_of_a_file_is_one_line_with_what_to_do(cli, tmp_path):
    """A command that reads a folder as its file ends so, as any other does."""
    ended = cli("spec", tmp_path, "--label", "a", "--sensitive", "b", "--out", tmp_path / "spec.json")
    assert ended.code == exit_codes.MISUSED
    assert ended.err.strip().endswith(f"name a file instead of the folder: {tmp_path}: Is a directory"), ended.err


MOST_LISTED = 20
"""The most values of a list that are written: larger numbers are rooms."""

LISTS = ("listed", "several", "_listed")
"""What writes the values of a list into a message, in as many characters as it is given room for."""


def length_of(node, returned, *, lists):
    """Return how many characters an error's message always has, whatever names and numbers are filled in.

    `returned` has by name of a function of the same module the longest text that it returns. With `lists`, these are
    as long as their room.
    """
    if isinstance(node, ast.JoinedStr):
        return sum(length_of(part, returned, lists=lists) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return length_of(node.value, returned, lists=lists)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if not lists or name not in LISTS:
            return returned.get(name, 0) if isinstance(node.func, ast.Name) else 0
        given = [*node.args[1:], *(one.value for one in node.keywords)]
        rooms = [one.value for one in given if isinstance(one, ast.Constant) and one.value > MOST_LISTED]
        return rooms[-1] if rooms else returned.get(name, LONGEST_LIST)
    return len(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else 0


def texts_returned(functions, *, lists):
    """Return by name of each function how long the longest of the texts is that it returns."""
    found = {}
    for _ in range(2):  # one of them may write a part of another's text
        found = {
            name: max((length_of(text, found, lists=lists) for text in texts), default=0)
            for name, texts in functions.items()
        }
    return found


def test_no_error_is_raised_with_a_text_that_leaves_no_room_for_what_it_names():
    """Of 400 characters at least 100 are left for files, names, numbers and lists, and beside full lists at least 60.

    Wherever the package raises an error, whatever function of its module writes a part of the text.
    """
    raised = 0
    for path in sorted(Path(equiproof.__file__).parent.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls, functions = [], {}
        for one in ast.walk(tree):
            if isinstance(one, ast.Raise) and isinstance(one.exc, ast.Call):
                calls.append(one.exc)
            elif isinstance(one, ast.FunctionDef):
                functions[one.name] = [last.value for last in ast.walk(one) if isinstance(last, ast.Return)]
        raised += len(calls)
        for most, lists in ((300, False), (340, True)):
            returned = texts_returned(functions, lists=lists)
            for call in calls:
                longest = max((length_of(one, returned, lists=lists) for one in call.args), default=0)
                assert longest <= most, (path, call.lineno, longest)
    assert raised > 1000
