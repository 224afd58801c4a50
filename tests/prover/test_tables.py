"""Counts over tables under real keys: honest ones hold for both verifiers, what a cheating owner presents does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equiproof.circuits.field import to_bytes
from equiproof.circuits.kept import key_element, link_statement
from equiproof.circuits.table import Counts, Table, TableError, TableStatement
from equiproof.ffi.errors import MalformedInputError, RefusedError, UnsatisfiedError
from equiproof.prover.tables import ProvenPart, counted_parts
from equiproof.prover.witness.table import Counted, generate
from equiproof.verifier import pairing
from equiproof.verifier.kept import KeptKey, Link
from equiproof.verifier.table import PresentedPart, TableClaim, verify_table
from tests.prover.table_case import (
    CONTEXT,
    FINGERPRINT,
    MASK,
    NETWORK,
    OF_PAIR,
    PAIR,
    SPEC,
    claim_of,
    published,
    shape_of,
    table_of,
)

ROWS, CELLS = 4, 3


@pytest.fixture(scope="module")
def owner():
    """What the owner of a network publishes: keys for four rows in three cells."""
    with published(shape_of(ROWS, CELLS)) as found:
        yield found


@pytest.fixture(scope="module")
def key(owner):
    """The key for tables beside the link."""
    with owner.native() as opened:
        yield opened


@pytest.fixture(scope="module")
def table():
    """A table of three parts, the last one of two rows."""
    return table_of(10, CELLS)


@pytest.fixture(scope="module")
def claim(owner, table):
    """What the owner presents of the table."""
    return claim_of(owner.prove(table))


def plain(owner):
    """Open the link in plain Python."""
    stated = (owner.secrets.model_commitment, SPEC, key_element(FINGERPRINT))
    return KeptKey(owner.keys.verifying).open(
        pairing.VerifyingKey(owner.link_keys.verifying),
        Link(owner.point, to_bytes(owner.basis.shown), owner.link),
        lambda r, shown: link_statement(owner.shape.links, *stated, r, shown),
    )


def predicted(table, network=NETWORK):
    """Count decisions one row at a time."""
    granted, tied = [0] * CELLS, [0] * CELLS
    for row, cell in zip(table.rows, table.cells, strict=True):
        decision = network.decide(row)
        granted[cell] += decision == 1
        tied[cell] += decision is None
    return Counts(tuple(granted), tuple(tied))


def test_counts_are_those_of_plain_predictions_and_hold(owner, key, table, claim):
    """By the native library and in plain Python; a tie is no grant."""
    assert claim.counts == predicted(table)
    assert sum(claim.counts.tied) > 0
    assert len(claim.parts) == 3
    verify_table(key, owner.shape, owner.basis, table, claim)
    verify_table(plain(owner), owner.shape, owner.basis, table, claim)


def test_networks_with_two_logits_are_counted():
    """Granted is label 1, whose logit is the second one."""
    table = table_of(6, CELLS, PAIR)
    with published(shape_of(ROWS, CELLS, OF_PAIR), PAIR) as own, own.native() as opened:
        found = claim_of(own.prove(table))
        assert found.counts == predicted(table, PAIR)
        verify_table(opened, own.shape, own.basis, table, found)


def test_parts_hide_their_counts(owner, table, claim):
    """Two runs show other digests between the parts, and the same ones at both ends."""
    again = claim_of(owner.prove(table))
    for one, other in zip(claim.parts[:-1], again.parts[:-1], strict=True):
        assert one.after != other.after
    assert again.parts[0].before == claim.parts[0].before
    assert again.parts[-1].after == claim.parts[-1].after


def test_two_proofs_share_the_point_alone(owner, table):
    """The mask of the second commitment is drawn for each proof: two have the model's point in common, and no more."""
    short = Table(table.rows[:ROWS], table.cells[:ROWS])
    (one,), (other,) = owner.prove(short).parts, owner.prove(short).parts
    assert (one.before, one.after) == (other.before, other.after)
    parts = {"A": slice(0, 32), "B": slice(32, 96), "C": slice(96, 128), "D2": slice(164, 196), "pok": slice(196, 228)}
    assert [name for name, part in parts.items() if one.proof[part] == other.proof[part]] == []
    assert one.proof[132:164] == other.proof[132:164] == owner.point


def test_a_table_of_one_part_holds(owner, key, table):
    """A whole part, and a single row."""
    for rows in (ROWS, 1):
        short = Table(table.rows[:rows], table.cells[:rows])
        verify_table(key, owner.shape, owner.basis, short, claim_of(owner.prove(short)))


def changed_claims(claim):
    """Return other claims by their lies, from honest proofs."""
    first, second, third = claim.parts
    granted, tied = claim.counts.granted, claim.counts.tied
    moved = next(cell for cell in range(CELLS) if granted[cell])
    to = (moved + 1) % CELLS
    shifted = [count - (cell == moved) + (cell == to) for cell, count in enumerate(granted)]
    return {
        "a part left out": replace(claim, parts=(first, third)),
        "a part in place of another": replace(claim, parts=(first, first, third)),
        "a part twice": replace(claim, parts=(first, second, second, third)),
        "parts in another order": replace(claim, parts=(second, first, third)),
        "parts that seem to follow": replace(
            claim,
            parts=(
                PresentedPart(first.before, second.before, second.proof),
                PresentedPart(second.before, third.before, first.proof),
                third,
            ),
        ),
        "a grant more": replace(claim, counts=Counts((granted[0] + 1, *granted[1:]), tied)),
        "a grant in another cell": replace(claim, counts=Counts(tuple(shifted), tied)),
        "ties are grants": replace(
            claim, counts=Counts(tuple(map(sum, zip(granted, tied, strict=True))), (0,) * CELLS)
        ),
        "counts of more cells": replace(claim, counts=Counts((*granted, 0), (*tied, 0))),
        # The element that holds both counts is the same one.
        "a count that carries": replace(
            claim, counts=Counts((granted[0] + (1 << 32), granted[1] - 1, granted[2]), tied)
        ),
    }


@pytest.mark.parametrize(
    "lie", sorted(changed_claims(TableClaim(Counts((1, 1, 1), (1, 0, 0)), [PresentedPart(0, 0, b"")] * 3)))
)
def test_other_claims_are_refused(owner, key, table, claim, lie):
    """Nothing of a claim can be exchanged."""
    with pytest.raises(RefusedError):
        verify_table(key, owner.shape, owner.basis, table, changed_claims(claim)[lie])


def exchanged(table, one, other):
    """Return a table with two rows in each other's place, each in its own cell."""
    order = [*range(len(table.rows))]
    order[one], order[other] = other, one
    return Table([table.rows[at] for at in order], [table.cells[at] for at in order])


def other_tables(table):
    """Return other tables by what differs."""
    row = table.rows[1]
    return {
        "a sensitive value": Table([table.rows[0], (*row[:-1], row[-1] ^ 1), *table.rows[2:]], table.cells),
        "a cell": Table(table.rows, [(table.cells[0] + 1) % CELLS, *table.cells[1:]]),
        "two rows exchanged": exchanged(table, 1, 2),
        "two rows of two parts exchanged": exchanged(table, 1, 7),
        "a row doubled": Table([*table.rows, table.rows[0]], [*table.cells, table.cells[0]]),
        "a row left out": Table(table.rows[:-1], table.cells[:-1]),
    }


@pytest.mark.parametrize("differs", sorted(other_tables(table_of(10, CELLS))))
def test_counts_of_another_table_are_refused(owner, key, table, claim, differs):
    """Honest proofs are of one table alone, in its order."""
    with pytest.raises(RefusedError):
        verify_table(key, owner.shape, owner.basis, other_tables(table)[differs], claim)


def stated(owner, table, number, before, after):
    """State counts before and after a part of a table."""
    return TableStatement(
        owner.secrets.model_commitment,
        SPEC,
        CONTEXT,
        table.digest,
        number,
        before.digest,
        after.digest,
        owner.basis.shown,
    )


def proven_with(owner, about, rows):
    """Prove the parts of other rows under statements about a table, as a cheating owner does; return the claim."""
    parts, counts = [], Counts.zero(CELLS)
    for number, (part, before, after) in enumerate(counted_parts(owner.shape, owner.secrets, rows)):
        witness = generate(owner.shape, stated(owner, about, number, before, after), owner.secrets, part, before, after)
        proof = owner.prover.prove_kept(witness, to_bytes(MASK))
        parts.append(ProvenPart(before.digest, after.digest, proof))
        counts = after.counts
    return TableClaim(counts, tuple(PresentedPart(one.before, one.after, one.proof) for one in parts))


@pytest.mark.parametrize(
    "differs", ["a sensitive value", "a cell", "two rows exchanged", "two rows of two parts exchanged"]
)
def test_rows_that_are_not_the_verifiers_are_refused(owner, key, table, differs):
    """There are proofs of other rows under the table's digest; the verifier's polynomial is another one."""
    lying = proven_with(owner, table, other_tables(table)[differs])
    with pytest.raises(RefusedError):
        verify_table(key, owner.shape, owner.basis, table, lying)
    with pytest.raises(RefusedError):
        verify_table(plain(owner), owner.shape, owner.basis, table, lying)


def test_counts_before_of_another_table_are_refused(owner, key, table, claim):
    """A part that goes on from the counts of another table has a proof, and does not follow the part before it."""
    (_, before, after), last = counted_parts(owner.shape, owner.secrets, table)[1:]
    richer = Counts((before.counts.granted[0] + 1, *before.counts.granted[1:]), before.counts.tied)
    other = Counted(richer, 1)
    logits = [NETWORK.logits(row)[0] for row in last[0].rows]
    end = Counted(richer.more(table.cells[4:8], [NETWORK.logits(row)[0] for row in table.rows[4:8]]), 2)
    part = table.parts(owner.shape)[1]
    proof = owner.prover.prove_kept(
        generate(owner.shape, stated(owner, table, 1, other, end), owner.secrets, part, other, end), to_bytes(MASK)
    )
    whole = Counted(end.counts.more(last[0].cells, logits), 0)
    behind = owner.prover.prove_kept(
        generate(owner.shape, stated(owner, table, 2, end, whole), owner.secrets, last[0], end, whole), to_bytes(MASK)
    )
    parts = (
        claim.parts[0],
        PresentedPart(other.digest, end.digest, proof),
        PresentedPart(end.digest, whole.digest, behind),
    )
    assert after.counts != end.counts
    with pytest.raises(RefusedError, match="goes on from other counts"):
        verify_table(key, owner.shape, owner.basis, table, TableClaim(whole.counts, parts))
    seeming = replace(parts[1], before=claim.parts[0].after)
    with pytest.raises(RefusedError):
        verify_table(key, owner.shape, owner.basis, table, TableClaim(whole.counts, (parts[0], seeming, parts[2])))


@pytest.mark.parametrize("name", ["model_commitment", "spec_digest", "context_digest", "shown"])
def test_another_basis_is_refused(owner, key, table, claim, name):
    """Counts are of one model, spec, purpose and link."""
    basis = replace(owner.basis, **{name: getattr(owner.basis, name) + 1})
    with pytest.raises(RefusedError):
        verify_table(key, owner.shape, basis, table, claim)


def test_another_point_is_refused(owner, key, table):
    """Proofs under another mask, of the same words, are not the link's."""
    part, before, after = counted_parts(owner.shape, owner.secrets, Table(table.rows[:2], table.cells[:2]))[0]
    short = Table(table.rows[:2], table.cells[:2])
    witness = generate(owner.shape, stated(owner, short, 0, before, after), owner.secrets, part, before, after)
    # What is shown is that of the point under the honest mask: the circuit refuses it at another challenge.
    with pytest.raises(UnsatisfiedError):
        owner.prover.prove_kept(witness, to_bytes(MASK + 1))


def test_no_proof_of_other_counts(owner, table):
    """The circuit refuses counts that are not those of its rows."""
    part, before, after = counted_parts(owner.shape, owner.secrets, table)[0]
    more = Counted(Counts((after.counts.granted[0] + 1, *after.counts.granted[1:]), after.counts.tied), after.blinding)
    witness = generate(owner.shape, stated(owner, table, 0, before, more), owner.secrets, part, before, more)
    with pytest.raises(UnsatisfiedError):
        owner.prover.prove_kept(witness, to_bytes(MASK))


def test_malformed_proofs_are_told_apart(owner, key, table, claim):
    """A proof that is none is no refusal."""
    short = replace(claim.parts[0], proof=claim.parts[0].proof[:-1])
    with pytest.raises(MalformedInputError):
        verify_table(key, owner.shape, owner.basis, table, replace(claim, parts=(short, *claim.parts[1:])))


@pytest.mark.parametrize(
    ("rows", "cells"),
    [
        ([], []),
        ([(1, 2, 3)], [0, 0]),
        ([(1, 2)], [0]),
        ([(1, 2, 128)], [0]),
        ([(1, 2, -129)], [0]),
        ([(1, 2, True)], [0]),
        ([(1, 2, 3)], [CELLS]),
        ([(1, 2, 3)], [-1]),
    ],
)
def test_tables_of_another_shape_are_refused(rows, cells):
    """No row, no cell, another number of columns, an entry that does not fit, and a cell that there is not."""
    with pytest.raises(TableError):
        Table(rows, cells).parts(shape_of(ROWS, CELLS))
