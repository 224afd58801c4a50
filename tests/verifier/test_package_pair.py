"""Two evidence packages of a correction: each names the other one, and what they say was put right is what differs."""

from dataclasses import replace

import pytest

from equiproof.verifier import CertificateFormatError
from equiproof.verifier.errors import PackageError
from equiproof.verifier.package import PackagedCorrection, parse_package
from equiproof.verifier.package_check import check_package, check_pair
from tests.support import changed
from tests.vectors.generate.log import RECEIVED
from tests.verifier.packages import MADE, package, reader

LATER = changed(RECEIVED, time="2026-03-04T11:00:00Z", salt="5b" * 32)
RECORD = PackagedCorrection(
    place="first",
    other="second",
    other_receipt=LATER.digest,
    asked="2026-03-04",
    request="My income was entered without its last digit.",
    changed=("income",),
    name="Ada Marsh",
    recorded="2026-03-04T11:30:00Z",
)
ITS = changed(RECORD, place="second", other="first", other_receipt=RECEIVED.digest)


@pytest.fixture(scope="module")
def accepted():
    """What was found of a package that was accepted."""
    return check_package(package(), "p", reader(MADE))


def checked(accepted, decision, receipt, record, income=58058):
    """Return the same of a package of another decision, about an applicant with another income."""
    presented = accepted.presented
    features = presented.query.features | {"income": income}
    return replace(
        accepted,
        package=replace(accepted.package, decision=decision, corrections=() if record is None else (record,)),
        presented=replace(presented, receipt=receipt, query=changed(presented.query, features=features)),
    )


def both(accepted, *, record=RECORD, its=ITS, incomes=(5805, 58058), receipts=(RECEIVED, LATER)):
    first = checked(accepted, "first", receipts[0], record, incomes[0])
    return first, checked(accepted, "second", receipts[1], its, incomes[1])


def test_a_pair_is_one_whichever_is_named_first(accepted):
    """The line says which followed which."""
    one, other = both(accepted)
    said = "decision second was made with income of decision first put right"
    assert (check_pair(one, other), check_pair(other, one)) == (said, said)


def test_a_decision_in_the_middle_has_two_pairs(accepted):
    """The one that led to it and the one that followed are both found."""
    first, second = both(accepted)
    later = changed(LATER, time="2026-03-05T11:00:00Z", salt="5c" * 32)
    follows = changed(RECORD, other="third", other_receipt=later.digest)
    middle = replace(second, package=replace(second.package, corrections=(ITS, follows)))
    last = changed(ITS, other="second", other_receipt=LATER.digest)
    third = checked(accepted, "third", later, last, 60000)
    assert check_pair(middle, first).startswith("decision second was made with income of decision first")
    assert check_pair(third, middle).startswith("decision third was made with income of decision second")


NO_PAIRS = {
    "no record here": {"record": None},
    "no record there": {"its": None},
    "another decision": {"record": changed(RECORD, other="third")},
    "another receipt": {"record": changed(RECORD, other_receipt="0" * 64)},
    "another receipt there": {"its": changed(ITS, other_receipt="0" * 64)},
    "both the first": {"its": changed(ITS, place="first")},
    "the wrong order": {"receipts": (changed(RECEIVED, time="2026-03-04T12:00:00Z"), LATER)},
    "no receipt": {"receipts": (None, LATER)},
    **{
        f"another {field}": {"its": changed(ITS, **{field: value})}
        for field, value in (
            ("asked", "2026-03-05"), ("request", "x"), ("changed", ("housing",)), ("name", "B. Weber"),
            ("recorded", "2026-03-04T11:31:00Z"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", NO_PAIRS)
def test_what_does_not_name_each_other_is_no_pair(accepted, name):
    """Under whatever name the owner gives it."""
    fields = dict(NO_PAIRS[name])
    if name == "the wrong order":  # which the receipt's name alone would not show
        fields["its"] = changed(ITS, other_receipt=fields["receipts"][0].digest)
    with pytest.raises(PackageError, match="do not name each other") as caught:
        check_pair(*both(accepted, **fields))
    assert caught.value.reason == "other-pair"


@pytest.mark.parametrize("incomes", [(58058, 58058), (58058, "58058.0")])
def test_what_was_put_right_must_differ(accepted, incomes):
    """The words of both packages agree, and the details are the same."""
    with pytest.raises(PackageError, match="not those that differ") as caught:
        check_pair(*both(accepted, incomes=incomes))
    assert caught.value.reason == "other-pair"


@pytest.mark.parametrize(
    "record",
    [
        changed(RECORD, other=""), changed(RECORD, other="a\nb"), changed(RECORD, other_receipt="x"),
        changed(RECORD, asked="2026-02-30"), changed(RECORD, recorded="2026-03-04"), changed(RECORD, changed=()),
    ],
)  # fmt: skip
def test_a_record_has_one_form(record):
    """Another one is refused by the name of the field, and so are two records in one place."""
    for records in ((record,), (RECORD, RECORD)):
        with pytest.raises(CertificateFormatError, match="field corrections"):
            package(corrections=records).to_bytes()


def test_a_place_is_one_of_two():
    """A third one is not read."""
    data = package(corrections=(RECORD,)).to_bytes()
    assert parse_package(data, "p").corrections == (RECORD,)
    assert data.count(b'"place":"first"') == 1
    with pytest.raises(CertificateFormatError):
        parse_package(data.replace(b'"place":"first"', b'"place":"third"'), "p")
