"""The service's settings: one TOML file, read strictly before anything is opened."""

from __future__ import annotations

import re
import tomllib
from ipaddress import ip_address
from pathlib import Path
from typing import Any, ClassVar, Literal
from zoneinfo import ZoneInfo

import msgspec

from equiproof.circuits.canonical import read_limited
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.names import complaint
from equiproof.service.endpoints import EndpointError, endpoint
from equiproof.service.origins import Origins
from equiproof.service.sites import Site, site_of
from equiproof.service.states import State

_LISTEN = re.compile(r"([0-9.]+|\[[0-9a-f:]+\]):[0-9]{1,5}")
_PUBLIC = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?/?")
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")

SHORT_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""Names of models and of webhooks."""

MAX_NUMBER = 10**9

LISTEN_HINT = "want an address of this machine, such as 127.0.0.1:8080; a web server in front of it speaks TLS"
_PRICE = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?")


_PROCESSES = ("provers", "web_processes")

MOST_WAYS = 4
"""Of one decision: as many as a search looks for."""

MAX_NAME = 200
"""Characters of a lender's name, contact and name in the log."""

MAX_PROCESSES = 256
MAX_DAYS = 36_600
MAX_PAUSE = 3600.0
MAX_RELEASE = 7 * 24 * 3600
"""Of one kind on a machine; for which anything is kept; seconds between two looks at what the log is owed, and between
two releases of papers."""

_HOST = re.compile(r"[A-Za-z0-9.-]+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*")
_LOG_URL = re.compile(r"https?://[!-~]+")
_DATABASES = ("sqlite:///", "postgresql+psycopg://")

_PROVIDER = re.compile(
    r"(https://[A-Za-z0-9.-]{1,253}|http://(127\.0\.0\.1|\[::1\]|localhost))(:[0-9]{1,5})?(/[!-~]{0,400})?"
)
"""An address of a provider; without TLS on this machine only."""

MAX_ISSUER = 200

_CLAIM = re.compile(r"[!-~]{1,128}")
_HEADER = re.compile(r"[A-Za-z0-9-]{1,64}")
_GROUP = re.compile(r"[!-+\--~]([ -+\--~]{0,126}[!-+\--~])?")

_MISSING_FIELD = re.compile(r"Object missing required field `(\w+)`")
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_NUMBER = re.compile(r"\[[0-9]+\]$")
_WRONG_TYPE = re.compile(r"Expected `(\w+)(?: \| null)?`, got `[^`]+`")
_KINDS = {
    "str": "a text in quotation marks",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": 'a list, such as ["a", "b"]',
    "object": "a section of its own",
}


_CHOICES = {
    "prover_priority": '"idle" or "normal"',
    "webhooks.NAME.states": f"some of {', '.join(State)}",
    "sign_on.roles.VALUE": '"officer", "auditor" or "admin"',
    "proxy_sign_on.roles.VALUE": '"officer", "auditor" or "admin"',
    "sign_on.algorithms": "some of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 and Ed25519",
}
"""What fields take that have a few values."""


class SettingsError(ValueError):
    """Settings that cannot be used; one line naming file and field."""

    exit_code: ClassVar[int] = MISUSED


class LenderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who decides, as letters and the log name it: `owner` is the name in the log's entries.

    `contact` is on the applicant's page; `corrections`, in letters, is where applicants ask for a correction. With
    `automated`, letters about decisions of the model say that the assessment was, and where to ask for a `review`.
    """

    name: str
    contact: str = ""
    owner: str = ""
    corrections: str = ""
    automated: bool = False
    review: str = ""


class LogSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The public log: where it is, and what it is known by; paths to public keys.

    So many of the witnesses must have signed before a log proof is kept: `least_witnesses`, 0 for all of them.
    `certificates` is the folder of the certificates that the log has entries of. With `trail`, the log gets the head of
    the trail once a day.
    """

    url: str
    key: str
    witnesses: tuple[str, ...] = ()
    least_witnesses: int = 0
    every_seconds: float = 1.0
    certificates: str = "certificates"
    trail: bool = False


class PolicySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may leave: `min_radius` is a decimal; a letter waits for the certificate where it is held.

    What happens to a decision leaves at multiples of `release_every_seconds` after its receipt, 0 for at once.

    `guardrails` are files of rules for whom a person decides, each of one model.
    """

    hold_letter_until_certified: bool = True
    min_radius: str | None = None
    release_every_seconds: int = 0
    guardrails: tuple[str, ...] = ()


class RetentionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For how many days each kind of data is kept; 25 months are what Regulation B 1002.12 wants."""

    applicant_days: int = 25 * 31
    letter_days: int = 25 * 31
    request_days: int = 7
    link_days: int = 90
    trail_days: int = 25 * 31


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one client may ask, how many requests a process runs at once, and how many certificates may wait.

    Requests are those of a minute: `requests_per_minute` of a client, `requests_per_address` from one address, whoever
    asks there. `connections` are those of a web process, in all and from one address that is not this machine's. A
    request has `request_seconds`, and so has its head, and its body.
    """

    requests_per_minute: int = 60_000
    requests_per_address: int = 60_000
    running: int = 200
    largest_queue: int = 10_000
    request_seconds: float = 10.0
    connections: int = 4000
    connections_per_address: int = 200


class PersonSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many decisions one person may have in so many days."""

    decisions: int = 3
    days: int = 90


class RecourseSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many ways of recourse are handed out: each tells about as much of the model as an exact radius.

    `model_ways` are those of one model, ever; `ways` those of one decision at most, and `person_ways` those of one
    person in so many days. `reasons` are files with tables of reasons, by the name of their model: letters give them.
    """

    model_ways: int
    ways: int = 3
    person_ways: int = 3
    days: int = 90
    reasons: dict[str, str] = {}


class WebhookSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An endpoint of the lender's that is told changes of state; `secret` is a file with the key of the signature.

    It is told of decisions in `states` alone, by default of all.
    """

    url: str
    secret: str
    states: tuple[State, ...] = tuple(State)


class TelemetrySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where traces go: the address at which a collector takes OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces."""

    endpoint: str


class ConsoleSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the console shows: a folder with pages of audits by lot, the price of a prover's hour, and local times.

    `second_factor` says whether accounts with a password are asked for a security key: never, those that have one, all.
    """

    lots: str = ""
    hour_price: str | None = None
    currency: str = ""
    time_zone: str = "UTC"
    second_factor: Literal["off", "optional", "required"] = "optional"


class SignOnSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A provider of OpenID Connect by which people sign in to the console.

    `client_secret` is a file, "" for a client without one. `roles` says which value of the claim `roles_claim` gives
    which role, and the claim `name_claim` is the name beside a person's decisions. Without the three addresses, which
    are stated together, they are those of the provider's discovery document.
    """

    issuer: str
    client_id: str
    roles: dict[str, Literal["officer", "auditor", "admin"]]
    client_secret: str = ""
    roles_claim: str = "groups"
    name_claim: str = "preferred_username"
    scopes: tuple[str, ...] = ("openid", "profile")
    algorithms: tuple[
        Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519"], ...
    ] = ("RS256", "PS256", "ES256")
    authorization_endpoint: str = ""
    token_endpoint: str = ""
    jwks_uri: str = ""


class ProxySignOnSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A web server in front that has asked people who they are, and says so in two headers of its own.

    `proxies` are the addresses from which it connects. `header` has the name, `roles_header` groups with commas between
    them, and `roles` says which group gives which role. `secret` is a file with what the proxy sends in
    `secret_header`: other programs of its machine have its address too.
    """

    header: str
    roles_header: str
    secret: str
    proxies: tuple[str, ...]
    roles: dict[str, Literal["officer", "auditor", "admin"]]
    secret_header: str = "X-Proxy-Secret"  # noqa: S105 -- a header's name


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file; paths in it are relative to its folder. Models stand in the database, not here.

    `web_processes` share one address. `hosts` are names besides that of `public_url` by which a web server in front
    asks for the service. `trusted_proxies` are the addresses and networks of web servers in front, whose word on where
    a request comes from is taken.
    `provers` is how many proofs a worker makes at a time, `prover_megabytes` how much memory each may have.
    With `prover_priority` "idle" they take what time other programs leave, with "normal" their share. After
    `alarm_minutes` without a certificate, while some wait, the worker and the console say so.
    """

    vault: str
    lender: LenderSettings
    database: str = "sqlite:///service.db"
    listen: str = "127.0.0.1:8080"
    public_url: str = "http://127.0.0.1:8080"
    hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ("127.0.0.0/8", "::1")
    provers: int = 1
    web_processes: int = 1
    prover_megabytes: int = 4096
    prover_priority: Literal["idle", "normal"] = "idle"
    alarm_minutes: int = 15
    log: LogSettings | None = None
    policy: PolicySettings = PolicySettings()
    retention: RetentionSettings = RetentionSettings()
    limits: LimitSettings = LimitSettings()
    persons: PersonSettings | None = None
    recourse: RecourseSettings | None = None
    webhooks: dict[str, WebhookSettings] = {}
    console: ConsoleSettings = ConsoleSettings()
    sign_on: SignOnSettings | None = None
    proxy_sign_on: ProxySignOnSettings | None = None
    telemetry: TelemetrySettings | None = None


def load_settings(path: Path) -> Settings:
    """Read a settings file; raises OSError, and SettingsError naming file and field. Paths come back absolute."""
    try:
        document = tomllib.loads(read_limited(path).decode())
        settings = msgspec.convert(document, Settings)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {_plain(error)}") from None
    _refuse(path, settings)
    return _absolute(settings, path.resolve().parent)


def _plain(error: msgspec.ValidationError) -> str:
    """Say what is wrong with which field."""
    what, _, where = str(error).partition(" - at `$")
    field = where.rstrip("`").lstrip(".").replace("webhooks[...]", "webhooks.NAME").replace("roles[...]", "roles.VALUE")
    field = _NUMBER.sub("", field)
    within = f"{field}." if field else ""
    if match := _MISSING_FIELD.fullmatch(what):
        return f"field {within}{match[1]}: write it, since it is missing"
    if match := _UNKNOWN_FIELD.fullmatch(what):
        return f"field {within}{match[1]}: unknown here; mend its name, or leave it out"
    if (match := _WRONG_TYPE.fullmatch(what)) and match[1] in _KINDS:
        return f"field {field}: want {_KINDS[match[1]]}"
    if what.startswith("Invalid enum value") and field in _CHOICES:
        return f"field {field}: want {_CHOICES[field]}"
    return f"field {field}: {what}" if field else what


def _refuse(path: Path, settings: Settings) -> None:
    """Raise SettingsError for values that no run can have."""
    numbers: dict[str, float] = {
        "provers": settings.provers,
        "prover_megabytes": settings.prover_megabytes,
        "web_processes": settings.web_processes,
        "alarm_minutes": settings.alarm_minutes,
    }
    counted = {"persons": settings.persons, "recourse": settings.recourse}
    sections = {"retention": settings.retention, "limits": settings.limits, **counted}
    for section, values in sections.items():
        fields = msgspec.to_builtins(values or {}).items()
        numbers |= {f"{section}.{name}": value for name, value in fields if not isinstance(value, dict)}
    for field, value in numbers.items():
        most = MAX_DAYS if field.endswith("days") else MAX_PROCESSES if field in _PROCESSES else MAX_NUMBER
        if not 0 < value < most:
            raise SettingsError(f"{path}: field {field}: want a number above 0, and below {most}")
    most_days = settings.retention.applicant_days
    for section, one in counted.items():
        if one is not None and one.days > most_days:
            raise SettingsError(
                f"{path}: field {section}.days: want at most {most_days}, as retention.applicant_days: none is known "
                "longer"
            )
    if settings.recourse is not None and settings.recourse.ways > MOST_WAYS:
        raise SettingsError(f"{path}: field recourse.ways: want at most {MOST_WAYS}: so many are looked for")
    _refuse_texts(path, settings)
    for name, hook in settings.webhooks.items():
        if not SHORT_NAME.fullmatch(name):
            raise SettingsError(f"{path}: field webhooks: {name[:40]!r}: want small letters, digits and hyphens")
        _refuse_endpoint(path, f"webhooks.{name}.url", hook.url)
        if not hook.states:
            raise SettingsError(f"{path}: field webhooks.{name}.states: name a state, or leave it out for all")
    if settings.telemetry is not None:
        _refuse_endpoint(path, "telemetry.endpoint", settings.telemetry.endpoint, inside=True)
    if settings.log is not None:
        _refuse_log(path, settings.log)
    _refuse_addresses(path, settings)
    _refuse_console(path, settings.console, site_of(settings.public_url))
    _refuse_sign_ons(path, settings)


def _refuse_texts(path: Path, settings: Settings) -> None:
    """Raise SettingsError for a file without a name, words that no letter can show, and a database of another kind."""
    files = {"vault": settings.vault} | {
        f"webhooks.{name}.secret": one.secret for name, one in settings.webhooks.items()
    }
    if settings.log is not None:
        files |= {"log.key": settings.log.key, "log.certificates": settings.log.certificates}
    if settings.proxy_sign_on is not None:
        files["proxy_sign_on.secret"] = settings.proxy_sign_on.secret
    if settings.recourse is not None:
        files |= {f"recourse.reasons.{name[:40]}": file for name, file in settings.recourse.reasons.items()}
    files |= {f"policy.guardrails {number}": one for number, one in enumerate(settings.policy.guardrails, start=1)}
    for field, file in files.items():
        if not file.strip() or "\0" in file:
            raise SettingsError(f"{path}: field {field}: want the path of a file")
    fields = msgspec.structs.asdict(settings.lender).items()
    texts = {f"lender.{name}": text for name, text in fields if isinstance(text, str)}
    for field, text in (texts | {"console.currency": settings.console.currency}).items():
        if not text.isprintable() or len(text) > MAX_NAME or (field == "lender.name" and not text.strip()):
            raise SettingsError(f"{path}: field {field}: want up to {MAX_NAME} printable characters")
    for name in ("corrections", "review"):
        if (shown := getattr(settings.lender, name)) and (wrong := complaint(shown)):
            raise SettingsError(f"{path}: field lender.{name}: write it as letters show it: it {wrong.message}")
    if settings.lender.review and not settings.lender.automated:
        raise SettingsError(f"{path}: field lender.review: write automated = true beside it, or leave it out")
    if not settings.database.startswith(_DATABASES):
        raise SettingsError(f"{path}: field database: want sqlite:///FILE, or postgresql+psycopg://USER@HOST/NAME")


def _refuse_log(path: Path, log: LogSettings) -> None:
    """Raise SettingsError for a log that cannot be asked."""
    if not _LOG_URL.fullmatch(log.url):
        raise SettingsError(f"{path}: field log.url: want an address that begins with https:// or http://")
    if log.least_witnesses < 0:
        raise SettingsError(f"{path}: field log.least_witnesses: want a whole number, 0 for all of them")
    if not 0 < log.every_seconds <= MAX_PAUSE:
        raise SettingsError(f"{path}: field log.every_seconds: want a number above 0, up to {MAX_PAUSE:.0f}")


def _refuse_endpoint(path: Path, field: str, url: str, *, inside: bool = False) -> None:
    """Raise SettingsError for an address to which nothing is sent."""
    try:
        endpoint(url, inside=inside)
    except EndpointError as error:
        raise SettingsError(f"{path}: field {field}: {error}") from None


def _refuse_addresses(path: Path, settings: Settings) -> None:
    """Raise SettingsError for an address that cannot be listened at or shown, and for numbers that no policy has."""
    if not is_own(settings.listen):
        raise SettingsError(f"{path}: field listen: {LISTEN_HINT}")
    if not (match := _PUBLIC.fullmatch(settings.public_url)) or int((match[1] or ":1")[1:]) >= 1 << 16:
        raise SettingsError(f"{path}: field public_url: want https:// and a host, without a path")
    for host in settings.hosts:
        if not _HOST.fullmatch(host):
            raise SettingsError(f"{path}: field hosts: {host[:60]!r}: want a host alone, such as api.lender.example")
    for proxy in settings.trusted_proxies:
        try:
            Origins([proxy])
        except ValueError:
            hint = "want an address or a network, such as 10.0.0.5 or 10.0.0.0/24"
            raise SettingsError(f"{path}: field trusted_proxies: {proxy[:60]!r}: {hint}") from None
    if (least := settings.policy.min_radius) is not None and not _DECIMAL.fullmatch(least):
        raise SettingsError(f'{path}: field policy.min_radius: want a decimal in quotation marks, such as "0.5"')
    if not 0 <= settings.policy.release_every_seconds <= MAX_RELEASE:
        raise SettingsError(f"{path}: field policy.release_every_seconds: want a whole number, 0 to {MAX_RELEASE}")


def _refuse_console(path: Path, console: ConsoleSettings, site: Site) -> None:
    """Raise SettingsError for a price that is no decimal, an unknown time zone, and keys that nobody could use."""
    if console.second_factor == "required" and not site.takes_keys:
        hint = "give public_url https:// and a name first: browsers use security keys nowhere else"
        raise SettingsError(f"{path}: field console.second_factor: {hint}")
    if console.hour_price is not None and not _PRICE.fullmatch(console.hour_price):
        raise SettingsError(f'{path}: field console.hour_price: want a decimal in quotation marks, such as "0.12"')
    try:
        ZoneInfo(console.time_zone)
    except (KeyError, OSError, ValueError):
        raise SettingsError(
            f"{path}: field console.time_zone: want a name such as Europe/Berlin, not {console.time_zone[:40]!r}"
        ) from None


def _refuse_sign_ons(path: Path, settings: Settings) -> None:
    """Raise SettingsError for ways to sign on that let nobody in, or that nobody could tell apart."""
    if settings.sign_on is not None:
        _refuse_sign_on(path, settings.sign_on)
    if settings.proxy_sign_on is None:
        return
    _refuse_proxy_sign_on(path, settings.proxy_sign_on)
    if settings.sign_on is not None:
        raise SettingsError(f"{path}: field proxy_sign_on: write this section or sign_on, not both")


def _refuse_sign_on(path: Path, sign_on: SignOnSettings) -> None:
    """Raise SettingsError for a provider that cannot be asked, and for one whose people would have no role."""
    stated = {name: getattr(sign_on, name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
    if len(set(map(bool, stated.values()))) > 1:
        raise SettingsError(f"{path}: field sign_on: state {', '.join(stated)} together, or none of them")
    for name, address in {"issuer": sign_on.issuer, **stated}.items():
        if (name == "issuer" or address) and not is_providers(address, sign_on.issuer):
            raise SettingsError(f"{path}: field sign_on.{name}: want https:// and a host")
    if len(sign_on.issuer) > MAX_ISSUER:
        raise SettingsError(f"{path}: field sign_on.issuer: want up to {MAX_ISSUER} characters")
    texts = {"client_id": sign_on.client_id, "roles_claim": sign_on.roles_claim, "name_claim": sign_on.name_claim}
    for name, text in [*texts.items(), *(("scopes", scope) for scope in sign_on.scopes)]:
        if not _CLAIM.fullmatch(text):
            raise SettingsError(f"{path}: field sign_on.{name}: want up to 128 characters of ASCII without blanks")
    if "openid" not in sign_on.scopes:
        raise SettingsError(f'{path}: field sign_on.scopes: name "openid" too')
    if not sign_on.roles or not all(value.isprintable() and value.strip() for value in sign_on.roles):
        hint = f'want values of {sign_on.roles_claim[:40]}, such as "loan-officers" = "officer"'
        raise SettingsError(f"{path}: field sign_on.roles: {hint}")
    if not sign_on.algorithms:
        raise SettingsError(f"{path}: field sign_on.algorithms: want {_CHOICES['sign_on.algorithms']}")


def _refuse_proxy_sign_on(path: Path, proxy: ProxySignOnSettings) -> None:
    """Raise SettingsError for a proxy that nobody could tell from others, and for people who would have no role."""
    headers = {name: getattr(proxy, name) for name in ("header", "roles_header", "secret_header")}
    for name, header in headers.items():
        if not _HEADER.fullmatch(header):
            raise SettingsError(f"{path}: field proxy_sign_on.{name}: want letters, digits and hyphens: X-Remote-User")
    if len({header.lower() for header in headers.values()}) < len(headers):
        raise SettingsError(f"{path}: field proxy_sign_on: want {', '.join(headers)} to be three different headers")
    if not proxy.proxies:
        raise SettingsError(f"{path}: field proxy_sign_on.proxies: want the addresses that the proxy connects from")
    for address in proxy.proxies:
        try:
            ip_address(address)
        except ValueError:
            hint = "want one address, such as 10.0.0.5: whoever connects from it can be anybody"
            raise SettingsError(f"{path}: field proxy_sign_on.proxies: {address[:60]!r}: {hint}") from None
    if not proxy.roles or not all(_GROUP.fullmatch(group) for group in proxy.roles):
        hint = 'want groups in ASCII without commas, such as "loan-officers" = "officer"'
        raise SettingsError(f"{path}: field proxy_sign_on.roles: {hint}")


def is_providers(address: str, issuer: str) -> bool:
    """Return whether an address is one to which a provider may lead: without TLS where it is on this machine alone."""
    if not _PROVIDER.fullmatch(address) or "#" in address:
        return False
    return address.startswith("https://") or issuer.startswith("http://")


def is_own(listen: str) -> bool:
    """Return whether an address, HOST:PORT, is one that only this machine reaches."""
    host, _, port = listen.rpartition(":")
    try:
        here = ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False
    return here and _LISTEN.fullmatch(listen) is not None and 0 < int(port) < 1 << 16


def _absolute(settings: Settings, folder: Path) -> Settings:
    """Return the settings with every path seen from `folder`."""

    def seen(text: str) -> str:
        return str(folder / text)

    replace = msgspec.structs.replace
    changes: dict[str, Any] = {
        "vault": seen(settings.vault),
        "webhooks": {name: replace(hook, secret=seen(hook.secret)) for name, hook in settings.webhooks.items()},
    }
    if settings.policy.guardrails:
        changes["policy"] = replace(settings.policy, guardrails=tuple(map(seen, settings.policy.guardrails)))
    if settings.recourse is not None and settings.recourse.reasons:
        tables = {name: seen(file) for name, file in settings.recourse.reasons.items()}
        changes["recourse"] = replace(settings.recourse, reasons=tables)
    if settings.console.lots:
        changes["console"] = replace(settings.console, lots=seen(settings.console.lots))
    if settings.sign_on is not None and settings.sign_on.client_secret:
        changes["sign_on"] = replace(settings.sign_on, client_secret=seen(settings.sign_on.client_secret))
    if (proxy := settings.proxy_sign_on) is not None:
        changes["proxy_sign_on"] = replace(proxy, secret=seen(proxy.secret))
    if (log := settings.log) is not None:
        changes["log"] = replace(
            log,
            key=seen(log.key),
            witnesses=tuple(map(seen, log.witnesses)),
            certificates=seen(log.certificates),
        )
    scheme, slashes, file = settings.database.partition("sqlite:///")
    if not scheme and slashes:
        changes["database"] = f"sqlite:///{seen(file)}"
    return replace(settings, **changes)
