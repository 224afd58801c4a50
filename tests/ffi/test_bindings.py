"""Which binding is loaded: the one that was built here, else that of the wheel; a broken one is never passed over."""

from types import SimpleNamespace

import pytest

from equiproof.ffi import backend
from equiproof.ffi.errors import BackendError

BUILT, INSTALLED = "equiproof.ffi._native", "equiproof_native._native"


def binding(abi=7):
    """Return a stand-in for a binding whose library has an ABI number; 7 is the one wanted."""
    return SimpleNamespace(lib=SimpleNamespace(ep_abi_version=lambda: abi, EP_ABI_VERSION=7))


@pytest.fixture
def there(monkeypatch):
    """A dictionary of what can be imported: a module, or the error that importing it raises."""
    found = {}

    def load(name):
        value = found.get(name) or ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])
        if isinstance(value, ImportError):
            raise value
        return value

    monkeypatch.setattr(backend, "import_module", load)
    monkeypatch.setattr(backend, "_state", dict(backend._state))
    backend._library.cache_clear()
    yield found
    backend._library.cache_clear()


def test_the_built_one_comes_first(there):
    """Where both are there, a checkout uses what it built; without it, what was installed."""
    there |= {BUILT: binding(), INSTALLED: binding()}
    assert backend._library() is there[BUILT]
    backend._library.cache_clear()
    there[BUILT] = ModuleNotFoundError("x", name=BUILT)
    assert backend._library() is there[INSTALLED]
    assert backend.available()


@pytest.mark.parametrize(
    "broken",
    [ImportError("libequiproof.so: cannot open", name=BUILT), ModuleNotFoundError("no cffi", name="cffi")],
)
def test_a_broken_one_is_named(there, broken):
    """A binding whose library or package is missing is reported with the reason, and the other one is not tried."""
    there |= {BUILT: broken, INSTALLED: binding()}
    with pytest.raises(BackendError, match=f"cannot be loaded: .*{broken}"):
        backend._library()
    assert not backend.available()


def test_another_release_is_refused(there):
    """A library with another ABI number than its binding was made for is refused."""
    there[INSTALLED] = binding(abi=6)
    with pytest.raises(BackendError, match="has ABI 6, want 7"):
        backend._library()


def test_without_any_it_says_how_to_have_one(there):
    """Neither one there: one line with the way to it."""
    with pytest.raises(BackendError, match="the native library is not built: run `make build`"):
        backend._library()
