"""`make browser`: fails only where a browser is installed, starts, and tests were skipped all the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import __main__ as runner


@pytest.mark.parametrize(("starts", "status"), [(True, 1), (False, 0)])
def test_skips_fail_only_where_a_browser_starts(monkeypatch: pytest.MonkeyPatch, starts: bool, status: int) -> None:
    def main(arguments: list[str], plugins: list[Any]) -> int:
        plugins[0].reasons["tests/browser/test_x.py::test_y"] = "no browser: none is on the PATH"
        return 0

    monkeypatch.setattr(runner, "found", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(runner, "starts", lambda: starts)
    monkeypatch.setattr(pytest, "main", main)

    assert runner.main([]) == status


def test_without_root_the_command_to_install_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runner.shutil, "which", lambda name: f"/usr/bin/{name}" if name == "apt-get" else None)
    monkeypatch.setattr(runner.os, "geteuid", lambda: 1000)

    runner.install()

    assert "sudo apt-get install" in capsys.readouterr().out
