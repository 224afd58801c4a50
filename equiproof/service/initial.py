"""The first files of a service: its settings, and the key of its vault."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import msgspec

from equiproof.circuits.files import write_files
from equiproof.circuits.workers import processors
from equiproof.service.settings import (
    LISTEN_HINT,
    MAX_NAME,
    LenderSettings,
    LimitSettings,
    LogSettings,
    RetentionSettings,
    Settings,
    SettingsError,
    is_own,
    load_settings,
)
from equiproof.service.store.database import Database
from equiproof.service.vault import new_line

SETTINGS_FILE = "service.toml"
VAULT_FILE = "vault.keys"
VAULT_KEY = "first"

MAX_PROVERS = 8
"""How many provers a new service has at most: each holds the key, and proves with several threads."""


@dataclass(frozen=True)
class Choice:
    """What is chosen at the beginning; everything else has a default, which the settings file shows."""

    lender: LenderSettings
    listen: str = "127.0.0.1:8080"
    database: str = "sqlite:///service.db"
    log: LogSettings | None = None
    prover_priority: str = "idle"


def make_service(folder: Path, choice: Choice) -> Settings:
    """Write settings, vault key and an empty database of SQLite, all for their owner only; return the settings as read.

    Raises FileExistsRefusedError where one of the files is there, SettingsError and DatabaseError for an unfit choice,
    UnavailableError for a server that does not answer.
    """
    text = first_settings(choice)
    with Database(choice.database) as server:
        if not server.is_sqlite:
            with server.reading() as session:  # that it answers is known before there are files
                session.connection()
    path = folder / SETTINGS_FILE
    vault = folder / VAULT_FILE
    files = {vault: new_line(VAULT_KEY).encode(), path: text.encode()}
    _, is_file, database = choice.database.partition("sqlite:///")
    if is_file:
        files[folder / database] = b""
    write_files(files, secret=files)
    return load_settings(path)


def first_settings(choice: Choice) -> str:
    """Return the text of a settings file; raises SettingsError for unfit names, and an address of other machines."""
    lender = choice.lender
    if not is_own(choice.listen):
        raise SettingsError(f"listen: {LISTEN_HINT}")
    for field, value in {"name": lender.name, "contact": lender.contact, "owner": lender.owner}.items():
        if not value.isprintable() or len(value) > MAX_NAME or (field == "name" and not value.strip()):
            raise SettingsError(f"{field}: want up to {MAX_NAME} printable characters")
    parts = [
        _HEAD_TEMPLATE.format(
            vault=_text(VAULT_FILE),
            database=_text(choice.database),
            listen=_text(choice.listen),
            url=_text(f"http://{choice.listen}"),
            name=_text(lender.name),
            contact=_text(lender.contact),
            owner=_text(lender.owner),
            priority=_text(choice.prover_priority),
            provers=min(processors(), MAX_PROVERS),
        )
    ]
    parts += [_log_section(choice.log), _POLICY_TEMPLATE, _defaults("retention", RetentionSettings())]
    parts += [
        _defaults("limits", LimitSettings()),
        _PERSONS_TEMPLATE,
        _RECOURSE_TEMPLATE,
        _WEBHOOKS_TEMPLATE,
        _CONSOLE_TEMPLATE,
        _SIGN_ON_TEMPLATE,
        _PROXY_SIGN_ON_TEMPLATE,
        _TELEMETRY_TEMPLATE,
    ]
    return "\n".join(parts)


def _log_section(log: LogSettings | None) -> str:
    """Return the section of the public log; without one, what it would be, as comments."""
    section = log or LogSettings("http://127.0.0.1:8081", "log.pub", ("witness.pub",))
    witnesses = f"[{', '.join(map(_text, section.witnesses))}]"
    text = _LOG_TEMPLATE.format(
        url=_text(section.url),
        key=_text(section.key),
        witnesses=witnesses,
        least=section.least_witnesses,
        every=section.every_seconds,
        certificates=_text(section.certificates),
        trail=str(section.trail).lower(),
    )
    return text if log is not None else _NO_LOG_TEMPLATE + "".join(f"# {line}\n" for line in text.splitlines())


def _defaults(section: str, values: msgspec.Struct) -> str:
    """Write a section of numbers as they are where the file says nothing."""
    return "\n".join(
        [f"[{section}]", *(f"{name} = {value}" for name, value in msgspec.structs.asdict(values).items()), ""]
    )


def _text(value: str) -> str:
    """Write printable text as TOML does, whose strings between quotation marks are those of JSON."""
    return json.dumps(value, ensure_ascii=False)


_HEAD_TEMPLATE = """\
# Settings of the lending service; docs/service.md and docs/operations.md explain them. Paths are relative to this file.
vault = {vault}
database = {database}
listen = {listen}
public_url = {url}
# How many provers work at a time on this machine, one for each core at first, and the most memory of each, in MB.
provers = {provers}
prover_megabytes = 4096
# "idle": provers take what time other programs leave, so that decisions stay quick. "normal": their share.
prover_priority = {priority}
# After so many minutes without a certificate, while some wait, worker, metrics and console say so.
alarm_minutes = 15
# How many processes answer requests, all at `listen`; more than one is quicker with PostgreSQL only.
web_processes = 1
# Names besides the host of public_url by which a web server in front asks for the service.
# hosts = ["api.lender.example"]
# Web servers in front: what they append to X-Forwarded-For says where a request comes from. Name each of a chain.
trusted_proxies = ["127.0.0.0/8", "::1"]

[lender]
name = {name}
contact = {contact}
# The name of your entries in the public log.
owner = {owner}
# Where applicants ask for a correction, as letters show it.
# corrections = "corrections@lender.example"
# Where it applies: letters say that the assessment was automated, and where to ask for a review by a person.
# automated = true
# review = "review@lender.example"
"""

_LOG_TEMPLATE = """\
[log]
url = {url}
key = {key}
# Files of the witnesses' verifier keys, and how many must have signed before a log proof is kept; 0: all of them.
witnesses = {witnesses}
least_witnesses = {least}
every_seconds = {every}
# A folder of the certificates that the log has entries of: never put back from an older copy, as the log itself.
certificates = {certificates}
# Whether the log gets the head of the trail once a day, so that lines that are cut off are noticed.
trail = {trail}
"""

_NO_LOG_TEMPLATE = """\
# Without this section there is no public log, and receipts wait in the database until there is one.
# docs/register-log.md says how to run a log.
"""

_POLICY_TEMPLATE = """\
[policy]
hold_letter_until_certified = true
# Certificates with a smaller radius never leave; a person decides first.
# min_radius = "0.1"
# Ends of searches, and papers about them, leave at multiples of this: how long a search takes tells of the model.
# release_every_seconds = 600
# Rules of `equiproof mitigate --action refer` for whom a person decides, one file for each model that has any.
# guardrails = ["guardrail.json"]
"""

_PERSONS_TEMPLATE = """\
# How many decisions one person may have in so many days: whoever applies again and again with invented data learns the
# model. With this section each application names a `person`: 64 hexadecimal digits, HMAC-SHA-256 of what identifies the
# person, under a key that the front end makes once, keeps, and never sends. docs/service.md shows it.
# [persons]
# decisions = 3
# days = 90
"""

_RECOURSE_TEMPLATE = """\
# What refused applicants could have changed, for models with rules of change and a key of boxes beside the others: how
# many ways are handed out of one model ever, of one decision, and to one person in so many days. Each tells about as
# much of the model as an exact radius.
# [recourse]
# model_ways = 12
# ways = 3
# person_ways = 3
# days = 90
# Your reasons in words, for letters, by the name of the model: docs/recourse.md has their form.
# reasons = {loans = "reasons.json"}
"""

_WEBHOOKS_TEMPLATE = """\
# An endpoint of yours that is told every change of state; docs/service.md says how to make the secret's file.
# [webhooks.bank]
# url = "https://bank.example/hooks/decisions"
# secret = "webhook.key"
# Of decisions in these states alone; without the line, of all.
# states = ["certified", "review", "undecided", "failed"]
"""

_CONSOLE_TEMPLATE = """\
[console]
time_zone = "UTC"
# Security keys after passwords: "off", "optional" for who has one, "required"; docs/sign-on.md explains it.
second_factor = "optional"
# A folder with pages of audits by lot, and what an hour of one prover costs.
# lots = "lots"
# hour_price = "0.12"
# currency = "EUR"
"""

_SIGN_ON_TEMPLATE = """\
# Signing in to the console by your organisation's provider of OpenID Connect; docs/sign-on.md explains it.
# [sign_on]
# issuer = "https://login.lender.example"
# client_id = "equiproof"
# A file with the client's secret, for its owner alone; without it, a client that has none.
# client_secret = "sign-on.secret"
# roles_claim = "groups"
# name_claim = "preferred_username"
# scopes = ["openid", "profile"]
# algorithms = ["RS256", "PS256", "ES256"]
# The three together, for a provider without a discovery document.
# authorization_endpoint = "https://login.lender.example/authorize"
# token_endpoint = "https://login.lender.example/token"
# jwks_uri = "https://login.lender.example/keys"
# Which value of the claim gives which role: officer, auditor or admin.
# [sign_on.roles]
# loan-officers = "officer"
"""

_PROXY_SIGN_ON_TEMPLATE = """\
# Signing in to the console by the word of a web server in front that asks people itself; docs/sign-on.md explains it.
# [proxy_sign_on]
# header = "X-Remote-User"
# roles_header = "X-Remote-Groups"
# A file, for its owner alone, with what the web server sends in this header: at least 24 characters.
# secret_header = "X-Proxy-Secret"
# secret = "proxy.secret"
# The addresses that it connects from.
# proxies = ["10.0.0.5"]
# [proxy_sign_on.roles]
# loan-officers = "officer"
"""

_TELEMETRY_TEMPLATE = """\
# Where traces go, over HTTP; needs the extra `otel`.
# [telemetry]
# endpoint = "http://127.0.0.1:4318/v1/traces"
"""
