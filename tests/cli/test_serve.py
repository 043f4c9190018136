"""What `serve` says before anything is served: options that cannot be meant, datasets that nothing closes."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Program

pytestmark = pytest.mark.slow

SERVER = ("--mail", "smtp://localhost")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--mail-from", "data@office.example"), "no mail is sent"),
        (("--url", "https://data.example.org"), "no mail is sent"),
        ((*SERVER, "--name", "data.example.org"), "--mail-from"),
        ((*SERVER, "--mail-from", "data@office.example"), "--url"),
        (
            (*SERVER, "--mail-from", "data@office.example", "--name", "d.example", "--no-worker"),
            "the worker sends mail",
        ),
        ((*SERVER, "--mail-from", "data@office.example", "--url", "http://d.example", "--demo"), "--demo"),
        (("--mail", "smtps://me:a-word@localhost", "--mail-from", "data@office.example"), "no server of mail"),
        (
            ("--mail", "smtps://me:${NO_SUCH_SECRET}@localhost", "--mail-from", "d@o.example", "--name", "d.example"),
            "NO_SUCH_SECRET is not set",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(ordermade: Program, options: tuple[str, ...], says: str) -> None:
    ordermade("init")
    done = ordermade("serve", *options)
    assert done.status == 2
    assert says in done.err
    assert "a-word" not in done.err


def test_a_dataset_without_a_policy_is_noted(shop: Program, folder: Path) -> None:
    """The port is taken, so that nothing is served."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        words = ("serve", "--port", taken.getsockname()[1])
        done = shop(*words)
        assert (done.status, done.err.count("has no policy")) == (2, 1)
        assert "Note: 'members' has no policy" in done.err
        (folder / "rules.yaml").write_text("dataset: members\nk: 5\nnever: {ask: [name]}\n", encoding="utf-8")
        assert shop("policy", "set", "rules.yaml").status == 0
        assert "has no policy" not in shop(*words).err


def test_an_address_is_set_and_removed_and_not_shown(ordermade: Program) -> None:
    ordermade("init")
    ordermade("user", "add", "ann", "--role", "data-user")
    assert ordermade("user", "mail", "ann", "ann@mail.example").out == "Mail goes to ann.\n"
    shown = [ordermade("user", "list"), ordermade("user", "list", "--json"), ordermade("audit", "list")]
    assert not any("mail.example" in each.out for each in shown)
    assert ordermade("user", "mail", "ann").status == 2
    assert ordermade("user", "mail", "ann", "ann@mail.example", "--none").status == 2
    assert ordermade("user", "mail", "ann", "--none").out == "No mail goes to ann.\n"
