"""Eight processes against one state; a disk that is full in the middle of a release."""

from __future__ import annotations

import json
import resource
import subprocess
from pathlib import Path

import pytest

from ordermade.release.files import manifest_of
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from tests.faults.test_kills import command, provider, request_file, whole_or_absent

PROCESSES = 8


@pytest.mark.slow
def test_eight_processes_on_one_state_all_end_with_a_result(tmp_path: Path) -> None:
    engine = provider(tmp_path)
    targets = [tmp_path / "out" / f"release{number}.parquet" for number in range(PROCESSES)]
    files = [request_file(tmp_path, number, 20 + number, target) for number, target in enumerate(targets)]
    running = [
        subprocess.Popen([*command(engine, file), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for file in files
    ]
    ended = [(*process.communicate(), process.returncode) for process in running]
    for out, told, status in ended:
        assert status == 0, told
        assert json.loads(out)["status"] == "released"
        # Where it takes long, lines of progress begin with the seconds so far; a release that lost much has a warning.
        said = ("wait", "cache", " s: ", "Warning: ")
        assert all(any(each in line for each in said) for line in told.splitlines()), told
    assert all(target.exists() and whole_or_absent(target) for target in targets)
    assert verify(engine.state_file.path, SHELL) == ()
    assert len(engine.releases.list()) == PROCESSES
    assert [each.status for each in engine.requests.list()] == ["released"] * PROCESSES


@pytest.mark.slow
def test_a_full_disk_leaves_no_release_and_a_state_that_opens(tmp_path: Path) -> None:
    engine = provider(tmp_path, rows=200_000)
    target = tmp_path / "out" / "release.csv"
    file = request_file(tmp_path, 0, 2, target)
    content = json.loads(file.read_text())
    content["allow_identifying"] = content["keep"] = ["id"]  # makes the release large: every row is its own
    file.write_text(json.dumps(content))
    largest = engine.state_file.path.stat().st_size + 1_000_000

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    full = subprocess.run(command(engine, file), capture_output=True, text=True, preexec_fn=limit)
    assert full.returncode == 3, full.stderr
    assert "Traceback" not in full.stderr
    assert "space" in full.stderr
    assert not target.exists()
    assert not manifest_of(target).exists()
    assert not list(target.parent.glob(".*"))
    assert verify(engine.state_file.path, SHELL) == ()
    again = subprocess.run(command(engine, file), capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert target.exists()
