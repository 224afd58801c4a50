"""Bundles in the TypeScript verifier: every vector with the verdict, the reason and the pins of the other verifiers."""

import pytest
from msgspec.structs import replace

from equiproof.verifier import CertificateFormatError, PolicyError, TrustStore, parse_bundle, verify_bundle
from equiproof.verifier.archive import MAX_ENTRIES, archived, entries
from equiproof.verifier.documents import parse_key
from equiproof.verifier.trust import TrustedKey
from tests.support import no_policy
from tests.vectors.vector import BUNDLES, COMMITMENT, GOLDEN, KEY, VERIFYING, bundle_base, bundle_paths, place, read
from tests.verifier.test_bundle_vectors import judged
from tests.web.test_verifier_package import running
from tests.web.web import spoken

VECTORS = {path.relative_to(BUNDLES).with_suffix("").as_posix(): read(path) for path in bundle_paths()}


def question(vector):
    """Return what is asked about a bundle."""
    policy = {name: value for name in vector.policy.__struct_fields__ if (value := getattr(vector.policy, name))}
    own = {}
    if vector.given.commitment is not None:
        own["commitment"] = (GOLDEN / vector.given.commitment / COMMITMENT).read_bytes().hex()
    if vector.given.keys is not None:
        folder = GOLDEN / vector.given.keys
        own["keys"] = [
            {"document": (folder / KEY).read_bytes().hex(), "verifying": (folder / VERIFYING).read_bytes().hex()}
        ]
    return {"data": vector.data().hex(), "own": own, "policy": policy}


def asked(package, vector):
    """Return the answer about a bundle."""
    return package.ask("bundle", **question(vector))


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", VECTORS)
def test_bundles(request, name, language):
    """In each language, a bundle is accepted with the pins that the file states, or refused as it says."""
    vector = VECTORS[name]
    # A recourse is verified by the module of boxes.
    package = request.getfixturevalue("signing" if vector.base == "recourse" else running(vector))
    with spoken(package, language):
        answer = asked(package, vector)
    assert (answer.get("exception"), answer.get("reason")) == (vector.exception, vector.reason), answer
    if vector.verdict == "accept":
        assert answer["value"]["pins"] == {"commitment": vector.pinned.commitment, "key": vector.pinned.key}
    else:
        assert ((vector.field or "") if language == "en" else place(vector)) in answer["message"]
        assert answer["message"].isprintable()


@pytest.mark.parametrize("name", ["recourse", "recourse-none", "recourse-within-wishes"])
def test_recourses_are_verified_as_in_python(signing, name):
    """What each box says, what was checked of it and what was not, with own keys and without, to the word."""
    vector = VECTORS[f"accept/{name}"]
    whole = parse_bundle(vector.data(), name)
    keys = [(whole.key, whole.verifying_key), (whole.box_key, whole.box_verifying_key)]
    for own in (keys[:0], keys[:1], keys):
        given = [{"document": key.hex(), "verifying": verifying.hex()} for key, verifying in own]
        store = (
            TrustStore([TrustedKey.of(parse_key(key, "k"), data, b"", "v", "k") for key, data in own]) if own else None
        )
        found = signing.ask("bundle", data=vector.data().hex(), own={"keys": given} if own else {}, policy={})["value"]
        verified = verify_bundle(vector.data(), no_policy(), keys=store)
        for box in found["recourse"]:
            box["notMade"] = [line.partition(" (")[0] for line in box["notMade"]]
        assert found["recourse"] == [
            {
                "name": name,
                "isNone": box.pair.side == "none",
                "answer": box.pair.sentence,
                "made": list(box.made),
                "notMade": [line.partition(" (")[0] for line in box.not_made],
                "pins": {"commitment": False, "key": box.pins.key},
            }
            for name, box in verified.recourse
        ]


def test_the_one_file_leaves_a_recourse_open(package):
    """It verifies the refusal alone, and names the boxes among what was not checked."""
    for name in ("accept/recourse", "reject/recourse-unproven"):
        found = asked(package, VECTORS[name])["value"]
        assert found["notMade"][-1] == "that the box certificates that came with it hold (verify the bundle alone)"
        assert "recourse" not in found
    refused = asked(package, VECTORS["malformed/recourse-without-way-2-box"])
    assert refused["reason"] == "wrong-files"


def test_too_few_signers_are_counted(signing):
    """The refusal says how many of the accepted signers signed, and how many are required, as in Python."""
    vector = VECTORS["reject/forgers-key-without-signers"]
    with pytest.raises(PolicyError) as caught:
        judged(vector, "native")
    assert asked(signing, vector)["message"] == str(caught.value)


def test_signers_are_named_in_their_order(signing):
    """Whichever order a policy names them in: as in Python."""
    vector = VECTORS["accept/ceremony-by-signers"]
    keys, least = vector.policy.signed_by
    for some in (keys, tuple(reversed(keys))):
        one = replace(vector, policy=replace(vector.policy, signed_by=(some, least)))
        assert asked(signing, one)["value"]["made"] == list(judged(one, "native").made)


def test_a_key_without_a_name_is_called_key(package):
    """Programs that hold a key's bytes alone name no folder."""
    own = {"keys": [{"document": "00", "verifying": ""}]}
    answer = package.ask("bundle", data=bundle_base("loans").hex(), own=own, policy={})
    assert answer["message"].startswith("key/key.json: ")


@pytest.mark.parametrize("name", ["loans", "loans-public", "ceremony", "forged"])
def test_what_is_open_comes_first(package, name):
    """What is not pinned is named first, and what a key says of its set-up is not repeated, as in Python."""
    found = package.ask("bundle", data=bundle_base(name).hex(), own={}, policy={})["value"]
    verified = verify_bundle(bundle_base(name), no_policy())
    assert found["identity"] == verified.identity
    assert found["made"] == list(verified.made)
    # What is open is named without the options of a command.
    assert [line.partition(" (")[0] for line in found["notMade"]] == [
        line.partition(" (")[0] for line in verified.not_made
    ]
    assert "came with the certificate itself" in found["notMade"][0]
    assert "whoever made the file may have made the key" in found["notMade"][1]
    assert not any(word in " ".join([*found["made"], *found["notMade"]]) for word in ("anna", "ceremony"))


def test_files_are_handed_out(package):
    """`openBundle` gives every file by its name, in order."""
    files = parse_bundle(bundle_base("loans"), "bundle").files()
    found = package.ask("files", data=bundle_base("loans").hex())["value"]
    assert found == [[name, len(content)] for name, content in files]


def refused(package, data):
    """Assert that both refuse a bundle for the same reason, in the same words, and return these."""
    with pytest.raises(CertificateFormatError) as caught:
        parse_bundle(data, "bundle")
    answer = package.ask("files", data=data.hex())
    assert (answer["exception"], answer["reason"]) == ("CertificateFormatError", str(caught.value.reason))
    assert answer["message"] == str(caught.value)
    return answer["message"]


def test_two_files_in_another_order(package):
    """All others stand where they belong."""
    listed = list(entries(bundle_base("loans"), "bundle"))
    assert "in another order" in refused(package, archived([*listed[:-2], listed[-1], listed[-2]]))


@pytest.mark.parametrize("rest", [0, 4, 20, 29, 30])
def test_the_last_entry_is_cut(package, rest):
    """Within what stands before its name, nothing is read behind the file's end."""
    data = bundle_base("loans")
    refused(package, data[: data.rfind(b"PK\3\4") + rest])


@pytest.mark.parametrize("length", [8 << 20, (8 << 20) + 1])
def test_long_files_are_refused_unread(package, length):
    """More than 8 MiB are not looked at."""
    data = bundle_base("loans") + bytes(length - len(bundle_base("loans")))
    answer = package.ask("files", data=data.hex())
    assert answer["reason"] == ("not-canonical" if length <= 8 << 20 else "too-long")


@pytest.mark.parametrize("number", [MAX_ENTRIES, MAX_ENTRIES + 1])
def test_many_entries_are_not_walked_through(package, number):
    """More entries than a bundle has are refused before their names are looked at."""
    data = archived([(f"{at}.json", b"{}") for at in range(number)])
    answer = package.ask("files", data=data.hex())
    assert answer["reason"] == "wrong-files"
    assert (f"want at most {MAX_ENTRIES} files" in answer["message"]) == (number > MAX_ENTRIES)
