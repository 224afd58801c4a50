"""`equiproof recourse`: what is found, said, proven and printed, and every mistake in one line."""

import json
import shutil
import sys

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import additive_shape, box_shape
from equiproof.cli import failures
from equiproof.prover import Opening, Prover
from tests.kept import kept_keys
from tests.recourse_cases import ROW, RULED, between, key, opening
from tests.support import LOANS, key_of, network

SEED = 2
"""That of a network which refuses the applicant whatever the sensitive values are, and not whatever changes."""

SOLVING = tuple(f"equiproof.certify.{name}" for name in ("highs", "integer_program", "recourse.network_program"))
"""Modules that load the solver."""

WISHES = {"format": "equiproof-wishes", "version": 2, "wishes": {"housing": {"fixed": True}, "debt": {"from": "3"}}}


@pytest.fixture
def owner(tmp_path):
    """A folder with an owner's opening and a refused applicant."""
    return written(tmp_path, opening())


def written(folder, opened, row=ROW):
    """Write the files of an owner."""
    (folder / "opening.json").write_bytes(opened.secret())
    (folder / "commitment.json").write_bytes(opened.public())
    (folder / "row.json").write_text(json.dumps(row))
    return folder


def asked(folder, *more):
    """Return the words of a search."""
    return ["recourse", folder / "row.json", "--opening", folder / "opening.json", *more]


def proving(folder, *more):
    """Return the words of a search that proves."""
    return asked(folder, "--prove", "--keys", key().folder.parent, "--out", folder / "made", *more)


def test_ways_are_said_in_both_languages(cli, owner):
    """The cheapest one first, in raw units, with today's values."""
    done = cli(*asked(owner))
    assert done.code == 0
    first = done.out.replace("\u00a0", " ").splitlines()[:3]
    assert first[0] == "WAY"
    assert first[1] == (
        "  This model would have decided granted if debt had been at most 2 EUR (down to -3 EUR) instead of 4 EUR, "
        "with everything else as it is."
    ).replace("-", "\u2212")
    assert first[2] == "    cost 1"
    assert "if income had been at least 40 EUR (up to 60 EUR) instead of 30 EUR" in done.out.replace("\u00a0", " ")
    german = cli(*asked(owner, "--language", "de", "--most", "1")).out
    assert "wenn Folgendes anders gewesen wäre und alles andere gleich: debt höchstens 2" in german
    assert german.count("Dieses Modell") == 1


def test_wishes_narrow_what_is_looked_for(cli, owner):
    """What somebody does not want to change is in no way; without any that is left, none helps."""
    (owner / "wishes.json").write_text(json.dumps(WISHES))
    found = cli(*asked(owner, "--wishes", owner / "wishes.json", "--json")).document
    assert [way["changed"] for way in found["ways"]] == [["income"]]
    more = {**WISHES["wishes"], "income": {"fixed": True}}
    (owner / "wishes.json").write_text(json.dumps({**WISHES, "wishes": more}))
    done = cli(*asked(owner, "--wishes", owner / "wishes.json"))
    assert done.code == 0
    assert "No change that both you and the lender’s rules allow would have made this model decide" in done.out


def test_what_is_proven_verifies_with_the_refusal(cli, owner):
    """Each way beside the refusal's certificate and query: all four files fit, and the page names the certificates."""
    done = cli(*proving(owner, "--page", owner / "page.html", "--lender", "North Bank", "--json"))
    names = [one["name"] for one in done.document["certificates"]]
    assert len(names) == 3
    page = (owner / "page.html").read_text()
    assert all(f"{name[:4]}\u00a0{name[4:8]}" in page for name in names)
    assert (owner / "page.html").stat().st_mode & 0o077 == 0
    refusal, query = refused(owner)
    for number in (1, 2, 3):
        folder = owner / "made" / f"way-{number}"
        assert (folder / "opened.json").stat().st_mode & 0o077 == 0
        done = cli(
            *("box", "verify", folder / "certificate.json", "--commitment", owner / "commitment.json"),
            *("--keys", key().folder.parent, "--box", folder / "opened.json"),
            *("--refusal", refusal, "--query", query, "--json"),
        )
        assert done.code == 0
        assert done.document["answer"].startswith("It is enough that")


def bundled(cli, owner, *more):
    """Put the refusal and what was proven for it into the applicant's own bundle."""
    refusal, query = refused(owner)
    decisions = owner / "refusal-key"
    if not decisions.exists():
        shutil.copytree(key_of(kept_keys(), additive_shape(RULED, opening().model.predicates, 3, 2)).folder, decisions)
    words = ("--commitment", owner / "commitment.json", "--key", decisions, "--for-applicant", query)
    return cli("bundle", refusal, *words, "--out", owner / "mine.equiproof", *more)


def test_an_applicants_bundle_has_it(cli, owner):
    """One file that is secret, verifies by itself with all ways, and is refused where a way is another's."""
    cli(*proving(owner))
    words = ("--recourse", owner / "made", "--box-keys", key().folder)
    done = bundled(cli, owner, *words, "--json")
    assert done.code == 0
    assert [name for name in done.document["files"] if "way-" in name][-1] == "recourse/way-3/opened.json"
    path = owner / "mine.equiproof"
    assert path.stat().st_mode & 0o077 == 0
    found = cli("verify", path, "--json").document
    assert [box["answer"][:17] for box in found["recourse"]] == ["It is enough that"] * 3
    text = cli("verify", path).out
    assert "What would have been enough\n  + It is enough that debt is" in text
    assert "+ Es genügt" in cli("verify", path, "--language", "de").out
    shutil.copy(owner / "made" / "way-1" / "opened.json", owner / "made" / "way-2" / "opened.json")
    bundled(cli, owner, *words, "--force").complaint(1, "recourse/way-2/certificate.json")


def test_a_none_within_wishes_is_bundled_with_them(cli, owner):
    """Without the wishes the box is smaller than the rules allow, and nothing is written."""
    fixed = {"income": {"fixed": True}, "debt": {"fixed": True}, "housing": {"fixed": True}}
    (owner / "wishes.json").write_text(json.dumps({**WISHES, "wishes": fixed}))
    cli(*proving(owner, "--wishes", owner / "wishes.json"))
    words = ("--recourse", owner / "made", "--box-keys", key().folder)
    bundled(cli, owner, *words).complaint(1, "recourse/none/certificate.json")
    assert not (owner / "mine.equiproof").exists()
    assert bundled(cli, owner, *words, "--wishes", owner / "wishes.json").code == 0
    assert "Whether a change would have been enough\n  + None of the" in cli("verify", owner / "mine.equiproof").out


def test_options_of_bundles_go_together(cli, owner):
    """Recourse is in the applicant's own bundle alone, and needs its key; a folder without any is named."""
    refusal, _ = refused(owner)
    for words, says in (
        (("--recourse", owner), "--recourse goes with --for-applicant and --box-keys"),
        (("--wishes", owner), "go with --recourse"),
    ):
        cli("bundle", refusal, "--out", owner / "x.equiproof", *words).complaint(2, says)
    bundled(cli, owner, "--recourse", owner, "--box-keys", key().folder).complaint(2, "no box certificate in")


def refused(folder, owned=None):
    """Write the certificate of the refusal and its query file."""
    owned = owned or opening()
    slots = min(3, sum(owned.model.predicates))
    with Prover(owned, key_of(kept_keys(), additive_shape(RULED, owned.model.predicates, slots, 2))) as prover:
        made = prover.prove(ROW)
    files = folder / "refusal.json", folder / "query.json"
    files[0].write_bytes(made.certificate.to_bytes())
    files[1].write_bytes(canonical_bytes(made.query))
    return files


CODES = {
    "format": "equiproof-reason-codes",
    "version": 1,
    "reasons": {
        "income": {"en": "Income insufficient", "de": "Einkommen zu gering", "code": "05"},
        "debt": {"en": "Excessive obligations", "code": "07"},
        "housing": {"en": "Length of residence"},
        "school": {"en": "Education"},
        "years": {"en": "Education"},
    },
}


def test_reasons_are_those_of_the_ways_with_their_certificates(cli, owner):
    """The owner's words and codes in the order of cost, on the page too, in German where the owner wrote it."""
    (owner / "codes.json").write_text(json.dumps(CODES))
    words = ("--reasons", owner / "codes.json", "--page", owner / "page.html", "--lender", "North Bank")
    done = cli(*proving(owner, *words, "--language", "de"))
    assert done.code == 0
    assert [line.strip() for line in done.out.splitlines() if "oben" in line] == [
        "Excessive obligations (07): Satz 1 oben",
        "Length of residence: Satz 2 oben",
        "Einkommen zu gering (05): Satz 3 oben",
    ]
    assert "Die wesentlichen Gründe" in (owner / "page.html").read_text()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"income": None}, "add income: the rules let it change"),
        ({"horse": {"en": "Horse"}}, "take 'horse' out"),
        ({"sex": {"en": "Sex"}}, "take 'sex' out"),
        ({"income": {"en": ""}}, "income: give its reason words"),
        ({"income": {"en": "a\u202eb"}}, "income: "),
        ({"income": {"text": "a"}}, "text"),
    ],
)
def test_tables_of_reasons_that_do_not_fit(cli, owner, change, says):
    """Each in one line that names the feature."""
    reasons = {name: text for name, text in {**CODES["reasons"], **change}.items() if text is not None}
    (owner / "codes.json").write_text(json.dumps({**CODES, "reasons": reasons}))
    cli(*proving(owner, "--reasons", owner / "codes.json")).complaint(2, says)


def test_other_files_are_no_table_of_reasons(cli, owner):
    """The kind of the file is named; without proofs no reason is given."""
    cli(*proving(owner, "--reasons", owner / "opening.json")).complaint(2, "an opening")
    cli(*asked(owner, "--reasons", owner / "opening.json")).complaint(2, "--reasons goes with --prove")
    both = ("--reasons", owner / "opening.json", "--wishes", owner / "wishes.json")
    cli(*proving(owner, *both)).complaint(2, "--reasons goes without --wishes")


def test_a_none_is_proven(cli, tmp_path):
    """Where nothing helps, the certificate says so of the box of all that the rules allow."""
    owner = written(tmp_path, opening(bias=-40))
    done = cli(*proving(owner, "--page", owner / "page.html", "--lender", "North Bank"))
    assert done.code == 0
    assert done.out.startswith("NONE\n  No change that the lender’s rules allow would have made this model decide")
    assert (owner / "made" / "none" / "opened.json").is_file()
    assert "Whether a change would have been enough" in (owner / "page.html").read_text()


def test_who_depends_on_a_sensitive_value_is_told_to_the_owner_alone(cli, tmp_path):
    """The page says that a person looks at it; the owner reads what is granted to whom. Nothing is proven."""
    # With 5 less for the second sex, each change is enough for the first one only, and age plays no part.
    owner = written(tmp_path, opening(bias=-20, sex=20))
    done = cli(*proving(owner, "--page", owner / "page.html", "--lender", "North Bank"))
    assert done.code == 3
    assert "for you alone: " in done.out
    assert "is granted to sex m" in done.out
    page = (owner / "page.html").read_text()
    assert "depends on <bdi>sex</bdi>" in page
    assert "a person looks at your application" in page
    assert "granted to" not in page
    assert not (owner / "made").exists()


def test_nothing_is_claimed_where_nothing_was_found(cli, tmp_path):
    """What only somebody between two steps would get is no way, and no none is true."""
    unit = RULED.scale_unit
    # An income of 32 alone is granted, between the steps of 30 and 35.
    between = AdditiveModel((0, 0), (unit // 4, unit), (9, -9), -1, 8, 2, 4)
    owner = written(tmp_path, Opening.of(between, RULED, 13))
    done = cli(*asked(owner))
    assert done.code == 4
    assert "would have been enough, so nothing is claimed" in done.out
    assert "lies between the steps" in done.out


def test_a_none_of_a_part_is_proven_as_such(cli, tmp_path):
    """It is undecided, with a certificate whose holder compares it with that part, and with no more."""
    owner = written(tmp_path, between())
    keys = key_of(kept_keys(), box_shape(RULED, between().model.predicates)).folder.parent
    certificate, query = refused(owner, between())
    words = asked(owner, "--prove", "--keys", keys, "--out", owner / "made", "--page", owner / "page.html")
    done = cli(*words, "--lender", "North Bank")
    assert done.code == 4
    assert done.out.startswith("UNDECIDED\n  As long as each number changes by at most 25 %")
    assert "Box certificate" in (owner / "page.html").read_text()
    assert [path.name for path in (owner / "made").iterdir()] == ["part"]
    part = owner / "made" / "part"
    compare = (
        "box", "verify", part / "certificate.json", "--commitment", owner / "commitment.json", "--keys", keys,
        "--box", part / "opened.json", "--refusal", certificate, "--query", query,
    )  # fmt: skip
    cli(*compare).complaint(1, "the box lacks values of income")
    cli(*compare, "--within", "50").complaint(1, "the box lacks values of income")
    assert "at most 25 % of the way" in cli(*compare, "--within", "25").out
    document = cli(*words, "--lender", "North Bank", "--force", "--json").document
    assert (document["verdict"], document["within"], document["why"]) == ("undecided", 25, "ends")


def test_a_search_that_the_budget_ended_says_so(cli, owner):
    """Its way is one, and not known to be the cheapest; a whole search says nothing of it."""
    cut = cli(*asked(owner, "--max-seconds", "0"))
    assert cut.code == 0
    assert "--max-seconds ended the search: there may be cheaper ways" in cut.out
    assert cli(*asked(owner, "--max-seconds", "0", "--json")).document["cut"]
    whole = cli(*asked(owner))
    assert "ended the search" not in whole.out
    assert not cli(*asked(owner, "--json")).document["cut"]


def test_refusals_name_the_remedy(cli, owner):
    """A number that the spec does not take, wishes without what is around them, and a table of applicants."""
    (owner / "row.json").write_text(json.dumps({**ROW, "debt": "1e9"}))
    cli(*asked(owner)).complaint(2, "'debt': 1e9 is outside -3 to 9; check the number and its unit")
    (owner / "row.json").write_text(json.dumps([ROW, ROW]))
    cli(*asked(owner)).complaint(2, "2 rows, want one (`equiproof prove --out-dir` takes many)")
    (owner / "wishes.json").write_text(json.dumps(WISHES["wishes"]))
    cli(*asked(owner, "--wishes", owner / "wishes.json")).complaint(
        2, 'wishes.json: write the wishes into an object around them, with format "equiproof-wishes"'
    )


def test_what_is_refused(cli, owner):
    """Mistakes: options that go together, a spec without rules, who is not refused, unknown labels, wider wishes."""
    cli(*asked(owner, "--prove")).complaint(2, "--prove goes with --keys")
    cli(*asked(owner, "--page", owner / "page.html")).complaint(2, "--page goes with --lender")
    cli(*asked(owner, "--label", "perhaps")).complaint(2, "label 'perhaps' is unknown: want one of declined, granted")
    cli(*asked(owner, "--label", "declined")).complaint(2, "give an applicant who is refused")
    wide = {"format": "equiproof-wishes", "version": 2, "wishes": {"income": {"to": "70"}}}
    (owner / "wishes.json").write_text(json.dumps(wide))
    cli(*asked(owner, "--wishes", owner / "wishes.json")).complaint(2, "income")
    (owner / "row.json").write_text(json.dumps({**ROW, "housing": "own"}))
    cli(*asked(owner)).complaint(2, "this one is decided 'granted'")
    written(owner, Opening.of(network(LOANS, (3,), 1), LOANS, 5), {"income": 1, "housing": "own"})
    cli(*asked(owner)).complaint(2, "equiproof spec --changes")


def test_recourse_of_a_network_names_the_extra_that_it_needs(cli, tmp_path, monkeypatch):
    """Without the solver there is one line, with the extra that brings it; trees and scorecards do without."""
    for name in [one for one in sys.modules if one.partition(".")[0] == "highspy" or one in SOLVING]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "highspy", None)
    monkeypatch.setattr(failures, "_REQUIREMENTS", tmp_path)
    assert cli(*asked(written(tmp_path, opening()))).code == 0
    done = cli(*asked(written(tmp_path, Opening.of(network(RULED, (3,), SEED), RULED, 5))))
    assert done.complaint(2) == (
        "equiproof: highspy is not installed: this command needs the packages of equiproof[recourse]; "
        "pip install 'equiproof[recourse]'\n"
    )


def test_nothing_is_written_twice(cli, owner):
    """Without --force neither page nor certificates are written over."""
    words = proving(owner, "--page", owner / "page.html", "--lender", "North Bank")
    assert cli(*words).code == 0
    cli(*words).complaint(2, "page.html")
    cli(*proving(owner)).complaint(2, "way-1")
    assert cli(*words, "--force").code == 0


def test_recourse_of_many(cli, owner):
    """Each refused applicant gets it beside the certificate that it fits; a second run does the rest."""
    rows = [ROW, {**ROW, "housing": "own"}, {**ROW, "income": 20}]
    (owner / "rows.csv").write_text(
        "\n".join(
            [",".join(("file", *ROW)), *(f"A-{n}," + ",".join(map(str, row.values())) for n, row in enumerate(rows))]
        )
        + "\n"
    )
    shape = additive_shape(RULED, opening().model.predicates, 3, 2)
    keys = key_of(kept_keys(), shape).folder.parent
    words = (
        *(
            "prove",
            owner / "rows.csv",
            "--opening",
            owner / "opening.json",
            "--keys",
            keys,
            "--out-dir",
            owner / "many",
        ),
        *("--recourse", key().folder.parent, "--letters", "--lender", "North Bank", "--jobs", "1", "--id", "file"),
    )
    (owner / "codes.json").write_text(json.dumps(CODES))
    cli(*(word for word in words if word != "--letters"), "--reasons", owner / "codes.json").complaint(2, "--letters")
    few = {name: text for name, text in CODES["reasons"].items() if name != "debt"}
    (owner / "few.json").write_text(json.dumps({**CODES, "reasons": few}))
    cli(*words, "--reasons", owner / "few.json").complaint(2, "few.json: add debt")
    assert not (owner / "many").exists(), "nothing long begins before the table fits"
    done = cli(*words, "--reasons", owner / "codes.json")
    assert done.code == 0
    assert "recourse of refused applicants: way 2;" in done.out
    assert "of memory, recourse not counted\n" in done.err
    lines = [json.loads(line) for line in (owner / "many" / "recourse.jsonl").read_text().splitlines()]
    assert [line["ways"] for line in lines] == [
        [["debt"], ["housing"], ["income"]],
        [["debt"], ["housing"], ["income"]],
    ]
    places = sorted((owner / "many" / "applicants").iterdir())
    assert [(place / "recourse").is_dir() for place in places] == [True, False, True]
    letters = [(places[number] / "recourse" / "letter.html").read_text() for number in (0, 2)]
    assert ["North Bank" in one for one in letters] == [True, True]
    assert [f"<bdi>A-{number}</bdi>" in one for one, number in zip(letters, (0, 2), strict=True)] == [True, True]
    assert ["Excessive obligations" in one for one in letters] == [True, True]
    way = places[2] / "recourse" / "way-3"
    done = cli(
        *("box", "verify", way / "certificate.json", "--commitment", owner / "commitment.json"),
        *("--keys", key().folder.parent, "--box", way / "opened.json", "--json"),
        *("--refusal", places[2] / "certificate.json", "--query", places[2] / "query.json"),
    )
    assert done.code == 0
    assert "income is 40 to 60 EUR" in done.document["answer"]
    before = (owner / "many" / "recourse.jsonl").read_bytes()
    again = cli(*words, "--resume", "--json")
    assert again.document["recourse"] == {"way": 2}
    assert (owner / "many" / "recourse.jsonl").read_bytes() == before
    cli(*words, "--bundles").complaint(2, "leave out --bundles")
    cli(*asked(owner, "--prove")).complaint(2, "--prove goes with")


def test_the_query_file_of_the_refusal_is_a_row(cli, owner):
    """It says the same as the row; one that does not fit the spec is refused in one line with its name."""
    query = refused(owner)[1]
    words = asked(owner, "--json")
    words[1] = query
    found, same = (cli(*one).document for one in (words, asked(owner, "--json")))
    assert [way["sentence"] for way in found["ways"]] == [way["sentence"] for way in same["ways"]]
    document = json.loads(query.read_bytes())
    document["features"]["pet"] = "cat"
    query.write_bytes(canonical_bytes(document))
    cli(*words).complaint(2, "query.json", "pet")


def test_a_folder_has_one_search_only(cli, owner):
    """What an earlier search left there is refused before anything is searched; --force leaves nothing of it."""
    assert cli(*proving(owner)).code == 0
    own = owner / "made" / "way-2" / "note.txt"
    own.write_text("kept")
    cli(*proving(owner, "--wishes", owner / "nowhere.json")).complaint(2, "way-1", "exists")
    assert cli(*proving(owner, "--most", "1", "--force")).code == 0
    made = sorted(str(path.relative_to(owner / "made")) for path in (owner / "made").rglob("*") if path.is_file())
    assert made == ["way-1/certificate.json", "way-1/opened.json", "way-2/note.txt"]
    fixed = {name: {"fixed": True} for name in ("income", "debt", "housing", "school")}
    (owner / "wishes.json").write_text(json.dumps({**WISHES, "wishes": fixed}))
    assert cli(*proving(owner, "--wishes", owner / "wishes.json", "--force")).code == 0
    assert sorted(path.name for path in (owner / "made").iterdir()) == ["none", "way-2"]


def test_what_only_proofs_take_is_refused_without_them(cli, owner):
    """No folder and no context is passed over in silence; a key that is not there is one of boxes."""
    cli(*asked(owner, "--out", owner / "made")).complaint(2, "--out goes with --prove")
    cli(*asked(owner, "--context", owner / "context.json")).complaint(2, "--context goes with --prove")
    cli(*asked(owner, "--reference", "A-1")).complaint(2, "--reference goes with --page")
    cli(*asked(owner, "--keys", owner / "nowhere")).complaint(2, "setup --box", "no such folder of keys")
