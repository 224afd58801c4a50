"""The first files of a service: its settings, and the key of its vault."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import msgspec

from equiproof.circuits.files import write_files
from equiproof.service.settings import (
    LISTEN,
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

SETTINGS_FILE, VAULT_FILE, VAULT_KEY = "service.toml", "vault.keys", "first"

LONGEST_NAME = 200


@dataclass(frozen=True)
class Choice:
    """What is chosen at the beginning; everything else has a default, which the settings file shows."""

    lender: LenderSettings
    listen: str = "127.0.0.1:8080"
    database: str = "sqlite:///service.db"
    log: LogSettings | None = None


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
    path, vault = folder / SETTINGS_FILE, folder / VAULT_FILE
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
        raise SettingsError(f"listen: {LISTEN}")
    for field, value in msgspec.structs.asdict(lender).items():
        if not value.isprintable() or len(value) > LONGEST_NAME or (field == "name" and not value.strip()):
            raise SettingsError(f"{field}: want up to {LONGEST_NAME} printable characters")
    parts = [
        _ABOVE.format(
            vault=_text(VAULT_FILE),
            database=_text(choice.database),
            listen=_text(choice.listen),
            url=_text(f"http://{choice.listen}"),
            name=_text(lender.name),
            contact=_text(lender.contact),
            owner=_text(lender.owner),
        )
    ]
    if choice.log is not None:
        log = choice.log
        witnesses = f"[{', '.join(map(_text, log.witnesses))}]"
        parts.append(
            _LOG.format(url=_text(log.url), key=_text(log.key), witnesses=witnesses, least=log.least_witnesses)
        )
    parts += [_HOLD, _defaults("retention", RetentionSettings()), _defaults("limits", LimitSettings()), _HOOKS]
    return "\n".join(parts)


def _defaults(section: str, found: msgspec.Struct) -> str:
    """Write a section of numbers as they are where the file says nothing."""
    return "\n".join(
        [f"[{section}]", *(f"{name} = {value}" for name, value in msgspec.structs.asdict(found).items()), ""]
    )


def _text(value: str) -> str:
    """Write printable text as TOML does, whose strings between quotation marks are those of JSON."""
    return json.dumps(value, ensure_ascii=False)


_ABOVE = """\
# Settings of the lending service; docs/service.md and docs/operations.md explain them. Paths are relative to this file.
vault = {vault}
database = {database}
listen = {listen}
public_url = {url}
# How many provers work at a time on this machine, and how much memory each may have, in MB.
provers = 1
prover_megabytes = 4096

[lender]
name = {name}
contact = {contact}
# The name of your entries in the public log.
owner = {owner}
"""

_LOG = """\
[log]
url = {url}
key = {key}
witnesses = {witnesses}
least_witnesses = {least}
"""

_HOLD = """\
[policy]
hold_letter_until_certified = true
# min_radius = "0.1"
"""

_HOOKS = """\
# [webhooks.bank]
# url = "https://bank.example/hooks/decisions"
# secret = "webhook.key"
"""
