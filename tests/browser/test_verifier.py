"""The TypeScript verifier in a real browser: the verdicts of the vectors, and nothing is asked of anybody."""

import json

import msgspec
import pytest

from tests.browser import checker
from tests.vectors.vector import BundleVector, CertificateVector, ProofVector, bundle_paths, paths, read
from tests.web import test_bundles, test_verifier_package
from tests.web.web import HERE, SIGNING, kept_package, refuse_or_skip

LOAD = """
  const load = (id) =>
    import(URL.createObjectURL(new Blob([document.getElementById(id).textContent], { type: "text/javascript" })));
  console.warn = () => {};
  window.judging = Promise.all(["bundle", "signing", "judge"].map(load)).then(([product, signing, { judge }]) => {
    const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const [plain, signers] = [product, signing].map((one) => judge(one, bytes, hex));
    return (asked) => asked.map(([command, words]) => {
      const commands = words.policy?.signed_by ? signers : plain;
      try { commands[command](words); return [null, null]; } catch (error) { return [error.name, error.reason]; }
    });
  });
"""
ASK = "judging.then((judged) => judged(%s))"


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """A page that holds the verifier, without and with signers, and may load nothing."""
    refuse_or_skip()
    folder = tmp_path_factory.mktemp("page")
    policy = "default-src 'none'; script-src 'unsafe-inline' blob:"
    bundle = kept_package()
    scripts = {"bundle": bundle, "signing": bundle.with_name(SIGNING), "judge": HERE / "judge.mjs"}
    parts = [f'<script type="text/plain" id="{name}">{path.read_text()}</script>' for name, path in scripts.items()]
    (folder / "page.html").write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"{''.join(parts)}<script>{LOAD}</script>"
    )
    browser.show(folder / "page.html")
    return browser


def asked(vector):
    """Return the command that a vector is."""
    match vector:
        case ProofVector():
            names = ("key", "digest", "proof")
            parts = dict(zip(names, (part.hex() for part in vector.parts()), strict=True))
            return "proof", parts | {"system": vector.proof_system}
        case CertificateVector():
            files = {file: data.hex() for file, data in vector.files().items()}
            return "certificate", {"files": files, "policy": msgspec.to_builtins(vector.policy)}
        case _:
            return "bundle", test_bundles.question(vector)


def wanted(vector):
    """Return the exception and the reason of a vector."""
    if isinstance(vector, ProofVector):
        return test_verifier_package.RAISES[vector.verdict], vector.reason
    return vector.exception, vector.reason


def vectors(kind):
    """Return the vectors of a kind."""
    return [vector for vector in map(read, [*paths(), *bundle_paths()]) if isinstance(vector, kind)]


def of_the_one_file(kind):
    """Return the vectors of a kind that the one file judges as a whole: it leaves a recourse to the module of boxes."""
    return [one for one in vectors(kind) if not (kind is BundleVector and one.base == "recourse")]


def agree(page, listed):
    """Fail unless the browser's verdicts are those of the vectors."""
    found = page.js(ASK % json.dumps([asked(vector) for vector in listed]))
    for vector, (exception, reason) in zip(listed, found, strict=True):
        assert (exception, reason) == wanted(vector), vector.what


@pytest.mark.parametrize("kind", [ProofVector, CertificateVector, BundleVector])
def test_one_of_each_reason(page, kind):
    """A vector that is accepted, and one for each reason of a refusal, have the verdict of the file."""
    one = {vector.reason: vector for vector in reversed(of_the_one_file(kind))}
    assert len(one) > 8
    agree(page, list(one.values()))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ProofVector, CertificateVector, BundleVector])
def test_every_vector(page, kind):
    """Every vector has the verdict and the reason of the file."""
    listed = of_the_one_file(kind)
    assert len(listed) > 100
    agree(page, listed)


def test_nothing_leaves_the_page(page):
    """The page has asked for itself and its own parts, and complained of nothing."""
    log = page.log()
    assert [address for address in log["asked"] if not address.startswith(("file:", "blob:"))] == []
    assert log["said"] == []


@pytest.mark.slow
def test_every_bundle_through_the_page(browser, checking):
    """Given to the page, a bundle has the outcome that follows from its file, where that asks for nothing else."""
    browser.show(checking)
    alone = [
        one for one in vectors(BundleVector) if not msgspec.to_builtins(one.policy) | msgspec.to_builtins(one.given)
    ]
    # A certificate that comes alone is one, and waits for its companions.
    listed = [one for one in alone if not one.data().startswith(b'{"format":"equiproof-certificate"')]
    assert len(listed) > 60
    for vector in listed:
        browser.js("document.querySelector('h1').remove()")
        browser.choose(selector=checker.GIVEN, files=checker.named(vector.data()))
        browser.wait(selector=checker.OUTCOME)
        exception, reason = wanted(vector)
        if exception is None:
            assert browser.js("document.querySelector('.verdict').className") == "verdict open", vector.what
        else:
            # A file without the first bytes of an archive is read as a certificate, and is none.
            text = browser.js("document.querySelector('.facts dd').textContent")
            assert text.startswith((reason, "not-json" if reason == "not-a-bundle" else reason)), (vector.what, text)
