"""The words of the pages around a sign-on, in English and German."""

from __future__ import annotations

from equiproof.service.console import languages
from equiproof.service.console.identities import Refusal
from equiproof.service.console.languages import Pair, said

REFUSALS: dict[Refusal, Pair] = {
    Refusal.STATE: (
        "Begin again: this sign-in was not begun in this browser, or more than ten minutes ago, or it is over.",
        "Beginnen Sie neu: Diese Anmeldung begann nicht in diesem Browser, vor über zehn Minuten, oder sie ist vorbei.",
    ),
    Refusal.ISSUER: (
        "Begin again: the answer is another provider’s.",
        "Beginnen Sie neu: Die Antwort ist die eines anderen Anbieters.",
    ),
    Refusal.DENIED: (
        "Begin again, and agree there: your organisation’s sign-in did not let you pass.",
        "Beginnen Sie neu und stimmen Sie dort zu: Die Anmeldung Ihrer Organisation hat Sie nicht durchgelassen.",
    ),
    Refusal.PROVIDER: (
        "Try again in a minute: your organisation’s sign-in does not answer as it should.",
        "Versuchen Sie es in einer Minute wieder: Die Anmeldung Ihrer Organisation antwortet nicht, wie sie soll.",
    ),
    Refusal.TOKEN: (
        "Begin again, or ask whoever runs this service: what your organisation’s sign-in says does not hold here.",
        "Beginnen Sie neu oder fragen Sie den Betrieb: Was die Anmeldung Ihrer Organisation sagt, gilt hier nicht.",
    ),
    Refusal.ROLE: (
        "Ask whoever keeps the groups of your organisation: none of yours has a role here.",
        "Fragen Sie, wer die Gruppen Ihrer Organisation pflegt: Keine von Ihren hat hier eine Rolle.",
    ),
    Refusal.ROLES: (
        "Ask whoever keeps the groups of your organisation: yours have several roles here, and one person has one.",
        "Fragen Sie, wer die Gruppen Ihrer Organisation pflegt: Ihre haben hier mehrere Rollen, eine Person hat eine.",
    ),
    Refusal.NAME: (
        "Ask an admin of the console: your name is missing, cannot be shown here, or is that of another account.",
        "Fragen Sie die Verwaltung der Konsole: Ihr Name fehlt, ist nicht lesbar oder gehört zu einem anderen Konto.",
    ),
    Refusal.CLOSED: (
        "Ask an admin of the console: your account is closed here.",
        "Fragen Sie die Verwaltung der Konsole: Ihr Konto ist hier geschlossen.",
    ),
    Refusal.PROXY: (
        "Open the console by your organisation’s address: the server that says who you are did not send this request.",
        "Öffnen Sie die Konsole über die Adresse Ihrer Organisation: Der Server, der Sie kennt, sandte dies nicht.",
    ),
    Refusal.TRIES: (
        "Try again in a quarter of an hour: too many sign-ins were begun from your address.",
        "Versuchen Sie es in einer Viertelstunde wieder: Von Ihrer Adresse wurden zu viele Anmeldungen begonnen.",
    ),
}

TEXTS: dict[str, Pair] = {
    "refused": ("You are not signed in", "Sie sind nicht angemeldet"),
    "again": ("To the sign-in", "Zur Anmeldung"),
    "done": ("You are signed in", "Sie sind angemeldet"),
    "on": ("To the console", "Zur Konsole"),
    "begin": ("Sign in with your organisation’s account", "Mit dem Konto Ihrer Organisation anmelden"),
}


def texts(language: str) -> dict[str, str]:
    """Return the words of the pages in a language."""
    return languages.texts(TEXTS, language)


def refusal(why: Refusal, language: str) -> str:
    """Return what to do about a refusal, and why it is one."""
    return said(REFUSALS[why], language)
