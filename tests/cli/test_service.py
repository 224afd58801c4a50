"""The operator's commands: what they write, what they refuse in one line, and what they never show."""

import base64
import hashlib
import shutil
import stat

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `service` is not installed")

from sqlalchemy import select

from equiproof.circuits.units import cut, largest_shown
from equiproof.cli.main import run
from equiproof.prover.opening import Opening
from equiproof.service.clients import caller_of
from equiproof.service.clock import now
from equiproof.service.links import DAY
from equiproof.service.public_log import public_log
from equiproof.service.settings import load_settings
from equiproof.service.store.database import Database
from equiproof.service.store.tables import ApiKey, Decision, Model
from equiproof.service.web import built
from equiproof.verifier.notes import Signer
from tests.support import changed


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A folder in which a service was begun."""
    folder = tmp_path_factory.mktemp("service") / "begun"
    words = ["service", "init", str(folder), "--lender", 'North "Bank"', "--contact", "info@north.example"]
    assert run(words) == 0
    return folder


@pytest.fixture
def place(begun, tmp_path, monkeypatch):
    """A copy of it, as working folder; commands find the settings there."""
    for path in begun.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(built, "ASSETS", tmp_path)
    for name in (built.PAGE, *built.FILES):
        (tmp_path / name).touch()
    return tmp_path


def rows(place, table):
    with Database(load_settings(place / "service.toml").database) as database, database.transaction() as session:
        return list(session.scalars(select(table)))


def test_the_first_files_are_the_operators_alone(place):
    """Settings, vault key and database have mode 0600, and the settings are read as they were chosen."""
    for name in ("service.toml", "vault.keys", "service.db"):
        assert stat.S_IMODE((place / name).stat().st_mode) == 0o600, name
    settings = load_settings(place / "service.toml")
    assert (settings.lender.name, settings.lender.contact) == ('North "Bank"', "info@north.example")
    assert (settings.listen, settings.log, settings.vault) == ("127.0.0.1:8080", None, str(place / "vault.keys"))


def test_nothing_is_written_over(place, cli):
    """A second `init` in the folder changes nothing."""
    before = (place / "vault.keys").read_bytes()
    cli("service", "init", place, "--lender", "B").complaint(2, "exists")
    assert (place / "vault.keys").read_bytes() == before


def test_all_witnesses_must_have_signed_unless_the_settings_say_fewer(tmp_path, cli):
    """As for relying parties; a witness of another program may have a key for cosignatures alone."""
    log, own, other = (
        Signer.new(name).verifier for name in ("log.example/l", "witness.example/own", "w.example/other")
    )
    alone = hashlib.sha256(other.name.encode() + b"\n\x04" + other.public).digest()[:4]
    texts = {
        "log.pub": log.text,
        "own.pub": own.text,
        "other.pub": f"{other.name}+{alone.hex()}+{base64.b64encode(bytes([4]) + other.public).decode()}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n")
    words = ["--log-url", "http://127.0.0.1:1", "--log-key", tmp_path / "log.pub", "--owner", "Bank"]
    words += ["--witness", tmp_path / "own.pub", "--witness", tmp_path / "other.pub"]
    cli("service", "init", tmp_path / "begun", "--lender", "Bank", *words)
    settings = load_settings(tmp_path / "begun" / "service.toml")
    assert public_log(settings.log).pins.least == len(settings.log.witnesses) == 2
    assert "0: all of them" in (tmp_path / "begun" / "service.toml").read_text()
    wrong = ["--log-url", "http://127.0.0.1:1", "--log-key", tmp_path / "other.pub", "--owner", "Bank"]
    cli("service", "init", tmp_path / "wrong", "--lender", "Bank", *wrong).complaint(2, "other.pub")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--lender", "two\nlines"], "name: want up to 200 printable characters"),
        (["--lender", " "], "name: want"),
        (["--lender", "B", "--contact", "x" * 201], "contact: want"),
        (["--lender", "B", "--log-url", "http://127.0.0.1:1"], "--log-url, --log-key and --owner belong together"),
        (["--lender", "B", "--witness", "w.pub"], "--witness needs them"),
        (["--lender", "B", "--log-url", "http://127.0.0.1:1", "--log-key", "no.pub", "--owner", "B"], "no.pub"),
        (["--lender", "B", "--database", "mysql://x"], "want sqlite"),
        (["--lender", "B", "--listen", "0.0.0.0:80"], "127.0.0.1"),
    ],
)
def test_a_beginning_that_cannot_be_leaves_nothing(cli, tmp_path, monkeypatch, words, said):
    """One line says why, and no file is there."""
    monkeypatch.chdir(tmp_path)
    cli("service", "init", "new", *words).complaint(2, said)
    assert not list(tmp_path.iterdir())


def test_a_server_that_is_away_leaves_nothing(cli, tmp_path, monkeypatch):
    """One line, another exit code than for a mistake, and no password in it."""
    monkeypatch.chdir(tmp_path)
    address = "postgresql+psycopg://equiproof:geheim@127.0.0.1:1/equiproof"
    said = cli("service", "init", "new", "--lender", "B", "--database", address).complaint(4, "database: ")
    assert "geheim" not in said
    assert not list(tmp_path.iterdir())


def test_a_model_decides_and_gives_way_to_the_next(world, place, cli):
    """The second commitment retires the first; both are listed; `check` finds key and opening of what decides."""
    keys = ("--keys", world.keys)
    first = cli("service", "model", "add", "loans", "--opening", world.opening, *keys, "--json").document
    assert cli("service", "check").code == 0
    (place / "next.json").write_bytes(Opening.of(world.owned.network, world.owned.spec, blinding=7).secret())
    second = cli("service", "model", "add", "loans", "--opening", "next.json", *keys, "--json").document
    listed = cli("service", "model", "list", "--json").document["models"]
    assert [(one["commitment"], one["retired"] is None) for one in listed] == [
        (second["commitment"], True), (first["commitment"], False)
    ]  # fmt: skip
    (place / "next.json").unlink()
    said = cli("service", "check")
    assert said.code == 2
    assert "- model loans: " in said.out
    assert "next.json" in said.out


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("Loans", {}, "want small letters"),
        ("loans", {"opening": "none.json"}, "none.json"),
        ("loans", {"keys": "."}, "no key for this model"),
        ("loans", {"settings": "none.toml"}, "none.toml"),
    ],
)
def test_a_model_that_could_prove_nothing_is_not_added(world, place, cli, name, change, said):
    """One line, and no row."""
    given = {"opening": world.opening, "keys": world.keys, "settings": "service.toml"} | change
    options = [word for option, value in given.items() for word in (f"--{option}", value)]
    cli("service", "model", "add", name, *options).complaint(2, said)
    assert cli("service", "model", "list").out == "NO MODEL decides yet\n"


def test_a_least_radius_above_the_largest_level_is_refused(world, place, cli):
    """The service does not begin, `check` says why, and no model is added that could never have a paper."""
    spec = changed(world.owned.spec, levels=("0.02",))
    (place / "levelled.json").write_bytes(Opening.of(world.owned.network, spec, blinding=7).secret())
    add = ["service", "model", "add", "loans", "--opening", "levelled.json", "--keys", world.keys]
    assert cli(*add).code == 0
    told = (place / "service.toml").read_text()
    (place / "service.toml").write_text(told.replace("[policy]", '[policy]\nmin_radius = "0.02"'))
    most = f"{cut(largest_shown(spec)):.6f}"
    why = f"policy.min_radius: want at most {most}, the largest radius that certificates of this model show, not 0.02"
    assert cli("serve").complaint(2).endswith(f"{why}: the model loans\n")
    assert cli(*add).complaint(2).endswith(f"{why}: the model loans\n")
    said = cli("service", "check")
    assert (said.code, said.out.count(why)) == (2, 1)
    (place / "levelled.json").unlink()
    assert "levelled.json" in cli("service", "check").out
    (place / "service.toml").write_text(told.replace("[policy]", f'[policy]\nmin_radius = "{most}"'))
    assert cli("service", "model", "add", "loans", "--opening", world.opening, "--keys", world.keys).code == 0


def test_a_key_is_shown_once_and_changed_without_a_gap(place, cli):
    """Two live at a time; what is kept and listed is no secret."""
    first = cli("service", "client", "add", "front-end", "--json").document
    second = cli("service", "key", "new", "front-end", "--scopes", "read", "--days", 2, "--json").document
    cli("service", "key", "new", "front-end").complaint(2, "2 keys are live already; revoke one")
    assert cli("service", "key", "revoke", first["id"]).out == f"REVOKED {first['id']}\n"
    with Database(load_settings(place / "service.toml").database) as database, database.transaction() as session:
        assert caller_of(session, first["key"], now()) is None
        assert caller_of(session, second["key"], now()).scopes == {"read"}
    listed = cli("service", "key", "list")
    assert [line.split()[2] for line in listed.out.splitlines()] == ["live,", "revoked,"]
    secrets = [one["key"].rpartition("_")[2] for one in (first, second)]
    kept = listed.out + "".join(str(vars(row)) for row in rows(place, ApiKey))
    assert not any(secret in kept for secret in secrets)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["client", "add", "Front End"], "want up to 32 small letters"),
        (["client", "add", "x" * 33], "want up to 32 small letters"),
        (["client", "add", "a", "--scopes", "submit,all"], "'submit,all': want some of submit, read, admin"),
        (["client", "add", "a", "--scopes", ""], "--scopes"),
        (["client", "add", "a", "--days", "0"], "--days"),
        (["key", "new", "b"], "no client 'b'; `equiproof service client add` makes one"),
        (["key", "revoke", "0" * 16], "no key"),
        (["officer", "password", "bob"], "no account 'bob'"),
        (["officer", "add", "b\tb"], "name"),
        (["officer", "add", "bob", "--role", "king"], "--role"),
    ],
)
def test_mistakes_are_one_line(place, cli, words, said):
    """Nothing is kept of them."""
    cli("service", *words).complaint(2, said)
    assert not rows(place, ApiKey)


def test_a_client_is_added_once(place, cli):
    """Its further keys are made on purpose."""
    assert cli("service", "client", "add", "a").code == 0
    cli("service", "client", "add", "a").complaint(2, "has keys already")


def test_officers_get_their_password_once(place, cli):
    """The last admin stays one, all others can be given each role; a forgotten password is replaced."""
    first = cli("service", "officer", "add", "ada", "--role", "admin", "--json").document
    cli("service", "officer", "close", "ada").complaint(2, "last admin")
    second = cli("service", "officer", "password", "ada", "--json").document
    assert first["password"] != second["password"]
    assert cli("service", "officer", "add", "bob").code == 0
    cli("service", "officer", "role", "ada", "officer").complaint(2, "last admin")
    cli("service", "officer", "role", "bob", "king").complaint(2, "king")
    for role in ("auditor", "admin", "officer"):
        assert cli("service", "officer", "role", "bob", role, "--json").document == {"name": "bob", "role": role}
    assert cli("service", "officer", "close", "bob").code == 0
    assert cli("service", "officer", "list").out == "ada  admin\nbob  officer, closed\n"


def test_a_database_without_tables_starts_nothing(place, cli):
    """`serve` and all others name the command that helps, which helps."""
    (place / "service.db").write_bytes(b"")
    for words in (["serve"], ["service", "client", "add", "a"], ["service", "purge"]):
        cli(*words).complaint(2, "equiproof service migrate")
    assert cli("service", "migrate").code == 0
    assert cli("service", "client", "add", "a").code == 0


def test_a_vault_that_others_read_starts_nothing(place, cli):
    """`serve` says so before it starts a process."""
    (place / "vault.keys").chmod(0o644)
    cli("serve").complaint(2, "vault.keys", "chmod 600")
    assert "- vault: " in cli("service", "check").out


def test_a_page_that_was_not_built_is_looked_for(place, cli):
    """Without it applicants' links open nothing: `check` says so, and how to build it."""
    assert "+ applicant's page: built" in cli("service", "check").out
    (place / "applicant.js").unlink()
    said = cli("service", "check")
    assert said.code == 2
    assert "- applicant's page: the page was not built: `make web` builds it" in said.out


def test_secrets_folders_and_keys_of_the_settings_are_looked_at(place, cli):
    """`check` has a line about each, and `serve` begins nothing without a webhook's secret or a key of the log."""
    settings = place / "service.toml"
    text = settings.read_text()
    hook = '[webhooks.bank]\nurl = "https://bank.example/"\nsecret = "bank.key"\n'
    settings.write_text(text.replace('# lots = "lots"', 'lots = "lots"') + hook)
    said = cli("service", "check").out
    assert f"- webhook bank: {place / 'bank.key'}: No such file" in said
    assert f"- console.lots: {place / 'lots'}: make this folder" in said
    cli("serve").complaint(2, "bank.key")
    (place / "lots").mkdir()
    for secret, mode, wrong in (
        ("whsec_c2hvcnQ=", 0o600, "at least 24 random bytes"),
        (f"whsec_{'A' * 44}", 0o644, "chmod 600"),
    ):
        (place / "bank.key").write_text(secret)
        (place / "bank.key").chmod(mode)
        assert wrong in cli("service", "check").out
        cli("serve").complaint(2, wrong)
    (place / "bank.key").chmod(0o600)
    said = cli("service", "check").out
    assert "+ webhook bank: " in said
    assert "+ console.lots: " in said
    assert "A" * 44 not in said
    settings.write_text(text + '[log]\nurl = "http://127.0.0.1:1"\nkey = "no.pub"\n')
    cli("serve").complaint(2, "no.pub")
    assert "- log: " in cli("service", "check").out


def test_database_and_log_are_compared_on_request(place, cli):
    """A log that is away, none at all, and a database that cannot be asked are lines, and the exit code says so."""
    assert "log and database" not in cli("service", "check").out
    said = cli("service", "check", "--compare-log", "--json")
    line = {"good": False, "text": "log and database: the settings have no section `log`"}
    assert (said.code, said.document["checks"][-1]) == (2, line)
    settings = place / "service.toml"
    settings.write_text(settings.read_text() + '[log]\nurl = "http://127.0.0.1:1"\nkey = "no.pub"\n')
    assert f"- log and database: {place / 'no.pub'}: No such file" in cli("service", "check", "--compare-log").out
    (place / "service.db").write_bytes(b"")
    said = cli("service", "check", "--compare-log")
    assert said.code == 2
    assert "log and database" not in said.out


def test_purging_says_how_much(place, cli):
    """Of a new service nothing."""
    said = cli("service", "purge", "--json").document
    assert set(said.values()) == {0}
    assert "decisions" in said


@pytest.fixture
def decisions(place):
    """Ten decisions of today that are certified; returns their ids."""
    ids = [f"{number:032x}" for number in range(10)]
    made = now()
    with Database(load_settings(place / "service.toml").database) as database, database.transaction() as session:
        model = Model(id="0" * 32, name="loans", commitment="0" * 64, opening="o", keys="k", max_seconds=1, created=1)
        session.add(model)
        session.flush()
        for one in ids:
            facts = {"client": "bank", "model_id": model.id, "label": 0, "query_commitment": "0" * 64}
            state = {"state": "certified", "received": made, "receipt": one * 2, "sealed": b"box"}
            session.add(Decision(id=one, **facts, **state))
    return ids


def test_a_wrong_clock_erases_nothing(place, decisions, cli, monkeypatch):
    """Unless the operator names the number; a dry run counts, and what is held stays in any case."""
    assert "HELD" in cli("service", "hold", decisions[0], "--until", "2999-01-01", "--reason", "a court").out
    monkeypatch.setattr("equiproof.cli.commands.service.now", lambda: now() + 3000 * DAY)
    said = cli("service", "purge", "--dry-run")
    assert said.out == "WOULD PURGE 9 decisions of 10: 0 wait, 1 are held\n"
    cli("service", "purge").complaint(2, "nothing was erased", "--yes 9", "the clock is 3000 days after")
    cli("service", "purge", "--yes", "10").complaint(2, "--yes says 10")
    assert all(row.sealed for row in rows(place, Decision))
    assert cli("service", "purge", "--yes", "9", "--json").document["decisions"] == 9
    assert [row.id for row in rows(place, Decision) if row.sealed] == [decisions[0]]


def test_one_decision_is_erased_or_held(place, decisions, cli):
    """By its id, for a reason; a wrong id or day is named, and a dry run changes nothing."""
    one = decisions[3]
    assert "WOULD ERASE" in cli("service", "erase", one, "--reason", "asked for", "--dry-run").out
    cli("service", "hold", one, "--until", "30.6.2027", "--reason", "so").complaint(2, "--until")
    cli("service", "hold", "f" * 32, "--until", "2999-06-30", "--reason", "so").complaint(2, "no decision")
    assert "until 2999-06-30" in cli("service", "hold", one, "--until", "2999-06-30", "--reason", "so").out
    cli("service", "erase", one, "--reason", "asked for").complaint(2, "it is held")
    assert "HELD" in cli("service", "hold", one, "--until", "2020-01-01", "--reason", "settled").out
    assert f"its receipt {one * 2} stays" in cli("service", "erase", one, "--reason", "asked for").out
    assert [row.id for row in rows(place, Decision) if not row.sealed] == [one]


def test_what_waits_is_erased_only_if_that_is_meant(place, decisions, cli):
    """It then gets no certificate."""
    with Database(load_settings(place / "service.toml").database) as database, database.transaction() as session:
        session.get(Decision, decisions[1]).state = "decided"
    cli("service", "erase", decisions[1], "--reason", "so").complaint(2, "wait for its certificate, or", "--yes")
    assert "ERASED" in cli("service", "erase", decisions[1], "--reason", "so", "--yes").out


def test_decisions_are_tried_again_by_name_or_all(place, cli):
    """Of a new service none; an unknown one is named."""
    assert cli("service", "again", "--json").document == {"again": 0}
    cli("service", "again", "0" * 32).complaint(2, "no such decision")


def test_a_new_vault_key_comes_on_top(place, cli):
    """It seals from now on, the old one still opens; a name stands there once."""
    before = (place / "vault.keys").read_text()
    assert cli("service", "rotate", "--new-key", "second").code == 0
    after = (place / "vault.keys").read_text()
    assert after.endswith(before)
    assert after.startswith("second ")
    assert stat.S_IMODE((place / "vault.keys").stat().st_mode) == 0o600
    assert cli("service", "rotate", "--json").document == {"key": "second", "sealed_anew": 0}
    cli("service", "rotate", "--new-key", "second").complaint(2, "choose another name")
    cli("service", "rotate", "--new-key", "Third key").complaint(2, "small letters")
    assert (place / "vault.keys").read_text() == after
