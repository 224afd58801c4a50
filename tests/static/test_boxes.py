"""The static verifier of box certificates says what Python says."""

import json
import re
import shutil
import time
from dataclasses import replace

import msgspec
import pytest

from equiproof.circuits.allowed import Wish
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import Shape, additive_shape, box_shape, follows, follows_box, network_box_shape
from equiproof.circuits.spec import Feature
from equiproof.circuits.tables import say
from equiproof.cli.main import _commands, run
from equiproof.verifier import CertificateFormatError, parse_box, parse_opened_box
from equiproof.verifier.documents import check_shape
from equiproof.verifier.opened_box import OPENED_BOX
from tests.box_cases import (
    BOX,
    COMMITMENT,
    CONTEXT,
    ENDS,
    KEY,
    LACKING,
    MARKED,
    OPENED,
    QUERY,
    RANGED,
    REFUSAL,
    SPEC,
    UNFIT,
    UNSTATED,
    VERIFYING,
    WISHES,
    drawn_box,
    expected_box,
    honest,
    judged,
    of_trees,
    proven,
    single_score,
)
from tests.fuzz.mutator import mutated
from tests.pair_cases import ALL_PAIRED, drawn_pair, fitting_pairs, in_wishes, write_pair
from tests.static.build import said
from tests.static.test_gains import key_of
from tests.support import HOUSING, SEX, spec_of
from tests.vectors.generate.box_certificates import accepted, cases
from tests.vectors.vector import CERTIFICATE, GAIN, GOLDEN, bundle_base, certificate_base
from tests.verifier.logged_boxes import proofs
from tests.verifier.logs import ANNA, BEN, CARL, LOG
from tests.web.test_agreement import TIMES, changed_document, generator, written

OWN_WORDS = ("wrong-fields", "not-json")
"""The reasons of bytes and types, of which each parser has words of its own."""
WHOLE = re.compile(r"(?<=[0-9])\.0(?=')")
"""What ends a number that a refusal of Python repeats, where a file has it with a fraction that is 0."""


def test_what_follows_from_a_spec(packages):
    """Digests, words and sentences of drawn statements are equal; boxes that do not fit are refused alike."""
    rng, refused, made = generator("static boxes"), set(), 0
    specs = [single_score(rng) for _ in range(40 * (TIMES or 1))]
    for spec in (*specs, *[SPEC, RANGED, LACKING, MARKED] * 5):
        shape, label = box_shape(spec, (3, 2)), rng.randrange(2)
        text = canonical_bytes(drawn_box(spec, rng)).decode()
        words = {"spec": written(spec), "query": text, "label": label, "data": key_of(msgspec.to_builtins(shape))}
        try:
            wanted = {"value": expected_box(spec, parse_opened_box(text.encode(), "opened"), label)}
            made += 1
        except CertificateFormatError as error:
            wanted = {"exception": "CertificateFormatError", "reason": str(error.reason), "message": str(error)}
            refused.add(str(error)[:9])
        assert packages.ask("box_facts", **words) == wanted, words
    assert made > 10
    assert len(refused) > 2


FAR = Feature("debt", "numeric", "scaled", False, scale="1000000000000000", unit="EUR a year or more")
RANKED = Feature("savings", "categorical", "rank", False, domain=("none at all", "some", "much"))
DATED = Feature("moved", "numeric", "scaled", False, scale="1000", unit="days", whole=True, start="2000-01-31")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"debt": [5.0, 6.5]}, '5 to 6.5 "EUR a year or more"'),
        ({"debt": [0.00001, 1.5e13]}, '0.00001 to 15000000000000 "EUR a year or more"'),
        ({"debt": [5.0, 5]}, '5 "EUR a year or more"'),
        ({"debt": ["5", "5.0"]}, '5 to 5.0 "EUR a year or more"'),
        ({"savings": ["none at all", "some"]}, '"none at all" / some'),
        ({"savings": ["none at all", "much"]}, '"none at all" / some / much'),
        ({"savings": ["none at all", "none at all"]}, '"none at all"'),
        ({"housing": ["rent", "own"]}, "rent / own"),
        ({"moved": [0, 366]}, "2000-01-31 to 2001-01-31"),
        ({"moved": [1.0, 1]}, "2000-02-01"),
        ({"moved": [0.5, 2]}, "0.5 to 2 days"),
    ],
)
def test_words_of_a_box(packages, given, words):
    """Numbers are as in JSON's canonical form; names of several words stand in marks."""
    spec = spec_of(FAR, RANKED, HOUSING, DATED, SEX)
    ends = {"debt": [0, 0], "moved": [0, 0], "savings": ["some", "some"], "housing": ["own"]} | given
    opened = {"format": OPENED_BOX[0], "version": OPENED_BOX[1], "ends": ends, "blinding": "0" * 64}
    text = canonical_bytes(opened).decode()
    key = key_of(msgspec.to_builtins(box_shape(spec, (3, 2))))
    found = packages.value("box_facts", spec=written(spec), query=text, label=0, data=key)["ends"]
    assert found == parse_opened_box(text.encode(), "opened").sentences(spec)
    assert found[next(iter(given))] == words


def test_shapes_that_fit(packages):
    """A shape of boxes fits its spec, and with any part changed where Python says so; it never fits a certificate."""
    rng, fitting = generator("static shapes of boxes"), 0
    specs = [single_score(rng) for _ in range(3 * (TIMES or 1))]
    for spec in (*specs, SPEC, RANGED, LACKING, MARKED, UNFIT):
        counts = rng.randint(1, 60), rng.randint(0, 9)
        shapes = [additive_shape(spec, counts, 1, 8), box_shape(spec, counts), of_trees(spec)]
        shapes += [] if spec.has_absent else [network_box_shape(spec, (rng.randint(1, 9), 2), 16)]
        ball, *boxes = map(msgspec.to_builtins, shapes)
        for one in [ball, *(changed for own in boxes for changed in changed_shapes(own))]:
            asked = {"spec": written(spec), "data": key_of(one)}
            shape = msgspec.convert(one, Shape)
            wanted = has_circuit(shape) and follows_box(shape, spec)
            found = packages.ask("fitting_box", **asked)
            assert found.get("value", False) == wanted, (one, found)
            assert packages.ask("fitting", **asked).get("value", False) == (not shape.boxes and follows(shape, spec)), (
                one
            )
            fitting += wanted
    assert fitting >= 6


def has_circuit(shape):
    """Return whether a key may have this shape."""
    try:
        check_shape(shape, "key")
    except CertificateFormatError:
        return False
    return True


def changed_shapes(own):
    """Return a shape of boxes, and ones with a number, a category or the relation changed."""
    changed = [own, *(own | {"scheme": scheme} for scheme in ("additive-ranges", "trees", "trees-box", "branch-box"))]
    changed += [own | {name: own[name] + 1} for name, value in own.items() if isinstance(value, int)]
    for name, value in own["architecture"].items():
        if value and not isinstance(value, bool) and name != "categories":
            more = value + 1 if isinstance(value, int) else [*value[:-1], value[-1] + 1]
            changed.append(own | {"architecture": own["architecture"] | {name: more}})
    for asked in own["architecture"].get("categories", ()):
        for name, value in asked.items():
            more = own["architecture"] | {"categories": [asked | {name: value + 1}]}
            changed.append(own | {"architecture": more})
    choices = own.get("one_hot", [])
    changed.append(own | {"one_hot": [*choices, {"first": 0, "values": 2, "low": 0, "high": 1}]})
    for choice in choices[:1]:
        changed += [own | {"one_hot": [choice | {name: choice[name] + 1}, *choices[1:]]} for name in choice]
    return changed


def test_every_case(packages):
    """Each case is verified, with the same words, or refused for the same reason in the same line."""
    for name, case in cases().items():
        wanted, found = judged(case), packages.ask("box", **case.asked())
        assert wanted.get("reason") == case.reason, name
        if case.reason in OWN_WORDS:
            found["message"] = wanted["message"]
        assert found == wanted, name


def test_what_a_prover_makes(packages):
    """Certificates of a prover, under keys of an own set-up, are verified with the same words."""
    for spec, ends, disclose in ((SPEC, ENDS, False), (RANGED, ENDS, True), (LACKING, UNSTATED, True)):
        case = proven(spec, ends, disclose=disclose)
        for one in (case, replace(case, opened=True, label="granted", policy={"context": True, "covers": ["sex"]})):
            found = packages.ask("box", **one.asked())
            assert found == judged(one)
            assert "value" in found


def test_a_refusal_needs_the_opened_box(packages):
    """Without it nobody sees what is compared: a mistake, and no verdict about the files."""
    found = packages.ask("box", **replace(ALL_PAIRED, opened=False).asked())
    assert "value" not in found
    assert found.get("reason") in (None, "")
    assert say("pair.box_missing") in str(found)


def test_drawn_pairs(packages):
    """Drawn rules, wishes and boxes have the same verdict, in the same line."""
    rng, reasons = generator("static drawn pairs"), set()
    for _ in range(120 * (TIMES or 1)):
        case, _ = drawn_pair(rng)
        wanted = judged(case)
        assert packages.ask("box", **case.asked()) == wanted, case.files
        reasons.add(wanted["reason"])
    assert len(reasons) >= 4


def test_changed_documents(packages):
    """Certificates, opened boxes and keys with changes drawn by chance are judged alike, for the same reason."""
    rng, seen = generator("static changed boxes"), set()
    seeds = [case for _, case in accepted()]
    for _ in range(300 * (TIMES or 1)):
        case, name = rng.choice(seeds), rng.choice((BOX, BOX, OPENED, KEY))
        data, other = case.files[name], rng.choice(seeds).files[name]
        data = changed_document(data.decode(), rng).encode() if rng.random() < 0.7 else mutated(data, other, rng)
        case = replace(case.with_file(name, data), opened=case.opened or name == OPENED)
        wanted, found = judged(case), packages.ask("box", **case.asked())
        if "message" in wanted:
            wanted["message"] = WHOLE.sub("", wanted["message"])
        if wanted.get("reason") in OWN_WORDS:
            found["message"] = wanted["message"]
        assert found == wanted, data
        seen.add(wanted.get("reason"))
    assert len(seen) >= 5


def test_a_box_is_no_certificate(packages):
    """What takes a certificate refuses a box certificate, and the other way round, whatever its mark says."""
    box, loans = honest().files[BOX], certificate_base("loans")[CERTIFICATE]
    for kind, data in (("certificate", box), ("gain", box), ("box", loans)):
        for one in (data, data.replace(b"equiproof-box", b"equiproof-certificate")):
            answer = packages.ask("read", kind=kind, data=one.hex())
            assert (answer["exception"], answer["reason"]) == ("CertificateFormatError", "wrong-fields")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Return a folder with the files of an honest certificate, a disclosed one, and others."""
    folder = tmp_path_factory.mktemp("boxes")
    for name, case in {
        "plain": honest(), "shown": honest(disclose=True), "lacking": honest(LACKING, UNSTATED),
        "ranged": honest(RANGED),
    }.items():  # fmt: skip
        (folder / name / "keys" / "key").mkdir(parents=True)
        for file, data in case.files.items():
            at = folder / name / "keys" / "key" / file if file in (KEY, VERIFYING) else folder / name / file
            at.write_bytes(data)
    wider = json.loads(honest().files[OPENED]) | {"ends": ENDS | {"income": [0, 30000]}}
    (folder / "wider.json").write_bytes(canonical_bytes(wider))
    (folder / "malformed.json").write_bytes(canonical_bytes(wider | {"ends": {"income": [0, 1]}}))
    pairs = dict(fitting_pairs())
    for name in ("none", "none-within-25", "way-under-wishes"):
        (folder / name).mkdir()
        write_pair(folder / name, pairs[f"pair-{name}"])
    (folder / "wider-wish.json").write_bytes(in_wishes({"income": Wish(to="60001")}))
    (folder / "other-nonce.json").write_bytes(canonical_bytes({"nonce": "n" * 16}))
    return folder


PLAIN = (f"plain/{BOX}", "--commitment", f"plain/{COMMITMENT}", "--keys", "plain/keys")
NONE, WAY = (
    (
        f"{name}/{BOX}", "--commitment", f"{name}/{COMMITMENT}", "--keys", f"{name}/keys", "--box", f"{name}/{OPENED}",
        "--refusal", f"{name}/{REFUSAL}", "--query", f"{name}/{QUERY}",
    )
    for name in ("none", "way-under-wishes")
)  # fmt: skip
SHOWN = (f"shown/{BOX}", *PLAIN[1:])
TOLD = {
    "alone": PLAIN,
    "as-json": (*PLAIN, "--json"),
    "opened": (*PLAIN, "--box", f"plain/{OPENED}", "--label", "granted"),
    "demanded": (*PLAIN, "--box", f"plain/{OPENED}", "--context", f"plain/{CONTEXT}", "--covers", "sex", "--json"),
    "disclosed": SHOWN,
    "disclosed-as-json": (*SHOWN, "--json"),
    "disclosed-and-opened": (*SHOWN, "--box", f"plain/{OPENED}"),
    "in-german": (*SHOWN, "--box", f"plain/{OPENED}", "--language", "de"),
    "missing-values": (
        f"lacking/{BOX}", "--commitment", f"lacking/{COMMITMENT}", "--keys", "lacking/keys",
        "--box", f"lacking/{OPENED}", "--language", "de",
    ),
    "ranges": (
        f"ranged/{BOX}", "--commitment", f"ranged/{COMMITMENT}", "--keys", "ranged/keys", "--box", f"ranged/{OPENED}",
    ),
    "other-label": (*PLAIN, "--label", "declined"),
    "other-label-in-german": (*PLAIN, "--label", "declined", "--language", "de"),
    "other-box": (*PLAIN, "--box", "wider.json"),
    "malformed-box": (*PLAIN, "--box", "malformed.json"),
    "a-query-for-a-box": (*PLAIN, "--box", GOLDEN / "loans" / "query.json"),
    "a-certificate-for-a-box": (*PLAIN, "--box", f"plain/{BOX}"),
    "other-context": (*PLAIN, "--context", "other-nonce.json"),
    "not-covered": (*PLAIN, "--covers", "sex,age"),
    "other-transcript": (*PLAIN, "--transcript", "0" * 64),
    "keys-of-others": (*PLAIN[:3], "--keys", GOLDEN / "loans" / "keys"),
    "other-commitment": (PLAIN[0], "--commitment", f"lacking/{COMMITMENT}", *PLAIN[3:]),
    "a-certificate": (GOLDEN / "loans" / CERTIFICATE, *PLAIN[1:]),
    "a-gain": (GOLDEN / "gain" / GAIN, *PLAIN[1:]),
    "an-opened-box": (f"plain/{OPENED}", *PLAIN[1:]),
    "no-file": ("nothing.json", *PLAIN[1:]),
    "a-folder": ("plain", *PLAIN[1:]),
    "none": NONE,
    "none-as-json": (*NONE, "--json"),
    "none-within": (*(str(word).replace("none/", "none-within-25/") for word in NONE), "--within", "25"),
    "none-within-more": (*(str(word).replace("none/", "none-within-25/") for word in NONE), "--within", "26"),
    "none-within-in-german": (*NONE, "--within", "40", "--language", "de"),
    "way": (*WAY, "--wishes", f"way-under-wishes/{WISHES}"),
    "way-in-german": (*WAY, "--wishes", f"way-under-wishes/{WISHES}", "--language", "de"),
    "way-under-wider-wishes": (*WAY, "--wishes", "wider-wish.json"),
    "none-of-another-refusal": (*NONE[:8], f"way-under-wishes/{REFUSAL}", *NONE[9:]),
    "none-of-another-query": (*NONE[:-1], GOLDEN / "loans" / "query.json"),
    "unknown-language": (*PLAIN, "--language", "fr"),
}  # fmt: skip


@pytest.mark.parametrize("words", TOLD.values(), ids=TOLD)
def test_it_says_what_the_command_says(program, here, words, capsys, monkeypatch):
    """The same answer to the byte, the same refusal, and the same exit code."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(here)
    code = run(["box", "verify", *map(str, words), "--checker", "native"])
    assert told(program, here, "box", *words) == (code, *capsys.readouterr())


@pytest.mark.parametrize("command", [(), ("gain",)], ids=["certificates", "gains"])
def test_other_commands_name_that_of_boxes(program, here, command, capsys, monkeypatch):
    """Whoever gives a box certificate to another command is told this one."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(here)
    code = run([*command, "verify", *PLAIN])
    out, err = capsys.readouterr()
    assert "equiproof box verify" in err
    assert told(program, here, *command, *PLAIN) == (code, out, err)
    assert code == 2


def test_a_folder_with_a_box_certificate(program, here, capsys, monkeypatch):
    """A folder whose only certificate is one about a box is refused in the same line."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(here)
    code = run(["verify", "plain"])
    assert told(program, here, "plain") == (code, *capsys.readouterr())
    assert code == 2


@pytest.mark.parametrize("base", ["loans", "gain"])
def test_a_key_of_boxes_verifies_nothing_else(program, base, tmp_path, capsys, monkeypatch):
    """A certificate of another kind that names a key of boxes is refused for the key's shape."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    file = {"loans": CERTIFICATE, "gain": GAIN}[base]
    certificate = json.loads((GOLDEN / base / file).read_bytes())
    own = honest()
    certificate["key"] = own.document(BOX)["key"]
    (tmp_path / file).write_bytes(canonical_bytes(certificate))
    (tmp_path / "keys").mkdir()
    for name in (KEY, VERIFYING):
        (tmp_path / "keys" / name).write_bytes(own.files[name])
    words = (file, "--commitment", str(GOLDEN / base / COMMITMENT), "--keys", "keys")
    command = () if base == "loans" else ("gain",)
    code = run([*command, "verify", *words, "--checker", "native"])
    out, err = capsys.readouterr()
    assert "additive-box" in err
    assert (code, told(program, tmp_path, *command, *words)) == (1, (code, out, err))


def told(program, folder, *words):
    """Return what the binary says, with the names of Python's commands."""
    code, out, err = said(program, *words, folder=folder)
    return code, renamed(out), renamed(err)


def renamed(text):
    """Return what the binary says with the names of Python's commands."""
    for name in ("gain", "box"):
        text = text.replace(f"`equiproof-verify {name}`", f"`equiproof {name} verify`")
    return text.replace("`equiproof-verify`", "`equiproof verify`")


@pytest.fixture(scope="module")
def logged(here):
    """The options that pin a log, whose proofs lie there; that of the commitment is beside its certificate."""
    now = int(time.time())
    files = honest().files
    for name, proof in proofs(files[BOX], files[COMMITMENT], ((ANNA, now - 7200), (BEN, now - 60))).items():
        (here / f"{name}.proof").write_bytes(proof)
    shutil.copy(here / "commitment.proof", (here / "plain" / BOX).with_suffix(".tlog-proof"))
    (here / "witnesses").write_text("".join(f"{one.verifier.text}\n" for one in (ANNA, BEN, CARL)))
    yield ("--log-key", LOG.verifier.text, "--witnesses", "witnesses", "--least-witnesses", "2")
    (here / "plain" / BOX).with_suffix(".tlog-proof").unlink()


LOGGED = {
    "the one beside": (0, ()),
    "a date": (0, ("--dated-by", "box.proof")),
    "a date in German": (0, ("--dated-by", "box.proof", "--language", "de")),
    "a date as JSON": (0, ("--dated-by", "box.proof", "--log-owner", "Example Bank", "--json")),
    "a date of a certificate": (1, ("--dated-by", "as a certificate.proof")),
    "a date of another box": (1, ("--dated-by", "another box.proof", "--language", "de")),
    "a date of the commitment": (1, ("--dated-by", "commitment.proof")),
    "a box for the commitment": (1, ("--log-proof", "box.proof")),
    "the commitment as a box": (1, ("--log-proof", "the commitment as a box.proof")),
    "no log proof": (2, ("--dated-by", f"plain/{BOX}")),
    "no file": (2, ("--dated-by", "nothing.proof")),
}


@pytest.mark.parametrize("name", LOGGED)
def test_logs(program, here, logged, name, capsys, monkeypatch):
    """The log proofs of commitment and file: each by an entry of its own kind alone."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(here)
    wanted, more = LOGGED[name]
    code = run(["box", "verify", *map(str, (*PLAIN, *logged, *more)), "--checker", "native"])
    assert code == wanted
    assert told(program, here, "box", *PLAIN, *logged, *more) == (code, *capsys.readouterr())


@pytest.mark.parametrize("pinned", [(), ("--log-key", LOG.verifier.text)])
def test_a_date_needs_a_log_and_its_witnesses(program, here, pinned, capsys, monkeypatch):
    """Without them, nothing is dated."""
    monkeypatch.chdir(here)
    words = (*PLAIN, *pinned, "--dated-by", f"plain/{OPENED}")
    said_here = run(["box", "verify", *map(str, words)]), capsys.readouterr().err
    code, out, err = said(program, "box", *words, folder=here)
    assert (code, out) == (said_here[0], "") == (2, "")
    for text in (err, said_here[1]):
        assert ("a date needs witnesses" if pinned else "--dated-by: of which log?") in text


@pytest.fixture(scope="module")
def several(here):
    """Return a folder with box certificates in all places, and files of other kinds."""
    folder, files = here / "several", honest().files
    wider = canonical_bytes(json.loads(files[OPENED]) | {"ends": ENDS | {"income": [0, 30000]}})
    more = canonical_bytes(json.loads(files[OPENED]) | {"more": 1})
    false = json.loads(files[BOX])
    false["statement"]["context_digest"] = "0" * 64
    for name, data in {
        "anna/certificate.json": files[BOX], "anna/opened.json": files[OPENED], "anna/certificate.tlog-proof": b"x",
        "ben/certificate.json": files[BOX], "ben/opened.json": wider,
        "carl/certificate.json": files[BOX], "carl/1.json": wider, "carl/2.json": wider,
        "dora/certificate.json": files[BOX], "dora/opened.json": more,
        "eve/certificate.json": certificate_base("loans")[CERTIFICATE],
        "a.json": files[BOX], "b.json": canonical_bytes(false), "c.json": files[BOX] + b"\n", "d.json": files[OPENED],
        "e.json": certificate_base("loans")[CERTIFICATE], "f.equiproof": bundle_base("loans"), "g.json": b"PK\x03\x04",
        "h.json": (GOLDEN / "gain" / GAIN).read_bytes(),
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    shown = honest(disclose=True).files[BOX]
    lines = [files[BOX], certificate_base("loans")[CERTIFICATE], b"", files[OPENED], shown]
    (here / "lines.jsonl").write_bytes(b"\n".join(lines))
    (here / "empty").mkdir()
    (here / "no-boxes").mkdir()
    (here / "no-boxes" / "e.json").write_bytes(certificate_base("loans")[CERTIFICATE])
    return folder


MANY = {
    "a folder": ("several",),
    "in German": ("several", "--language", "de"),
    "as JSON": ("several", "--json"),
    "covered": ("several", "--covers", "sex"),
    "not covered": ("several", "--covers", "age", "--json"),
    "lines": ("lines.jsonl", "--json"),
    "without a file": ("empty",),
    "without a box certificate": ("no-boxes",),
}


@pytest.mark.parametrize("name", MANY)
def test_many(program, here, several, name, capsys, monkeypatch):
    """The same verdict of each, the same table and the same exit code; certificates about decisions are left out."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(here)
    source, *more = MANY[name]
    found = []
    for call in (
        lambda *words: (run(["box", "verify-many", source, *words, "--checker", "native"]), *capsys.readouterr()),
        lambda *words: told(program, here, "box", "--many", source, *words),
    ):
        outcome = call(*PLAIN[1:], *more, "--out", "results")
        results = here / "results"
        found.append((*outcome, renamed(results.read_text("utf-8")) if results.exists() else ""))
        results.unlink(missing_ok=True)
    assert found[0] == found[1]
    if name == "a folder":
        assert (found[0][0], found[0][1].splitlines()[0]) == (1, "VERIFIED 2 of 7 box certificates")
        assert "Left out, since they are no box certificates: 6 of our other files" in found[0][1]


def test_many_certificates_leave_boxes_out(program, here, several, capsys, monkeypatch):
    """No box certificate is counted among certificates about decisions, neither in a folder nor as a line."""
    monkeypatch.chdir(here)
    trusted = ["--commitment", str(GOLDEN / "loans" / COMMITMENT), "--keys", str(GOLDEN / "loans" / "keys"), "--json"]
    for source, verified in (("several", 3), ("lines.jsonl", 1)):
        code = run(["verify-many", source, *trusted, "--checker", "native"])
        out = capsys.readouterr().out
        assert (code, json.loads(out)["verified"]) == (2, verified)
        assert told(program, here, "--many", source, *trusted)[:2] == (code, out)


def test_options_of_one_and_of_many(program, here, several):
    """Each goes with its own; what is about decisions is no option at all."""
    for words in (
        ("--many", "several", "--label", "granted"), ("--many", "several", "--box", f"plain/{OPENED}"),
        ("--many", "several", "--dated-by", "x"), ("--many", "several", "--context", f"plain/{CONTEXT}"),
        ("--many", "several", "--min-radius", "0"), ("--many", "several", "plain"), (f"plain/{BOX}", "--out", "x"),
        (f"plain/{BOX}", "--jobs", "2"),
    ):  # fmt: skip
        code, out, err = said(program, "box", *words, *PLAIN[1:], folder=here)
        assert (code, out, len(err.splitlines())) == (2, "", 1), words


def test_its_options_are_those_of_the_command(program):
    """It has every option of both commands but the choice of a program, and those of every command."""
    group = _commands().commands["box"].commands
    both = [*group["verify"].params, *group["verify-many"].params]
    wanted = {name[2:] for one in both for name in one.opts if name[:2] == "--"} | {"help", "many"}
    found = re.findall(r"^  --([a-z-]+)", said(program, "box", "--help")[1], re.MULTILINE)
    assert sorted(found) == sorted(wanted - {"checker", "log"})


def test_wrong_words(program, here):
    """What is wrong with the words of a command is one line, and ends with 2."""
    for words in (
        (), PLAIN[:1], PLAIN[1:], (*PLAIN, "x"), (*PLAIN, "--policy", "x"), (*PLAIN, "--least-signers", "1"),
        (*PLAIN, "--transcript", "0"), (*PLAIN, "--covers", ""), (*PLAIN, "--query", "x"), (*PLAIN, "--box"),
        NONE[:-2], (*PLAIN, "--wishes", "x"), (*PLAIN, "--within", "5"), (*NONE, "--within", "0"),
        (*NONE, "--within", "100"), (*NONE, "--within", "x"),
    ):  # fmt: skip
        code, out, err = said(program, "box", *words, folder=here)
        assert (code, out, len(err.splitlines())) == (2, "", 1), words


def test_its_help_names_the_command(program):
    """Its help, and that of the program."""
    assert "Usage: equiproof-verify box " in said(program, "box", "--help")[1]
    assert "equiproof-verify box --help" in said(program, "--help")[1]


def test_what_parsers_read(packages):
    """Both read the same changed certificates and opened boxes."""
    rng, seen = generator("static read boxes"), set()
    for kind, parse, name in (("box", parse_box, BOX), ("opened-box", parse_opened_box, OPENED)):
        seeds = [case.files[name] for _, case in accepted()]
        for _ in range(200 * (TIMES or 1)):
            data = rng.choice(seeds)
            data = (
                changed_document(data.decode(), rng).encode()
                if rng.random() < 0.7
                else mutated(data, rng.choice(seeds), rng)
            )
            try:
                parse(data, "it")
                wanted = None
            except CertificateFormatError as error:
                wanted = str(error.reason)
            found = packages.ask("read", kind=kind, data=data.hex())
            assert (found.get("exception"), found.get("reason")) == (wanted and "CertificateFormatError", wanted), data
            seen.add(wanted)
    assert len(seen) >= 3
