"""Settings that cannot be used: one line that names file and field, for every section; what `init` writes of them."""

import tomllib

import msgspec
import pytest

pytest.importorskip("sqlalchemy", reason="the extra `service` is not installed")

from equiproof.service import initial
from equiproof.service.initial import Choice, first_settings
from equiproof.service.settings import LenderSettings, Settings, SettingsError, load_settings

LOG = 'log = {{url = "http://127.0.0.1:1", key = "k", {}}}'
HOOK = 'webhooks = {{bank = {{url = "https://bank.example/", {}}}}}'
PROVIDER = 'sign_on = {{client_id = "c", roles = {{a = "officer"}}, {}}}'
ISSUER = PROVIDER.replace("{}", 'issuer = "https://login.example", {}')
PROXY = (
    """proxy_sign_on = {{header = "X-User", roles_header = "X-Groups", secret = "s", proxies = ["127.0.0.1"], {}}}"""
)
PROXIED = PROXY.format('roles = {a = "officer"}')
WRONG = [
    (PROXY.format("roles = {}"), "field proxy_sign_on.roles: want groups in ASCII without commas"),
    (PROXY.format('roles = {"a,b" = "officer"}'), "field proxy_sign_on.roles: want groups in ASCII without commas"),
    (PROXY.format('roles = {a = "root"}'), 'field proxy_sign_on.roles.VALUE: want "officer", "auditor" or "admin"'),
    (PROXIED.replace('"127.0.0.1"', ""), "field proxy_sign_on.proxies: want the addresses"),
    (PROXIED.replace("127.0.0.1", "0.0.0.0/0"), "field proxy_sign_on.proxies: '0.0.0.0/0': want one address"),
    (PROXIED.replace("127.0.0.1", "proxy"), "field proxy_sign_on.proxies: 'proxy': want one address"),
    (PROXIED.replace("X-User", "X_User"), "field proxy_sign_on.header: want letters, digits and hyphens"),
    (
        PROXIED.replace("X-User", "x-groups"),
        "field proxy_sign_on: want header, roles_header, secret_header to be three",
    ),
    (PROXIED.replace('"s"', '""'), "field proxy_sign_on.secret: want the path of a file"),
    (PROXIED.replace('secret = "s", ', ""), "field proxy_sign_on.secret: write it, since it is missing"),
    (
        PROXIED + '\nsign_on = {issuer = "https://x", client_id = "c", roles = {a = "officer"}}',
        "field proxy_sign_on: write this section or sign_on, not both",
    ),
    ("vault = 3", "field vault: want a text in quotation marks"),
    ('vault = ""', "field vault: want the path of a file"),
    ("lender = {}", "field lender.name: write it, since it is missing"),
    ('lender = {name = " "}', "field lender.name: want up to 200 printable"),
    ('lender = {name = "a\\nb"}', "field lender.name: want up to 200 printable"),
    ('lender = {name = "x", corrections = "a  b"}', "field lender.corrections: write it as letters show it"),
    ('lender = {name = "x", automated = true, review = "a  b"}', "field lender.review: write it as letters show it"),
    ('lender = {name = "x", review = "a"}', "field lender.review: write automated = true beside it"),
    ('lender = "Bank"', "field lender: want a section of its own"),
    ('database = "mysql://x"', "field database: want sqlite:///FILE"),
    ('hosts = "a.example"', "field hosts: want a list"),
    ('hosts = ["https://a.example/"]', "field hosts: 'https://a.example/': want a host alone"),
    ('hosts = ["a.example:80"]', "field hosts: 'a.example:80': want a host alone"),
    ('trusted_proxies = ["proxy.example"]', "field trusted_proxies: 'proxy.example': want an address or a network"),
    ('trusted_proxies = ["10.0.0.5/24"]', "field trusted_proxies: '10.0.0.5/24': want an address or a network"),
    (
        HOOK.format('secret = "s", states = ["done"]'),
        "field webhooks.NAME.states: want some of decided",
    ),
    (HOOK.format('secret = "s", states = []'), "field webhooks.bank.states: name a state, or leave it out for all"),
    ("provers = 0", "field provers: want a number above 0, and below 256"),
    ("provers = 2.5", "field provers: want a whole number"),
    ("web_processes = 100000", "field web_processes: want a number above 0, and below 256"),
    ('listen = "0.0.0.0:80"', "field listen: want an address of this machine"),
    ('public_url = "https://x/y"', "field public_url: want https:// and a host"),
    ('public_url = "https://x:99999"', "field public_url: want https:// and a host"),
    ('pubic_url = "x"', "field pubic_url: unknown here"),
    ('log = {url = "http://127.0.0.1:1"}', "field log.key: write it, since it is missing"),
    ('log = {url = "ftp://x", key = "k"}', "field log.url: want an address"),
    ('log = {url = "http://x", key = ""}', "field log.key: want the path of a file"),
    (LOG.format('certificates = " "'), "field log.certificates: want the path of a file"),
    (LOG.format("least_witnesses = -1"), "field log.least_witnesses: want a whole number"),
    (LOG.format("every_seconds = nan"), "field log.every_seconds: want a number above 0"),
    (LOG.format("every_seconds = -1"), "field log.every_seconds: want a number above 0"),
    ("policy = {release_every_seconds = -1}", "field policy.release_every_seconds: want a whole number, 0 to 604800"),
    ("policy = {release_every_seconds = 604801}", "field policy.release_every_seconds: want a whole number, 0 to"),
    ("policy = {min_radius = 0.1}", "field policy.min_radius: want a text in quotation marks"),
    ('policy = {hold_letter_until_certified = "yes"}', "field policy.hold_letter_until_certified: want true or false"),
    ("retention = {link_days = 0}", "field retention.link_days: want a number above 0"),
    (
        "retention = {applicant_days = 999999999}",
        "field retention.applicant_days: want a number above 0, and below 36600",
    ),
    (
        "persons = {days = 31}\nretention = {applicant_days = 30}",
        "field persons.days: want at most 30, as retention.applicant_days",
    ),
    (
        "recourse = {model_ways = 9, days = 31}\nretention = {applicant_days = 30}",
        "field recourse.days: want at most 30, as retention.applicant_days",
    ),
    ("recourse = {ways = 1}", "field recourse.model_ways: write it, since it is missing"),
    ("recourse = {model_ways = 0}", "field recourse.model_ways: want a number above 0"),
    ('recourse = {model_ways = 9, reasons = {loans = ""}}', "field recourse.reasons.loans: want the path of a file"),
    ("recourse = {model_ways = 9, ways = 5}", "field recourse.ways: want at most 4"),
    ("limits = {request_seconds = inf}", "field limits.request_seconds: want a number above 0"),
    ('limits = {running = "9"}', "field limits.running: want a whole number"),
    (
        'webhooks = {bank = {url = "https://bank.example/"}}',
        "field webhooks.NAME.secret: write it, since it is missing",
    ),
    (HOOK.format('secret = ""'), "field webhooks.bank.secret: want the path of a file"),
    ('console = {currency = "\\n"}', "field console.currency: want up to 200 printable"),
    ("console = {lots = 3}", "field console.lots: want a text"),
    (PROVIDER.format('issuer = "http://login.example"'), "field sign_on.issuer: want https:// and a host"),
    (PROVIDER.format('issuer = "https://a@login.example"'), "field sign_on.issuer: want https:// and a host"),
    (PROVIDER.format('issuer = "https://login.example#x"'), "field sign_on.issuer: want https:// and a host"),
    (PROVIDER.format('issuer = "https://x/' + "a" * 200 + '"'), "field sign_on.issuer: want up to 200 characters"),
    (ISSUER.format('jwks_uri = "https://x/keys"'), "field sign_on: state authorization_endpoint, token_endpoint, jwks"),
    (ISSUER.format('algorithms = ["none"]'), "field sign_on.algorithms: want some of RS256"),
    (ISSUER.format('algorithms = ["HS256"]'), "field sign_on.algorithms: want some of RS256"),
    (ISSUER.format("algorithms = []"), "field sign_on.algorithms: want some of RS256"),
    (ISSUER.format('scopes = ["profile"]'), 'field sign_on.scopes: name "openid" too'),
    (ISSUER.format('scopes = ["openid profile"]'), "field sign_on.scopes: want up to 128 characters of ASCII"),
    (ISSUER.format('roles_claim = ""'), "field sign_on.roles_claim: want up to 128 characters of ASCII"),
    ('sign_on = {issuer = "https://x", client_id = "c"}', "field sign_on.roles: write it, since it is missing"),
    ('sign_on = {issuer = "https://x", client_id = "c", roles = {}}', "field sign_on.roles: want values of groups"),
    (
        'sign_on = {issuer = "https://x", client_id = "c", roles = {a = "root"}}',
        'field sign_on.roles.VALUE: want "officer", "auditor" or "admin"',
    ),
    ("telemetry = {}", "field telemetry.endpoint: write it, since it is missing"),
]


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_one_line_names_file_and_field(tmp_path, line, said):
    """And says what is wanted."""
    path = tmp_path / "service.toml"
    usual = {"vault": 'vault = "v"', "lender": 'lender = {name = "x"}'}
    usual[line.partition(" ")[0]] = line
    path.write_text("\n".join(usual.values()))
    with pytest.raises(SettingsError) as raised:
        load_settings(path)
    assert str(raised.value).startswith(f"{path}: {said}")
    assert "\n" not in str(raised.value)


def test_the_first_settings_show_every_field():
    """As it is or as a comment, and the comments are settings that can be."""
    text = first_settings(Choice(LenderSettings("Bank")))
    whole = "".join(line.removeprefix("# ") + "\n" for line in text.splitlines() if " = " in line or "[" in line[:3])
    found = tomllib.loads(whole)
    settings = msgspec.convert(found, Settings)
    assert set(found) == set(Settings.__struct_fields__)
    for name in ("log", "policy", "retention", "limits", "console", "sign_on", "proxy_sign_on", "telemetry", "lender"):
        assert set(found[name]) == set(getattr(settings, name).__struct_fields__), name


@pytest.mark.parametrize(("cores", "provers"), [(1, 1), (2, 2), (64, 8)])
def test_a_new_service_has_a_prover_for_each_core(monkeypatch, cores, provers):
    """Eight at most."""
    monkeypatch.setattr(initial, "processors", lambda: cores)
    assert tomllib.loads(first_settings(Choice(LenderSettings("Bank"))))["provers"] == provers
