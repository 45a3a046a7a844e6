"""Rules for all tests: no network, no access to the user's folders, Qt offscreen, waiting threads don't spin."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from jokejudge_gui.core.paths import Profile

ROOT = Path(__file__).resolve().parent.parent
GUARD = ROOT / "tests" / "guard"

sys.path.insert(0, str(GUARD))
import no_network  # noqa: E402  (its folder is put on the path just above)

# Taken before the folders are redirected: the embedded model is prepared once for the user, not once for each run.
# Processes of pytest-xdist start with folders that are redirected already, so the first ones are passed on to them.
_REAL_DATA = Path(os.environ.setdefault("JOKEJUDGE_TESTS_DATA", str(Profile.default().data)))

hypothesis_settings.register_profile("jokejudge", deadline=None, database=None, derandomize="CI" in os.environ)
hypothesis_settings.load_profile("jokejudge")


_IN_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30


def _use_memory() -> None:
    """Keep the tests' files in memory where there is room: a history that is synced to a disk with each change takes
    most of a test's time, and power cuts aren't tested."""
    if not _IN_MEMORY.is_dir() or os.statvfs(_IN_MEMORY).f_flag & os.ST_NOEXEC:
        return
    if shutil.disk_usage(_IN_MEMORY).free >= _ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_IN_MEMORY)


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(50_000, 20, 20)  # as jokejudge_gui.cli does before it imports the program
    _use_memory()
    home = Path(tempfile.mkdtemp(prefix="jokejudge-tests-"))
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    for variable, folder in {
        "HOME": "home",
        "XDG_DATA_HOME": "data",
        "XDG_CONFIG_HOME": "config",
        "XDG_CACHE_HOME": "cache",
        "XDG_STATE_HOME": "state",
        "XDG_RUNTIME_DIR": "run",
    }.items():
        (home / folder).mkdir(mode=0o700)
        os.environ[variable] = str(home / folder)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["PYTHONPATH"] = os.pathsep.join([str(GUARD), str(ROOT)])
    os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
    no_network.install()


SLOW = {
    "test_audit_killed.py", "test_cluster.py", "test_editor_command.py", "test_editor_learner.py",
    "test_hostile_calls.py", "test_long_contest.py", "test_planted_judges.py", "test_python_page.py",
    "test_template_killed.py",
}  # fmt: skip
"""Files of tests that start, kill or connect processes, or fit heads: seconds each."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.name in SLOW:
            item.add_marker("slow")
        for name in ("ui", "live"):
            if item.path.is_relative_to(ROOT / "tests" / name):
                item.add_marker(name)
    if "PYTEST_XDIST_WORKER" in os.environ:
        # The long files first: started last, one of them would keep a process busy that the others wait for.
        items.sort(key=lambda item: next((n for n, name in enumerate(_ORDER) if item.get_closest_marker(name)), 3))


_ORDER = ("live", "slow", "ui")
"""Markers that run before the other unit tests, of which no file takes long."""


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # the tests and what they imported stay to the end; no collection of a test's garbage looks at them


@pytest.fixture(autouse=True)
def process_as_before() -> Iterator[None]:
    """Commands of the terminal run in this process, and change it for what they take to be the rest of its time: how
    much garbage is let lie, what is done at its end. It is put back, so that no test depends on what ran before."""
    collected, thresholds, turn = gc.isenabled(), gc.get_threshold(), sys.getswitchinterval()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    (gc.enable if collected else gc.disable)()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(turn)
    atexit.unregister(gc.freeze)
    for number, handler in handlers.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    """A throw-away profile; its folders don't exist yet."""
    return Profile.at(tmp_path / "profile")


@pytest.fixture(scope="session")
def embedded_model() -> Path:
    """The embedded model's GGUF file in the user's real data folder, prepared there if it wasn't yet."""
    from jokejudge_gui.core.errors import JokeJudgeError
    from jokejudge_gui.library.embedded import ensure_embedded

    try:
        return ensure_embedded(Profile(_REAL_DATA, _REAL_DATA, _REAL_DATA))
    except JokeJudgeError as error:
        pytest.fail(f"The embedded model isn't there: {error} Run python3 packaging/test.py, which prepares it.")
