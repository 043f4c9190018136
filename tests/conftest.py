"""What every test can lean on: the order of the suite, one printed seed, the public data sets."""

from __future__ import annotations

import atexit
import gc
import os
import re
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.durations import UNKNOWN, file_of, recorded, seconds_of_files

# Read when numpy is first imported, by this process and those it starts: there is a process a core already, and threads
# that wait for a core spin, so that a product of small matrices takes forty times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

REPOSITORY = Path(__file__).resolve().parents[1]

pytest_plugins = ["tests.time_left", "tests.services.fixtures", "tests.spark.fixtures"]

# Where no bytecode is to be written beside the sources, what the workers of xdist and the programs that tests start
# compile is kept elsewhere: each of them would compile every module anew, for half a second.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(REPOSITORY / ".pytest_cache" / "bytecode"))

# What a shell starts with `&` ignores Ctrl-C, and so does all that it starts: tests that interrupt would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

FOLDERS = ("unit", "properties", "golden", "cli", "conformance", "papers", "faults", "services", "browser")
"""Fast first: what fails soonest should be told soonest."""

DEFAULT_SEED = 20131001

settings.register_profile(
    "default",
    derandomize=True,
    deadline=None,
    print_blob=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", settings.get_profile("default"), derandomize=False, max_examples=1_000)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")
settings.load_profile(PROFILE)

# The constants of whatever modules are imported are no part of the examples: they would differ with the tests that run
# beside a test, and every process would read the whole source for them, for five seconds.
vars(providers)["_get_local_constants"] = lambda: vars(providers)["_local_constants"]

_OF_A_FILE = re.compile(r"^pytestmark = .*$", re.MULTILINE)
_LEFT_OUT = re.compile(r"\bnot (\w+)")


def _seed() -> int:
    return int(os.environ.get("ORDERMADE_TEST_SEED", DEFAULT_SEED))


def pytest_report_header() -> str:
    """Say what a failure needs to be repeated."""
    return f"seed: {_seed()} (ORDERMADE_TEST_SEED), hypothesis profile: {PROFILE} (HYPOTHESIS_PROFILE)"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of tests whose mark, which all of its tests have, leaves it out."""
    chosen: str = config.getoption("markexpr") or ""
    left_out = set() if re.search(r"\bor\b|\(", chosen) else set(_LEFT_OUT.findall(chosen))
    if not left_out or collection_path.suffix != ".py" or not collection_path.is_file():
        return None
    mark = _OF_A_FILE.search(collection_path.read_text(encoding="utf-8"))
    return True if mark is not None and left_out & set(re.findall(r"pytest\.mark\.(\w+)", mark[0])) else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Collect from the other end in every second process: of what is to be compiled first, each compiles a half."""
    report = yield
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if isinstance(collector, pytest.Directory) and int(worker.removeprefix("gw")) % 2:
        report.result.reverse()
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the folders in the order of FOLDERS, slow tests last, of these the longest files first.

    A process that came to a long file at the end would leave the others idle: a file that no run recorded may be one,
    and comes before most. Every process has the same order.
    Of tables of figures that take minutes, the whole is run where ORDERMADE_WHOLE_TABLES is set, else a part.
    """
    if not os.environ.get("ORDERMADE_WHOLE_TABLES"):
        left_out = [item for item in items if item.get_closest_marker("whole")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]

    seconds = seconds_of_files(items, recorded(), UNKNOWN)

    def rank(item: pytest.Item) -> tuple[bool, float, int, str]:
        file = file_of(item)
        folder = file.split("/")[1]
        place = FOLDERS.index(folder) if folder in FOLDERS else len(FOLDERS)
        slow = item.get_closest_marker("slow") is not None
        return slow, -seconds[file] if slow else 0.0, place, file

    items.sort(key=rank)


def pytest_collection_finish() -> None:
    """Leave what was collected, millions of objects, out of every later collection of garbage.

    But for the last one of the interpreter: libraries in C report as leaked what it does not free.
    """
    from ordermade.cli.main import OBJECTS_BETWEEN_COLLECTIONS

    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    gc.freeze()
    atexit.register(gc.unfreeze)


@pytest.fixture(scope="session")
def seed() -> int:
    """The seed of everything random in a test: fixed, printed, changed by ORDERMADE_TEST_SEED."""
    return _seed()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets and their published figures; without it the test is skipped."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the public data sets in shared/data beside the repository")
    return folder


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test ever touches the state of whoever runs it."""
    monkeypatch.delenv("ORDERMADE_STATE", raising=False)
