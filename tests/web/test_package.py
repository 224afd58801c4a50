"""The TypeScript package as its users get it: typed strictly, small, packed, and used from a project of their own."""

import gzip
import json
import re
import shutil

import pytest

from equiproof.verifier.notes import Signer
from tests.support import LOANS, ROOT
from tests.web.box_files import files_of, opened_box, statement_of
from tests.web.web import BUNDLE, PACKAGE, run

GOLDEN = ROOT / "tests" / "golden" / "loans"
README = (PACKAGE / "README.md").read_text()
MOST, MOST_GZIPPED = 113_400, 43_200
DEPENDENCIES = ["@noble/curves", "@noble/hashes"]

TYPED = """
import { type Reason, UnsafeNoPolicy, verify, type Verified, VerificationError } from "@equiproof/verifier";
export function judge(bytes: Uint8Array): Verified | Reason {
  try {
    const keys = [{ document: bytes, verifying: undefined }];
    return verify({ certificate: bytes, commitment: bytes, keys }, new UnsafeNoPolicy());
  } catch (error) {
    if (error instanceof VerificationError) return error.reason;
    throw error;
  }
}
"""
"""A program that uses the types."""


def test_it_compiles_strictly(bundle):
    """`npm run check` finds nothing."""
    run("npm", "run", "--silent", "check")


def test_a_page_loads_little(bundle):
    """The one file has at most 113.4 KB, and 43.2 KB compressed; the licences of what it holds are beside it."""
    data = (bundle.parent / BUNDLE).read_bytes()
    assert len(data) <= MOST
    assert len(gzip.compress(data, 9)) <= MOST_GZIPPED
    assert {path.name for path in bundle.parent.glob("*LICENSE")} == {"LICENSE", "names.LICENSE"}


def test_the_bundle_needs_nothing(bundle):
    """The one file imports nothing, and neither fetches nor evaluates anything."""
    text = (bundle.parent / BUNDLE).read_text()
    assert not re.search(
        r"\bimport\b|\brequire\(|\bfetch\(|XMLHttpRequest|WebSocket|\beval\(|new Function|localStorage", text
    )


@pytest.fixture(scope="module")
def project(bundle, tmp_path_factory):
    """A project that has installed the packed package and the ones that it needs, without a network."""
    folder = tmp_path_factory.mktemp("project")
    # What an earlier build left must not be packed: packing builds.
    shutil.rmtree(PACKAGE / "dist", ignore_errors=True)
    (packed,) = json.loads(run("npm", "pack", "--json", "--silent", "--pack-destination", folder))
    (folder / "package.json").write_text('{"name": "project", "private": true, "type": "module"}')
    options = ("--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    needed = [PACKAGE / "node_modules" / name for name in DEPENDENCIES]
    run("npm", "install", *options, "--install-links", *needed, f"./{packed['filename']}", folder=folder)
    return folder


@pytest.mark.slow
def test_the_readmes_example(project):
    """The example of the README runs as it stands there, and has at most ten lines after its imports."""
    (example,) = re.findall(r"```js\n(.*?)```", README, re.DOTALL)
    assert len(example.strip().splitlines()) <= 12
    (project / "example.js").write_text(example)
    shutil.copytree(GOLDEN, project / "certificate")
    said = run("node", "example.js", folder=project)
    assert said.startswith("No change of sex, and no change of the other features closer than 1.398437")
    assert "it is about the data in the query file" in said
    (project / "certificate" / "commitment.json").write_bytes(
        (GOLDEN.parent / "rates" / "commitment.json").read_bytes()
    )
    with pytest.raises(AssertionError, match="reason: 'model-differs'"):
        run("node", "example.js", folder=project)


@pytest.mark.slow
def test_the_one_file_is_a_module_of_the_package(project):
    """The one file with everything inside is found by its name."""
    script = 'import("@equiproof/verifier/one-file").then((all) => console.log(typeof all.verify))'
    assert run("node", "-e", script, folder=project).strip() == "function"


@pytest.mark.slow
def test_answers_are_a_module_of_the_package(project):
    """Words for people are found by their name, and work on what the verifier found."""
    script = """import { parseCommitment } from "@equiproof/verifier";
import { answerOf, refusal } from "@equiproof/verifier/answers";
import { readFileSync } from "node:fs";
const { spec } = parseCommitment(readFileSync(process.argv[1]));
const key = { setup: "single-party", parties: 0, imported: false };
const found = { spec, label: 1, radiusSquared: 0n, key, pins: { model: null, key: false } };
console.log(answerOf(found, "en").sentences[0]);
console.log(refusal("pairings-differ", "", "de").heading);"""
    said = run("node", "--input-type=module", "-e", script, GOLDEN / "commitment.json", folder=project)
    assert said.splitlines() == [
        "The model in this certificate decided: \u2068granted\u2069.",
        "Dieses Zertifikat ist nicht gültig.",
    ]


@pytest.mark.slow
def test_gains_are_a_module_of_the_package(project):
    """Gain certificates are verified by a module of their own, which works with the policies of the others."""
    script = """import { AllOf, ForQuery, parseQuery } from "@equiproof/verifier";
import { GainOf, MinGain, verifyGain } from "@equiproof/verifier/gain";
import { readFileSync } from "node:fs";
const read = (name) => readFileSync(`${process.argv[1]}/${name}`);
const keys = [{ document: read("keys/key/key.json"), verifying: read("keys/key/verifying.key") }];
const about = new ForQuery(parseQuery(read("query.json")));
const policy = new AllOf(about, new MinGain("0.5"), new GainOf("declined", { sex: "m" }, { sex: "f" }));
const found = verifyGain({ certificate: read("gain.json"), commitment: read("commitment.json"), keys }, policy);
console.log(found.sentence);"""
    said = run("node", "--input-type=module", "-e", script, GOLDEN.parent / "gain", folder=project)
    assert "log odds of declined are higher by at least 0.619335 with sex m than with sex f." in said


@pytest.mark.slow
def test_boxes_are_a_module_of_the_package(project, tmp_path):
    """Box certificates are verified by a module of their own, which works with the policies of the others."""
    script = """import { AllOf, ForContext, parseContext } from "@equiproof/verifier";
import { parseOpenedBox, verifyBox } from "@equiproof/verifier/box";
import { readFileSync } from "node:fs";
const read = (name) => readFileSync(`${process.argv[1]}/${name}`);
const keys = [{ document: read("keys/key/key.json"), verifying: read("keys/key/verifying.key") }];
const policy = new AllOf(new ForContext(parseContext(read("context.json"))));
const asked = { opened: parseOpenedBox(read("opened.json")), label: "granted" };
const files = { certificate: read("box.json"), commitment: read("commitment.json"), keys };
const found = verifyBox(files, policy, asked);
console.log(found.sentence, found.ends.get("housing"));"""
    box = opened_box({"income": (1, 40000), "housing": ("rent",)})
    for name, data in files_of(LOANS, box, statement_of(LOANS, box)).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    said = run("node", "--input-type=module", "-e", script, tmp_path, folder=project)
    sentence = "Everybody in the box of this certificate is decided granted by this model, whatever the listed value of"
    assert said.strip() == f"{sentence} sex is. rent"


@pytest.mark.slow
def test_only_what_needs_signatures_loads_other_packages(project):
    """Of the modules that users import, those about signers and beacons alone name a package; they run in a project."""
    built = project / "node_modules" / "@equiproof" / "verifier" / "dist"
    loading = {
        path.name: re.findall(r'^import .* from "([^.].*)";$', path.read_text(), re.M) for path in built.glob("*.js")
    }
    assert {name for name, packages in loading.items() if packages} == {"drand.js", "signers.js"}
    assert {"/".join(one.split("/")[:2]) for one in loading["signers.js"]} == set(DEPENDENCIES)
    assert json.loads((PACKAGE / "package.json").read_text())["dependencies"].keys() == set(DEPENDENCIES)
    script = """import { parseNote, VerifierKey, whoSigned } from "@equiproof/verifier/signers";
const [note, key] = process.argv.slice(1);
console.log(whoSigned(parseNote(new TextEncoder().encode(note)), [VerifierKey.parse(key)]).map(({ name }) => name));"""
    lot = json.loads((ROOT / "tests" / "vectors" / "lot.json").read_bytes())["rounds"][0]
    beacon = """import { randomness } from "@equiproof/verifier/drand";
const [round, signature] = process.argv.slice(1);
console.log(Buffer.from(randomness(BigInt(round), Buffer.from(signature, "hex"))).toString("hex"));"""
    words = ("node", "--input-type=module", "-e", beacon, str(lot["round"]), lot["signature"])
    assert run(*words, folder=project).strip() == lot["randomness"]
    signer = Signer.new("anna")
    said = run("node", "--input-type=module", "-e", script, signer.sign("a\n"), signer.verifier.text, folder=project)
    assert said.strip() == "[ 'anna' ]"


@pytest.mark.slow
def test_its_types_are_used(project):
    """A strict program compiles against the types of the packed package."""
    (project / "judge.ts").write_text(TYPED)
    options = ("--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom")
    compiler = PACKAGE / "node_modules" / "typescript" / "bin" / "tsc"
    run("node", compiler, *options, "judge.ts", folder=project)
    (project / "judge.ts").write_text(TYPED.replace("Verified | Reason", "string"))
    with pytest.raises(AssertionError, match="TS2322"):
        run("node", compiler, *options, "judge.ts", folder=project)


@pytest.mark.slow
def test_what_is_packed(project):
    """The package holds what was built, its licences and its README, and neither sources nor tests."""
    installed = project / "node_modules" / "@equiproof" / "verifier"
    found = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    declared = {name for name in found if name.endswith(".d.ts")}
    shared = {name for name in found if re.fullmatch(r"dist/shared-\w{8}\.js", name)}
    assert declared >= {"dist/index.d.ts", "dist/verify.d.ts"}
    assert shared
    assert found - declared - shared == {
        "package.json", "README.md", "dist/index.js", "dist/answers.js", "dist/box.js", "dist/drand.js",
        "dist/gain.js", "dist/german.js", "dist/lot.js", "dist/signers.js", f"dist/{BUNDLE}",
        "dist/LICENSE", "dist/names.LICENSE",
    }  # fmt: skip
    assert sum((installed / name).stat().st_size for name in found) < 733_000
