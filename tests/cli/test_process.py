"""The program as a process of its own: start-up, pipes, terminals, Ctrl-C, faults nobody foresaw."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from checks.pseudo_terminal import Emulated
from ordermade.cli.exit_status import exit_status_of
from tests.cli.conftest import done_in, leaks, write_request

pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-m", "ordermade"]


@pytest.fixture
def place(registered: Path, folder: Path) -> Path:
    """A copy of the folder where everything is registered; the working directory."""
    shutil.copytree(registered, folder, dirs_exist_ok=True)
    return folder


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, check=False, timeout=120, env=os.environ | environment
    )


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)], ids=" ".join)
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    code = (
        "import sys\n"
        "from ordermade.cli.main import app\n"
        "try: app(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'duckdb', 'pandas', 'numpy', 'sqlglot', 'pydantic', 'yaml', 'rich.console'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or None)"
    )

    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_commands_on_the_state_alone_import_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from ordermade.cli.main import app\n"
        "heavy = ('ordermade.engine', 'pandas', 'numpy', 'sqlglot')\n"
        "for words in (['init'], ['state', 'status'], ['audit', 'list']):\n"
        "    try: app(['--state', sys.argv[1], *words])\n"
        "    except SystemExit: pass\n"
        "    loaded = [each for each in heavy if each in sys.modules]\n"
        "    if loaded: sys.exit(f'{words} imports {loaded}')\n"
        "    heavy = heavy[:2]\n"  # init needs least
    )
    state = str(tmp_path / "state.sqlite")

    done = subprocess.run([sys.executable, "-c", code, state], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def imported(place: Path, noun: str, *heavy: str) -> str:
    """Which of these modules a command on the request of a place imports; a fault of the command."""
    code = (
        "import sys\n"
        "from ordermade.cli.main import app\n"
        f"try: app(['request', {noun!r}, 'request.yaml'])\n"
        "except SystemExit as ended: status = ended.code\n"
        f"sys.exit(status or ', '.join(sorted(set({heavy!r}) & set(sys.modules))) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.splitlines()[-1]  # a notice may stand before it


def test_a_prediction_imports_nothing_that_counts(place: Path) -> None:
    """It looks at the catalog of the source, so that it says what is gone, and reads the state: no row is counted."""
    write_request(place / "request.yaml")

    assert imported(place, "predict", "pandas", "ordermade.counting.oracle", "ordermade.release.rows") == ""


def test_a_list_of_offers_that_was_kept_imports_no_search(place: Path) -> None:
    write_request(place / "request.yaml", k=10, end=1)
    searching = ("numpy", "ordermade.search", "ordermade.offers.finding", "ordermade.counting.oracle")

    assert imported(place, "offers", *searching) == ", ".join(sorted(searching))
    assert imported(place, "offers", *searching) == ""


def test_exit_statuses_of_the_process(place: Path) -> None:
    write_request(place / "refused.yaml", k=100, end=1)
    write_request(place / "bad.yaml", k=1)

    statuses = [
        run("request", "run", "refused.yaml").returncode,
        run("request", "run", "bad.yaml").returncode,
        run("--state", "missing.sqlite", "request", "run", "request.yaml").returncode,
    ]

    assert statuses == [1, 2, 3]


def test_json_on_a_pipe_is_all_there_is_on_stdout_and_nothing_on_stderr(place: Path) -> None:
    done = run("request", "run", "request.yaml", "--json")

    assert json.loads(done.stdout)["status"] == "released"
    assert (done.stderr, done.returncode) == (b"", 0)


@pytest.mark.parametrize(
    "encoding", ["cp932", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("ascii", "latin-1"))]
)
def test_a_terminal_that_is_not_utf_8_is_shown_what_it_can_show(place: Path, encoding: str) -> None:
    (place / "県.csv").write_text("東京;関東;*\n大阪;関西;*\nÅrø;ø;*\n", encoding="utf-8")
    assert run("hierarchy", "add", "県", "県.csv", PYTHONIOENCODING=encoding).returncode == 0

    screen = run("hierarchy", "show", "県", PYTHONIOENCODING=encoding)
    document = run("hierarchy", "show", "県", "--json", PYTHONIOENCODING=encoding)
    missing = run("hierarchy", "show", "市", PYTHONIOENCODING=encoding)

    assert (screen.returncode, document.returncode, missing.returncode) == (0, 0, 2)
    assert ("東京" in screen.stdout.decode(encoding)) == (encoding == "cp932")
    assert json.loads(document.stdout.decode("ascii"))["first_values"][0]["value"] == "東京"


def test_a_reader_that_has_seen_enough_ends_it_quietly(place: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "request", "explain", "request.yaml"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()

    assert (process.returncode, said) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_a_fault(place: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*PROGRAM, "request", "schema"], stdout=full, stderr=subprocess.PIPE, check=False)

    assert done.returncode == 3
    assert done.stderr.decode().startswith("Error: the output: No space left on device")


def test_a_log_if_requested_holds_statements_and_no_value(place: Path) -> None:
    done = run("request", "run", "request.yaml", ORDERMADE_LOG="debug")
    quiet = run("request", "run", "request.yaml", ORDERMADE_LOG="info")

    log = done.stderr.decode()
    assert "ordermade.sql source: frequency set" in log
    assert "SELECT" in log
    assert not leaks(log)
    assert quiet.stderr == b""


def on_a_terminal(*arguments: str, program: str | None = None) -> tuple[int, str]:
    """Exit status and everything seen on a terminal of 80 columns; `program`: another one than ours."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", COLUMNS="80", LINES="24")
        command = [*PROGRAM, *arguments] if program is None else [program, *arguments]
        os.execv(command[0], command)
    seen = b""
    while True:
        select.select([terminal], [], [], 60)
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), seen.decode()


SHOWN_AT_ONCE = """
from ordermade.progress import terminal as terminal_progress
terminal_progress._SHOWN_AFTER = 0.0  # however fast the machine is
from ordermade.cli.main import run
run()
"""


def test_progress_is_shown_on_a_terminal_and_taken_away(place: Path) -> None:
    asked = ("request", "run", "request.yaml", "--no-rollup")
    status, seen = on_a_terminal("-c", SHOWN_AT_ONCE, *asked, program=sys.executable)

    assert status == 0
    assert re.search(r"\d+ quer(y|ies)", seen)  # how many, depends on the moment
    assert "\r\x1b[K" in seen
    screen = Emulated(80)
    screen.feed(seen)
    assert not re.search(r"^\d+:\d\d ", screen.screen(status).text, re.MULTILINE)


def test_progress_on_a_terminal_leaves_a_piped_answer_alone(place: Path) -> None:
    typed = shlex.join([*PROGRAM, "request", "run", "request.yaml", "--json"])
    status, _ = on_a_terminal("-c", f"{typed} > answer.json", program="/bin/sh")

    assert status == 0
    assert json.loads((place / "answer.json").read_text(encoding="utf-8"))["status"] == "released"


def test_refusal_on_a_terminal_is_folded_between_words(place: Path) -> None:
    write_request(place / "refused.yaml", k=100, end=1)

    status, seen = on_a_terminal("request", "run", "refused.yaml")

    assert status == 1
    refusal = seen[seen.index("Refused: ") :]
    assert "column 'age' breaks it" in " ".join(refusal.split())
    assert all(len(line) <= 80 for line in re.sub(r"\x1b\[[0-9;]*m", "", refusal).splitlines())


@contextlib.contextmanager
def a_long_request(place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`request run` in the middle of a statement over a hundred billion rows."""
    with duckdb.connect(str(place / "large.duckdb")) as connection:
        connection.execute(
            "CREATE VIEW large AS SELECT 'Zqxname' || range AS name, range AS phone, 'f' AS sex, "
            "range % 40 + 20 AS age, 'Oslo' AS city, 'a' AS plan FROM range(100000000000)"
        )
    done_in(
        place,
        ["source", "add", "large", "large.duckdb"],
        ["dataset", "add", "large", "--source", "large", "--table", "large"],
    )
    request = place / "request.yaml"
    request.write_text(request.read_text(encoding="utf-8").replace("dataset: members", "dataset: large"), "utf-8")
    with subprocess.Popen(
        [*PROGRAM, "request", "run", "request.yaml"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"ORDERMADE_LOG": "debug"},
    ) as process:
        try:
            assert process.stderr is not None
            while b"source: catalog" not in process.stderr.readline():  # the source is open: its version comes next
                assert process.poll() is None
            time.sleep(1)
            yield process
        finally:
            process.kill()


def test_ctrl_c_in_a_long_statement_stops_and_leaves_nothing(place: Path) -> None:
    with a_long_request(place) as process:
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=20)

    assert process.returncode == 130
    assert said.decode().endswith("Stopped: nothing was left half written.\n")
    assert b"Traceback" not in said
    assert out == b""
    assert not (place / "out").exists() or not list((place / "out").iterdir())
    done_in(place, ["state", "verify"], ["request", "list"])


def test_a_second_ctrl_c_does_not_wait(place: Path) -> None:
    with a_long_request(place) as process:
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

    assert process.returncode in {130, -signal.SIGINT}
    done_in(place, ["state", "verify"])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ZeroDivisionError("Zqxname"), MemoryError("Zqxname")], ids=repr)
def test_what_nobody_foresaw_is_one_message_without_its_words(
    error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise error

    status = exit_status_of(broken)

    said = capsys.readouterr().err
    assert status == (130 if isinstance(error, KeyboardInterrupt) else 3)
    assert "Traceback" not in said
    assert not leaks(said)
    assert said.count("\n") == 1
    begin = {KeyboardInterrupt: "Stopped: ", MemoryError: "Error: the memory is used up"}
    assert said.startswith(begin.get(type(error), f"Error: an unexpected {type(error).__name__}"))


def test_the_traceback_of_what_nobody_foresaw_is_there_for_those_who_debug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDERMADE_LOG", "debug")

    assert exit_status_of(lambda: 1 // 0) == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_are_no_error(closed: str) -> None:
    done = subprocess.run(["sh", "-c", f'"$@" --version {closed}', "sh", *PROGRAM], capture_output=True, check=False)

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_a_command_imports_its_own_noun_alone() -> None:
    code = (
        "import sys\n"
        "from ordermade.cli.main import app\n"
        "try: app(['request', 'check', 'missing.yaml'])\n"
        "except BaseException: pass\n"
        "print(*(each for each in sys.modules if each.startswith('ordermade.cli.')))"
    )

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert "ordermade.cli.request" in loaded
    assert not {"ordermade.cli.hierarchy", "ordermade.cli.release", "ordermade.cli.measure"} & set(loaded)
