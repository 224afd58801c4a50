"""docs/service.md says of the interface what the interface is: its request works, and its tables are whole."""

import base64
import json
import re
import shlex

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from equiproof.circuits.spec import load_spec
from equiproof.cli.demo import SHIPPED
from equiproof.cli.everyday import _tree
from equiproof.cli.main import _commands
from equiproof.prover.model_folder import SPEC_FILE
from equiproof.service.states import State
from equiproof.service.web.bodies import (
    CorrectionBody,
    DecisionBody,
    NewCorrection,
    NewDecision,
    NewRecourse,
    SecondDecision,
)
from equiproof.service.web.problems import FRAMEWORK_KINDS, Problem
from equiproof.service.webhooks import signed
from tests.support import ROOT

PAGE = (ROOT / "docs" / "service.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def rows(head):
    """Return the first columns of a table by its heading."""
    table = PAGE.partition(f"| {head} |")[2].partition("\n\n")[0]
    return [line.split("|")[1:] for line in table.splitlines()[2:]]


def test_the_first_decision_is_asked_for_as_the_interface_wants_it():
    """The body of the page's `curl` is valid, and has each feature of the model that the guide trains, once."""
    body = NewDecision.model_validate(_bodies()[0], strict=True)
    spec = load_spec(SHIPPED / SPEC_FILE)
    assert set(body.features) == {feature.name for feature in spec.plain_features}
    spec.encode(body.features)


def _bodies():
    """Return what each `curl` of the page sends, in their order."""
    calls = [text.replace("\\\n", " ") for kind, text in BLOCKS if kind == "sh" and text.startswith("curl")]
    words = [word for text in calls for word in shlex.split(text)]
    return [json.loads(words[place + 1]) for place, word in enumerate(words) if word == "-d"]


def test_a_correction_is_asked_for_as_the_interface_wants_it():
    """The bodies of all calls are valid."""
    asked, second, sought = _bodies()[1:]
    NewCorrection.model_validate_json(json.dumps(asked), strict=True)
    SecondDecision.model_validate_json(json.dumps(second), strict=True)
    NewRecourse.model_validate_json(json.dumps(sought), strict=True)


def test_answers_have_the_shapes_of_the_interface():
    """Each JSON block is a body as the OpenAPI document has it; a webhook's is told in its own table."""
    shown = [json.loads(text) for kind, text in BLOCKS if kind == "json"]
    DecisionBody.model_validate(shown[0])
    CorrectionBody.model_validate(shown[1])
    Problem.model_validate(shown[2])
    assert set(shown[3]) == {"at", "client", "decision", "number", "state"}


@pytest.mark.parametrize("page", ["service", "operations"])
def test_commands_are_commands_of_the_program(page):
    """Every `equiproof` line, and what is named in a sentence, is a command with options that it has."""
    known = {words: {option for one in command.params for option in one.opts} for words, command in _tree(_commands())}
    text = (ROOT / "docs" / f"{page}.md").read_text()
    lines = re.findall(r"^equiproof .*$|(?<=`)equiproof [a-z][^`]*(?=`)", text, re.MULTILINE)
    assert len(lines) >= 4
    for line in lines:
        words = shlex.split(line)[1:]
        command = max((name for name in known if words[: len(name.split())] == name.split()), key=len, default=line)
        assert command in known
        options = {word for word in words if word.startswith("--")}
        # Commands of the log hand their words to its own program.
        assert options <= known[command] or command.startswith("log "), line


def test_every_state_is_explained():
    """In the table of states, and no other."""
    assert [row[0].strip(" `") for row in rows("state")] == [str(state) for state in State]


def test_every_operation_is_listed(service):
    """With the method, the path, and no other operation."""
    paths = service.client.app.openapi()["paths"]
    there = {
        f"{method.upper()} {path.replace('{decision_id}', 'ID').replace('{name}', 'NAME')}"
        for path, each in paths.items()
        for method in each
    }
    assert {row[0].strip(" `") for row in rows("request")} == there


def test_every_problem_is_named():
    """What the sources raise is what the table has; an applicant's page answers no program."""
    sources = "".join(
        path.read_text()
        for path in (ROOT / "equiproof" / "service" / "web").glob("*.py")
        if path.name != "applicant.py"
    )
    raised = {kind for _, kind in re.findall(r'ProblemError\(\s*(\d+), "([a-z-]+)"', sources)}
    listed = {kind for row in rows("status") for kind in re.findall(r"`([a-z-]+)`", row[1])}
    assert raised | set(FRAMEWORK_KINDS.values()) == listed


def test_statuses_are_those_of_the_document(service):
    """Each stands in the table, and each of the table in the document, but for 405, of a method that no path has."""
    paths = service.client.app.openapi()["paths"]
    documented = {status for each in paths.values() for one in each.values() for status in one["responses"]}
    listed = {status for row in rows("status") for status in re.findall(r"[0-9]{3}", row[0])}
    assert {status for status in documented if status >= "400"} == listed - {"405"}


def test_a_receiver_written_from_the_page_takes_what_is_sent_and_nothing_else():
    """The page's own lines, with the old secret beside the new one; not another body, id, time or secret."""
    (code,) = (text for kind, text in BLOCKS if kind == "python")
    names = {}
    exec(code, names)  # noqa: S102 -- lines of our own page
    new, old = (f"whsec_{base64.b64encode(bytes([one]) * 32).decode()}" for one in (1, 2))
    headers = signed(bytes([2]) * 32, "d-1", 1000, b"{}")
    for changed, body, secrets, now, taken in (
        ({}, b"{}", [new, old], 1000, True),
        ({}, b"{}", [old], 1300, True),
        ({}, b"{}", [old], 1301, False),
        ({}, b"{}", [new], 1000, False),
        ({}, b"{ }", [old], 1000, False),
        ({"webhook-id": "d-2"}, b"{}", [old], 1000, False),
        ({"webhook-timestamp": "1001"}, b"{}", [old], 1000, False),
    ):
        assert names["is_genuine"](headers | changed, body, secrets, lambda now=now: now) == taken
