"""The words of the pages about security keys, in English and German."""

from __future__ import annotations

from equiproof.service.console import languages, sign_on_words
from equiproof.service.console.factors import Fault
from equiproof.service.console.identities import Refusal
from equiproof.service.console.languages import Pair, said

FAULTS: dict[Fault, Pair] = {
    Fault.STEP: (
        "Begin again: this key was not asked for in this browser, or more than five minutes ago, or it has answered.",
        "Beginnen Sie neu: Gefragt wurde nicht in diesem Browser, vor über fünf Minuten, oder es ist beantwortet.",
    ),
    Fault.ANSWER: (
        "Begin again: what the key says does not hold here.",
        "Beginnen Sie neu: Was der Schlüssel sagt, gilt hier nicht.",
    ),
    Fault.KEY: (
        "Begin again with a key of your own: your account does not have this one.",
        "Beginnen Sie neu mit einem Ihrer Schlüssel: Dieser gehört nicht zu Ihrem Konto.",
    ),
    Fault.COUNT: (
        "Tell whoever runs this service, and use another key: there may be a copy of this one.",
        "Sagen Sie es dem Betrieb und nehmen Sie einen anderen Schlüssel: Von diesem gibt es vielleicht eine Kopie.",
    ),
    Fault.TAKEN: (
        "Take another key: this one stands here already.",
        "Nehmen Sie einen anderen Schlüssel: Dieser steht hier schon.",
    ),
    Fault.MANY: (
        "Remove a key first: an account has ten at most.",
        "Entfernen Sie zuerst einen Schlüssel: Ein Konto hat höchstens zehn.",
    ),
    Fault.NAME: (
        "Give the key a name of up to 64 characters that can be read.",
        "Geben Sie dem Schlüssel einen lesbaren Namen von höchstens 64 Zeichen.",
    ),
    Fault.LAST: (
        "Add another key first: every account here needs one.",
        "Fügen Sie zuerst einen anderen Schlüssel hinzu: Jedes Konto braucht hier einen.",
    ),
    Fault.CLOSED: sign_on_words.REFUSALS[Refusal.CLOSED],
}

TEXTS: dict[str, Pair] = {
    "heading": ("Security keys", "Sicherheitsschlüssel"),
    "sign_in": ("Your security key", "Ihr Sicherheitsschlüssel"),
    "asked": (
        "Your password was right. You are signed in once a security key of yours answers.",
        "Ihr Passwort stimmt. Sie sind angemeldet, sobald einer Ihrer Sicherheitsschlüssel antwortet.",
    ),
    "first": (
        "Your password was right. Every account here needs a security key: add your first one, and you are signed in.",
        "Ihr Passwort stimmt. Jedes Konto braucht hier einen Sicherheitsschlüssel: Fügen Sie Ihren ersten hinzu.",
    ),
    "about": (
        "Who has a key here is asked for it after the password. Have two, and keep one in a safe place.",
        "Wer hier einen Schlüssel hat, wird nach dem Passwort danach gefragt. Haben Sie zwei, einen an sicherem Ort.",
    ),
    "none": ("You have no key.", "Sie haben keinen Schlüssel."),
    "name": ("Name of the key", "Name des Schlüssels"),
    "added": ("Added", "Hinzugefügt"),
    "changes": ("Changes", "Änderungen"),
    "password": ("Password", "Passwort"),
    "remove": ("Remove", "Entfernen"),
    "add": ("Add a key", "Schlüssel hinzufügen"),
    "use": ("Use the key", "Schlüssel benutzen"),
    "cannot": (
        "Take another browser, with script: this one cannot use security keys here.",
        "Nehmen Sie einen anderen Browser, mit Skript: Dieser kann hier keine Sicherheitsschlüssel benutzen.",
    ),
    "stopped": (
        "Try again, or with another key: no key has answered.",
        "Versuchen Sie es wieder oder mit einem anderen Schlüssel: Kein Schlüssel hat geantwortet.",
    ),
    "wrong": ("The password is another one.", "Das Passwort ist ein anderes."),
    "again": sign_on_words.TEXTS["again"],
    "refused": sign_on_words.TEXTS["refused"],
    "other": ("Deutsch", "English"),
}


def texts(language: str) -> dict[str, str]:
    """Return the words of the pages in a language."""
    return languages.texts(TEXTS, language)


def fault(why: Fault, language: str) -> str:
    """Return what to do about a fault, and what it is."""
    return said(FAULTS[why], language)
