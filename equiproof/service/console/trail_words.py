"""The words of the trail's page, in English and German."""

from __future__ import annotations

from equiproof.service.console import languages
from equiproof.service.console.languages import Pair, said
from equiproof.service.trail import Act, Channel

ACTS: dict[Act, Pair] = {
    Act.SIGN_IN: ("signed in", "angemeldet"),
    Act.SIGN_IN_FAILED: ("sign-in failed", "Anmeldung misslungen"),
    Act.SIGN_OUT: ("signed out", "abgemeldet"),
    Act.PASSWORD: ("own password changed", "eigenes Passwort geändert"),
    Act.DETAILS: ("details seen", "Angaben eingesehen"),
    Act.LETTER: ("letter opened", "Brief abgerufen"),
    Act.PACKAGE: ("evidence package taken", "Nachweispaket abgerufen"),
    Act.BUNDLE: ("applicant’s file taken", "Datei der Antragstellenden abgerufen"),
    Act.RECEIPT: ("receipt taken", "Beleg abgerufen"),
    Act.OVERRIDE: ("decided as a person", "als Mensch entschieden"),
    Act.ALLOWANCE: ("allowed to apply once more", "weiteren Antrag erlaubt"),
    Act.AGAIN: ("certified again", "erneut zertifiziert"),
    Act.CANCEL: ("proof ended", "Beweis abgebrochen"),
    Act.CORRECTION_REQUEST: ("correction asked for", "Berichtigung beantragt"),
    Act.CORRECTION: ("correction recorded", "Berichtigung vermerkt"),
    Act.RECOURSE: ("recourse asked for", "Auskunft über Auswege angefordert"),
    Act.RECOURSE_READ: ("recourse read", "Auswege eingesehen"),
    Act.RECOURSE_BOX: ("box of recourse taken", "Bereich eines Auswegs abgerufen"),
    Act.RECOURSE_LETTER: ("letter about recourse opened", "Brief über Auswege abgerufen"),
    Act.RECOURSE_RELEASED: ("letter about recourse released", "Brief über Auswege freigegeben"),
    Act.RECOURSE_ANSWER: ("review of recourse answered", "Prüfung der Auswege beantwortet"),
    Act.LINK: ("link given", "Link erteilt"),
    Act.LINKS_REVOKED: ("links revoked", "Links widerrufen"),
    Act.ACCOUNT: ("account added", "Konto angelegt"),
    Act.ACCOUNT_PASSWORD: ("new password for an account", "neues Passwort für ein Konto"),
    Act.ACCOUNT_ROLE: ("role changed", "Rolle geändert"),
    Act.ACCOUNT_CLOSED: ("account closed", "Konto geschlossen"),
    Act.ACCOUNT_OPENED: ("account opened again", "Konto wieder geöffnet"),
    Act.SECURITY_KEY: ("security key added", "Sicherheitsschlüssel hinzugefügt"),
    Act.SECURITY_KEY_REMOVED: ("security key removed", "Sicherheitsschlüssel entfernt"),
    Act.KEY: ("API key made", "API-Schlüssel erzeugt"),
    Act.KEY_REVOKED: ("API key revoked", "API-Schlüssel widerrufen"),
    Act.MODEL: ("model added or moved", "Modell hinzugefügt oder verlegt"),
    Act.PURGE: ("old data erased", "alte Daten gelöscht"),
    Act.ERASE: ("data of a decision erased", "Daten einer Entscheidung gelöscht"),
    Act.HOLD: ("hold set", "Löschsperre gesetzt"),
    Act.ROTATE: ("data sealed anew", "Daten neu versiegelt"),
    Act.VAULT_KEY: ("vault key added", "Tresorschlüssel hinzugefügt"),
    Act.SETTINGS: ("started with other settings", "mit anderen Einstellungen gestartet"),
    Act.EXPORT: ("trail exported", "Protokoll ausgegeben"),
    Act.PRUNE: ("old lines deleted", "alte Zeilen gelöscht"),
    Act.PUBLISH: ("head for the public log", "Stand für das öffentliche Register"),
}

CHANNELS: dict[Channel, Pair] = {
    Channel.SESSION: ("console", "Konsole"),
    Channel.KEY: ("API key", "API-Schlüssel"),
    Channel.LINK: ("applicant’s link", "Link der Antragstellenden"),
    Channel.COMMAND: ("command", "Befehl"),
    Channel.PROCESS: ("process", "Prozess"),
}

TEXTS: dict[str, Pair] = {
    "heading": ("Trail", "Protokoll"),
    "about": (
        "Who did what and when. Each line is chained to the one before; the command that follows them:",
        "Wer was wann getan hat. Jede Zeile ist mit der vorigen verkettet; der Befehl, der das prüft:",
    ),
    "show": ("Show", "Zeigen"),
    "officer": ("Account", "Konto"),
    "act": ("Act", "Handlung"),
    "decision": ("Decision’s id", "Kennung der Entscheidung"),
    "day": ("Day", "Tag"),
    "address": ("Address, or its digest", "Adresse oder ihr Hash"),
    "all": ("all", "alle"),
    "line": ("Line", "Zeile"),
    "when": ("When", "Wann"),
    "who": ("Who", "Wer"),
    "what": ("What", "Was"),
    "object": ("About", "Betrifft"),
    "nobody": ("nobody known", "niemand Bekanntes"),
    "none": ("No line.", "Keine Zeile."),
    "next": ("Older lines", "Ältere Zeilen"),
    "first": ("Back to the newest", "Zurück zu den neuesten"),
    "export": ("Export these lines", "Diese Zeilen ausgeben"),
    "lines": ("Lines of the trail", "Zeilen des Protokolls"),
    "other": ("Deutsch", "English"),
}


def texts(language: str) -> dict[str, str]:
    """Return the words of the page in a language."""
    return languages.texts(TEXTS, language)


def act(name: str, language: str) -> str:
    """Return an act in words; that of a newer program stays as it is."""
    return said(ACTS[Act(name)], language) if name in list(Act) else name


def channel(name: str, language: str) -> str:
    """Return a channel in words; that of a newer program stays as it is."""
    return said(CHANNELS[Channel(name)], language) if name in list(Channel) else name
