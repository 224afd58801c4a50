"""`equiproof lot` from close to check: what each party types, and what anybody reads."""

import json

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.cli.main import run
from tests.register.lot.world import AUDITOR, LENDER, LOG, OWNER, Period, commitment, key, receipt, signer


class Room:
    """A folder with the files of everybody, and the command line in this process."""

    def __init__(self, base, capsys):
        self.period, self.base, self._capsys = Period(base), base, capsys
        (base / "commitment.json").write_bytes(canonical_bytes(commitment()))
        keys = base / "keys" / "one"
        keys.mkdir(parents=True)
        (keys / "key.json").write_bytes(canonical_bytes(key().document))
        (keys / "verifying.key").write_bytes(key().verifying)
        (base / "parties").write_text(f"{LENDER.verifier.text}\n{AUDITOR.verifier.text}\n")
        for who in (LENDER, AUDITOR):
            (base / f"{who.name}.key").write_text(who.text)
        self.folder = base / "march"
        self.signing = ("--signing-key", base / "lender.key")

    def __call__(self, command, *words):
        """Run a command about the period; return exit code and output."""
        self._capsys.readouterr()
        code = run(["lot", command, str(self.folder), *map(str, words)])
        out, err = self._capsys.readouterr()
        return code, out + err

    def close(self, *words):
        known = {
            "log-key": LOG.verifier.text,
            "name": "March 2026",
            "owner": OWNER,
            "parties": self.base / "parties",
            "commitment": self.base / "commitment.json",
            "keys": self.base / "keys",
            "min-radius": "0.1",
            "share": "0.5",
            "draw": "8",
        }
        return self(
            "close",
            self.period.log.root,
            *(word for name, value in known.items() for word in (f"--{name}", value)),
            *words,
        )

    def step(self, who, *words):
        """Take the next step of a party."""
        return self(
            *("draw", "--signing-key", self.base / f"{who.name}.key", "--sealed", self.base / f"kept-{who.name}"),
            *words,
        )

    def whole(self):
        """Close, draw and answer."""
        self.close()
        for who in (AUDITOR, LENDER, AUDITOR, LENDER):
            assert self.step(who)[0] == 0
        for number in range(20):
            self.own(number)
        return self("answer", self.period.log.root, "--from", self.base / "owned", *self.signing)

    def own(self, number):
        """Let the owner have receipt and certificate of a decision."""
        from tests.register.lot.world import certificate

        owned = self.base / "owned" / str(number)
        owned.mkdir(parents=True)
        (owned / "receipt.json").write_bytes(canonical_bytes(self.period.receipts[number]))
        (owned / "certificate.json").write_bytes(certificate(number).to_bytes())


@pytest.fixture
def room(tmp_path, capsys):
    """A log of twenty receipts, and two parties."""
    return Room(tmp_path, capsys)


def test_the_way_of_a_period(room):
    """Each command says what comes next; the last one says the sentence, and what it does not show."""
    code, said = room.close()
    assert code == 0
    assert said.startswith("CLOSED March 2026: 20 receipts, entries 0 to 21\n  8 will be drawn\n")
    assert room("draw")[1] == "not drawn: lender and auditor have not sealed this period\n"
    assert "SEALED" in room.step(AUDITOR)[1]
    assert "lender has not sealed" in room.step(AUDITOR)[1]
    assert "lender and auditor have not opened" in room.step(LENDER)[1]
    assert "lender has not opened" in room.step(AUDITOR)[1]
    assert "DRAWN by seed" in room.step(LENDER)[1]
    for number in range(20):
        room.own(number)
    code, said = room("answer", room.period.log.root, "--from", room.base / "owned", *room.signing)
    assert (code, said.splitlines()[0]) == (0, "ANSWERED 8 drawn receipts: 8 with a certificate, 0 with none")
    code, said = room("check", room.period.log.root, "--checker", "native")
    assert code == 0
    assert said.splitlines()[0] == (
        "At least 75.0\xa0% of the 20 decisions of March 2026 carry a certificate of radius 0.1 or more, with 95\xa0% "
        "confidence (8 drawn, 8 certified)."
    )
    for shown in ("This does not show:", "Decisions that left no receipt", "Receipts of people who never applied"):
        assert shown in said
    assert "(--log-key)" in said


def test_what_programs_read(room):
    """One JSON object, with every drawn receipt; what is pinned is no longer open."""
    room.whole()
    pins = ("--log-key", LOG.verifier.text, "--auditor", AUDITOR.verifier.text)
    code, said = room("check", room.period.log.root, *pins, "--checker", "native", "--json")
    document = json.loads(said)
    assert code == 0
    assert (document["at_least"], document["share_percent"], document["promise_shown"]) == (15, "75.0", True)
    assert {one["verdict"] for one in document["answers"]} == {"certified"}
    assert len(document["answers"]) == 8
    assert [one.partition(" (")[0] for one in document["checks_not_made"]] == [
        "that others saw the same register: no witness was asked",
        "that proofs under this key cannot be forged: a single party ran its set-up",
    ]


def test_a_promise_that_is_not_shown(room):
    """Exit code 1, and the sentence all the same."""
    room.close("--share", "0.99")
    for who in (AUDITOR, LENDER, AUDITOR, LENDER):
        room.step(who)
    room.own(0)
    room("answer", room.period.log.root, "--from", room.base / "owned", *room.signing)
    code, said = room("check", room.period.log.root, "--checker", "native")
    assert code == 1
    assert "promised 99\xa0%. That is not shown." in said
    assert "the lender had none" in said


def test_an_answer_that_is_left_out_is_named(room):
    """The share may be shown, and the period is not in order."""
    room.whole()
    path = sorted((room.folder / "answers").iterdir())[0]
    path.unlink()
    code, said = room("check", room.period.log.root, "--checker", "native")
    assert code == 1
    assert f"entry {path.stem}: left-out: no answer" in said


def test_an_applicant_asks(room):
    """Whoever holds a receipt learns whether it is counted; nothing else is needed of the period than its close."""
    room.close()
    for one, said, expected in ((receipt(3), "COUNTED your receipt is entry 5", 0), (receipt(77), "NOT COUNTED", 1)):
        path = room.base / f"{one.digest}.json"
        path.write_bytes(canonical_bytes(one))
        code, text = room("check", room.period.log.root, "--receipt", path)
        assert (code, text.startswith(said)) == (expected, True)


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("close",), 2, "march exists"),
        (("draw", "--signing-key", "BASE/lender.key"), 2, "go together"),
        (("draw", "--signing-key", "BASE/other.key", "--sealed", "BASE/kept"), 2, "other is not its party"),
        (("draw", "--beacon", "BASE/commitment.json"), 2, "save drand's answer as it comes"),
        (("close", "--due", "31 May"), 2, "field policy.due: want a date such as 2026-04-30"),
        (("answer", "LOG", "--from", "BASE", "--signing-key", "BASE/lender.key"), 1, "have not sealed"),
        (("check", "LOG"), 1, "have not sealed"),
        (("check", "BASE"), 2, "no file tile"),
        (("check", "LOG", "--least-witnesses", "1"), 2, "give --witnesses: --least-witnesses counts them"),
        (("check", "LOG", "--auditor", LENDER.verifier.text), 1, "lender is no auditor"),
        (("check", "LOG", "--log-key", signer("log.example/2026x").verifier.text), 1, "than yours"),
        (("check", "LOG", "--receipt", "BASE/commitment.json"), 2, "want a receipt"),
    ],
    ids=lambda words: "-".join(words)[:40].replace("/", "") if isinstance(words, tuple) else "",
)
def test_one_line_says_what_is_wrong(room, words, code, named):
    """And how to mend it."""
    room.close()
    (room.base / "other.key").write_text(signer("other").text)
    command, *rest = (word.replace("BASE", str(room.base)).replace("LOG", str(room.period.log.root)) for word in words)
    found, said = room.close(*rest) if command == "close" else room(command, *rest)
    assert found == code, said
    assert named in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--first", "30"), "begin at an entry of the log: it has 22, and entry 30 is none"),
        (("--owner", "Somebody"), "register commitment"),
        (("--share", "1.5"), "field policy.share"),
        (("--share", "all"), "field policy.share"),
        (("--confidence", "95"), "field policy.confidence"),
        (("--confidence", "1"), "want a number between 0 and 1"),
        (("--min-radius", "-1"), "field policy.min_radius"),
        (("--min-radius", "16"), "min_radius: want at most 15.99"),
        (("--round", "0"), "round 0"),
        (("--name", "a\u202eb"), "field name"),
        (("--log-key", signer("other").verifier.text), "want other"),
    ],
)
def test_what_no_period_can_have(room, words, named):
    """Terms are checked before anything is written."""
    code, said = room.close(*words)
    assert code == 2
    assert named in said
    assert not room.folder.exists()


def test_a_page_is_written_beside_the_answer(room):
    """And never over a file that is there."""
    room.whole()
    page = room.base / "page.html"
    words = (room.period.log.root, "--checker", "native", "--html", page)
    assert room("check", *words)[0] == 0
    assert page.read_text().startswith("<!doctype html>")
    code, said = room("check", *words)
    assert (code, "page.html exists" in said) == (2, True)
