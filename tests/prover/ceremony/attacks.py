"""What one malicious contributor of three can do to the second step, and what damages a file: each with its refusal."""

from __future__ import annotations

import json

from equiproof.ffi import ceremony as native
from equiproof.prover.ceremony.errors import Refusal
from equiproof.prover.ceremony.steps import MAX_ATTESTATION_BYTES
from equiproof.verifier.errors import Reason
from tests.prover.ceremony.parties import ANNA, BEN, CAROL, MALLORY, POWER, read, rewritten, text_of, with_note
from tests.support import ROOT
from tests.vectors.vector import proof_base

PROOFS = 3 * 96
TAU = PROOFS + 8 + 64
"""Where the powers of tau begin in a step of phase 1: behind three proofs, a length, and beta in G2."""

TAU_IN_G2 = TAU + 32 * (2 * (1 << POWER) - 2)


def spliced(data, at, new):
    """Return data with other bytes at a place."""
    return data[:at] + new + data[at + len(new) :]


def outside():
    """Return a point of G2's curve that is outside its subgroup."""
    vector = json.loads((ROOT / "tests/vectors/malformed/groth16-proof-b-outside-stranger.json").read_bytes())
    assert len(vector["proof"]) == len(proof_base(vector["base"])["proof"])
    return bytes.fromhex(vector["proof"])[32:96]


def second(folder):
    """Return Ben's step and what is behind it."""
    return folder.step(2), read(folder.step(2)).contribution, read(folder.step(1)).contribution


def unknown_signer(folder):
    rewritten(folder.step(2), MALLORY)


def signature_by_another_key(folder):
    step = read(folder.step(2))
    note = MALLORY.sign(text_of(step)).replace("— mallory", "— ben")
    folder.step(2).write_bytes(with_note(step.header, step.contribution, note))


def wrong_previous(folder):
    rewritten(folder.step(2), BEN, previous=folder.ceremony.digest)


def begun_anew(folder):
    """Ben leaves Anna's step out and contributes to the start."""
    rewritten(folder.step(2), BEN, native.powers_contribute(POWER, None))


def replayed(folder):
    folder.step(2).write_bytes(folder.step(1).read_bytes())


def replayed_as_ones_own(folder):
    _, _, before = second(folder)
    rewritten(folder.step(2), BEN, before)


def altered_point(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, spliced(data, TAU + 5 * 32, data[TAU + 4 * 32 : TAU + 5 * 32]))


def altered_proof(folder):
    path, data, before = second(folder)
    rewritten(path, BEN, spliced(data, 0, before[:PROOFS]))


def outside_the_subgroup(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, spliced(data, TAU_IN_G2, outside()))


def not_rerandomised(folder):
    path, data, before = second(folder)
    rewritten(path, BEN, spliced(data, TAU, before[TAU : TAU + 32]))


def other_challenge(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, data[:-32] + bytes(32))


def absent_challenge(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, data[:-33] + b"\x00")


def stated_length(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, data + b"\x00")


def of_another_power(folder):
    rewritten(folder.step(2), BEN, power=POWER + 1)


def of_another_index(folder):
    rewritten(folder.step(2), BEN, index=3)


def of_another_phase(folder):
    rewritten(folder.step(2), BEN, phase="key")


def with_a_circuit(folder):
    rewritten(folder.step(2), BEN, system_digest="0" * 64)


def contributes_twice(folder):
    rewritten(folder.step(2), ANNA)


def note_of_another_step(folder):
    step, other = read(folder.step(2)), read(folder.step(3))
    folder.step(2).write_bytes(with_note(step.header, step.contribution, BEN.sign(text_of(other))))


def notes_swapped(folder):
    steps = {number: read(folder.step(number)) for number in (2, 3)}
    notes = {number: folder.step(number).read_bytes().rpartition(b"equiproof-ceremony-step/v2")[2] for number in steps}
    for number, step in steps.items():
        note = f"equiproof-ceremony-step/v2{notes[5 - number].decode()}"
        folder.step(number).write_bytes(with_note(step.header, step.contribution, note))


def signed_by_two(folder):
    step = read(folder.step(2))
    note = BEN.sign(text_of(step)) + CAROL.sign(text_of(step)).rpartition("\n\n")[2]
    folder.step(2).write_bytes(with_note(step.header, step.contribution, note))


ATTACKS = {
    unknown_signer: (Refusal.UNKNOWN_SIGNER, "leave this step out: 'mallory' is not among the signers"),
    signature_by_another_key: (Refusal.BAD_SIGNATURE, "ask ben for the file again: the signature is not theirs"),
    wrong_previous: (Refusal.WRONG_CHAIN, "does not follow the step before it"),
    begun_anew: (Refusal.CHALLENGE, ""),
    replayed: (Refusal.WRONG_CHAIN, "does not follow the step before it"),
    replayed_as_ones_own: (Refusal.CHALLENGE, ""),
    altered_point: (Refusal.RATIO, ""),
    altered_proof: (Refusal.PROOF_OF_KNOWLEDGE, ""),
    outside_the_subgroup: (Refusal.SUBGROUP, ""),
    not_rerandomised: (Refusal.NOT_RERANDOMISED, ""),
    other_challenge: (Refusal.CHALLENGE, ""),
    absent_challenge: (Refusal.WRONG_LENGTH, "ask its contributor for the file again: the header states"),
    stated_length: (Refusal.WRONG_LENGTH, "ask its contributor for the file again: the header states"),
    of_another_power: (Refusal.WRONG_HEADER, "the header's power"),
    of_another_index: (Refusal.WRONG_HEADER, "the header's index"),
    of_another_phase: (Refusal.WRONG_HEADER, "the header's phase"),
    with_a_circuit: (Refusal.WRONG_HEADER, "the header's system_digest"),
    contributes_twice: (Refusal.REPEATED_SIGNER, "leave this step out: anna has contributed before"),
    note_of_another_step: (Refusal.BAD_SIGNATURE, "for the file again: the attestation is of another step"),
    notes_swapped: (Refusal.BAD_SIGNATURE, "for the file again: the attestation is of another step"),
    signed_by_two: (Refusal.BAD_SIGNATURE, "ask ben for the file again: the signature is not theirs"),
}
"""Each makes one change to the second step, properly signed where a signature is not what is attacked.

The words are of this room; those of the library are tested there.
"""

DAMAGES = {
    "cut": (lambda data: data[:-1], "no attestation", Reason.WRONG_LENGTH),
    "half": (lambda data: data[: len(data) // 2], "cut short", Reason.WRONG_LENGTH),
    "header-cut": (lambda data: data[:100], "no header", Reason.NOT_JSON),
    "empty": (lambda data: b"", "no header", Reason.NOT_JSON),
    "longer": (lambda data: data + b"x", "no attestation", Reason.WRONG_LENGTH),
    "much-longer": (lambda data: data + bytes(MAX_ATTESTATION_BYTES), "longer than a step", Reason.WRONG_LENGTH),
    "space": (lambda data: data.replace(b'"index":2', b'"index": 2'), "canonical", Reason.NOT_CANONICAL),
    "field": (lambda data: data.replace(b'"index":2', b'"index":2,"more":1'), "more", Reason.WRONG_FIELDS),
    "version": (lambda data: data.replace(b'"version":2', b'"version":3'), "version 3", Reason.OTHER_FORMAT),
    "format": (lambda data: data.replace(b"ceremony-step", b"ceremony"), "not 'equiproof-cerem", Reason.OTHER_FORMAT),
    "not-utf-8": (lambda data: b"\xff" + data, "JSON", Reason.NOT_JSON),
}
"""Each makes a file that is no step of this ceremony; its words and its reason."""
