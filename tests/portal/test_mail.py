"""Mail: what is sent to whom, word for word; servers that are down or refuse; killed workers; no value in a log."""

from __future__ import annotations

import json
import logging
import shutil
import socket
import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ordermade.errors import InputError
from ordermade.portal.mail import Mailer
from ordermade.portal.mail_server import MailServer
from ordermade.portal.worker import WorkerProcess
from ordermade.state import mails
from ordermade.state.mails import MAILS, MailRow
from tests.portal.smtp_server import smtp_server
from tests.service_office import Service, clock, made, text

pytestmark = pytest.mark.slow

SENDER, LINKS = "data@office.example", "https://data.example.org"
MORNING = datetime(2026, 11, 30, 7, 30, tzinfo=UTC)
NIGHT = MORNING.replace(hour=3)
TITLE = "a title that nobody else reads"


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("bob", "data-user"), ("rei", "reviewer"), ("kai", "reviewer")):
        found.add(name, role)
    found.users.mail("ann", "ann@mail.example")
    found.users.mail("rei", "rei@mail.example")
    return found


def mailer(service: Service, port: int, now: datetime = NIGHT, scheme: str = "smtp") -> Mailer:
    server = MailServer(f"{scheme}://127.0.0.1:{port}", SENDER, LINKS)
    return Mailer(service.state, server, clock=lambda: now)


def refused(service: Service, title: str = TITLE) -> int:
    number = service.of("ann").submit(text(title)).id
    service.of().refuse(number, "for a reason that is secret")
    return number


def outbox(service: Service) -> list[MailRow]:
    with service.state.reading() as connection:
        return MAILS.select(connection, order_by=("id",))


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def test_a_user_reads_number_and_state_and_a_link_and_no_more(service: Service) -> None:
    number = refused(service)
    (row,) = outbox(service)
    with smtp_server() as server:
        sending = mailer(service, server.port)
        assert [sending.step(), sending.step()] == [True, False]
    (found,) = server.received
    assert (found.sender.split()[0], found.recipients) == (f"FROM:<{SENDER}>", ["TO:<ann@mail.example>"])
    headers = dict(found.message.items())
    assert datetime.strptime(headers.pop("Date"), "%a, %d %b %Y %H:%M:%S %z") <= datetime.now(UTC)
    assert headers == {
        "From": SENDER,
        "To": "ann@mail.example",
        "Subject": f"Request {number}: refused / 依頼{number}: 不承認",
        "Message-ID": f"<{row.message_id}@office.example>",
        "Auto-Submitted": "auto-generated",
        "Content-Type": 'text/plain; charset="utf-8"',
        "Content-Transfer-Encoding": "base64",
        "MIME-Version": "1.0",
    }
    assert found.text == f"Request {number}: refused\n依頼{number}: 不承認\n\n{LINKS}/requests/{number}\n"
    assert [each.outcome for each in outbox(service)] == [mails.SENT]


def test_a_reviewer_has_one_list_a_day_of_what_waits(service: Service) -> None:
    first, second = (service.of("ann").submit(text(each)).id for each in "ab")
    service.of("rei").review(first, "refuse", "no")
    third = service.of("bob").submit(text("c")).id
    with smtp_server() as server:
        for now in (MORNING.replace(hour=6), MORNING, MORNING.replace(hour=20), MORNING + timedelta(days=1)):
            with clock() as passing:
                passing.passed = now.replace(tzinfo=None) - datetime.now(UTC).replace(tzinfo=None)
                sending = mailer(service, server.port, now)  # each in a process of its own
                while sending.step():
                    pass
    assert [each.recipients for each in server.received] == [["TO:<rei@mail.example>"]] * 2
    for each in server.received:
        assert each.message["Subject"] == ("2 requests wait for your review / 審査をお待ちしている依頼が2件あります")
        assert each.text == (
            "2 requests wait for your review\n審査をお待ちしている依頼が2件あります\n\n"
            f"{second}, {third}\n\n{LINKS}/reviews\n"
        )
    assert len({each.message["Message-ID"] for each in server.received}) == 2


def test_no_list_is_sent_of_what_does_not_wait_any_more(service: Service) -> None:
    number = service.of("bob").submit(text("a")).id
    down = mailer(service, closed_port(), MORNING)
    assert down.step()
    service.of("bob").withdraw(number)
    with smtp_server() as server, clock() as now:
        now.passed = timedelta(hours=1)
        assert mailer(service, server.port).step()
    assert server.received == []
    assert [each.outcome for each in outbox(service)] == [mails.LEFT_OUT]


def test_what_a_server_that_is_down_did_not_take_is_sent_later_and_once(service: Service) -> None:
    refused(service)
    with clock() as now:
        assert mailer(service, closed_port()).step()
        with smtp_server() as server:
            sending = mailer(service, server.port)
            assert not sending.step()  # not yet
            now.passed = mails.FIRST_PAUSE
            assert [sending.step(), sending.step()] == [True, False]
    assert len(server.received) == 1
    assert [(each.outcome, each.attempts) for each in outbox(service)] == [(mails.SENT, 2)]


def test_a_message_whose_server_hung_up_is_known_by_its_id_when_it_comes_again(service: Service) -> None:
    refused(service)
    with smtp_server() as server, clock() as now:
        server.hangs_up = True
        sending = mailer(service, server.port)
        assert sending.step()
        server.hangs_up, now.passed = False, mails.FIRST_PAUSE
        assert sending.step()
    assert len(server.received) == 2
    assert len({each.message["Message-ID"] for each in server.received}) == 1


def test_one_that_was_killed_in_the_middle_is_sent_again_by_another(service: Service) -> None:
    refused(service)
    with service.state.writing() as connection:
        assert mails.take(connection) is not None  # and no more: as a worker that is killed
    with smtp_server() as server, clock() as now:
        assert not mailer(service, server.port).step()  # it may still be sent by the other
        now.passed = mails.TAKEN_FOR
        assert mailer(service, server.port).step()
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("verb", "answer", "outcome"),
    [
        ("RCPT", "550 no such user ann@mail.example", mails.GIVEN_UP),
        ("RCPT", "450 try later", None),
        ("MAIL", "553 not from you", None),
        ("DATA", "554 no", None),
        ("QUIT", "500 what", mails.SENT),
    ],
)
def test_an_address_that_is_refused_for_good_is_given_up_and_everything_else_tried_again(
    service: Service, verb: str, answer: str, outcome: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    refused(service)
    with smtp_server() as server:
        server.answers[verb] = answer
        assert mailer(service, server.port).step()
    assert [each.outcome for each in outbox(service)] == [outcome]
    logged = " ".join(str(vars(each)) for each in caplog.records)
    assert "mail" in logged
    for value in ("ann@mail.example", "no such user", "ann", TITLE, "secret"):
        assert value not in logged


@pytest.mark.parametrize("scheme", ["smtp+starttls", "smtps"])
def test_without_tls_nothing_is_sent_where_tls_is_asked_for(service: Service, scheme: str) -> None:
    refused(service)
    with smtp_server() as server:
        if scheme == "smtps":
            server.answers["EHLO"] = "250 test"
        assert mailer(service, server.port, scheme=scheme).step()
    assert server.received == []
    assert [each.outcome for each in outbox(service)] == [None]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made by openssl")
def test_by_tls_a_password_of_the_environment_logs_in_and_a_certificate_of_nobody_does_not(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(service)
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate]
    subprocess.run(["openssl", "req", *words, *named], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setenv("MAIL_SECRET", "a secret word")
    with smtp_server(context) as server, clock() as now:
        server.extensions = ("AUTH PLAIN",)
        location = f"smtps://data%40office.example:${{MAIL_SECRET}}@localhost:{server.port}"
        sending = Mailer(service.state, MailServer(location, SENDER, LINKS), clock=lambda: NIGHT)
        assert sending.step()
        assert server.received == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        now.passed = mails.FIRST_PAUSE
        assert sending.step()
    assert [each.user for each in server.received] == ["data@office.example a secret word"]


@pytest.mark.parametrize(
    ("location", "sender", "links", "where"),
    [
        ("mail.example", SENDER, LINKS, "--mail"),
        ("smtps://me:a-word@mail.example", SENDER, LINKS, "--mail"),
        ("smtps://me:${NO_SUCH}@mail.example:99999", SENDER, LINKS, "--mail"),
        ("smtp://me:${NO_SUCH}@mail.example", SENDER, LINKS, "--mail"),
        ("smtps://mail.example\r\nRCPT", SENDER, LINKS, "--mail"),
        ("smtps://mail.example", "Data <data@office.example>", LINKS, "--mail-from"),
        ("smtps://mail.example", "data@office.example\r\nBcc: x@y.example", LINKS, "--mail-from"),
        ("smtps://mail.example", "", LINKS, "--mail-from"),
        ("smtps://mail.example", SENDER, "data.example.org", "--url"),
        ("smtps://mail.example", SENDER, "https://data.example.org/\r\nX: y", "--url"),
        ("smtps://mail.example", SENDER, "", "--url"),
    ],
)
def test_options_that_are_none_are_refused_and_a_password_is_not_repeated(
    location: str, sender: str, links: str, where: str
) -> None:
    with pytest.raises(InputError) as found:
        MailServer(location, sender, links)
    assert found.value.where == where
    assert "a-word" not in str(found.value)


def test_a_password_that_is_not_there_is_said_at_the_start() -> None:
    server = MailServer("smtps://me:${NO_SUCH_SECRET}@mail.example", SENDER, LINKS)
    with pytest.raises(InputError, match="NO_SUCH_SECRET is not set"):
        server.require_password()
    assert "NO_SUCH_SECRET" in WorkerProcess(Path("x"), 1.0, mail=server).words()[-3]


def test_a_worker_process_sends_and_one_that_is_killed_loses_nothing(service: Service) -> None:
    """A real process: a server hangs up on its first message, which it notes, and it is killed in the second."""
    refused(service)
    refused(service, "another")
    ours, theirs = socket.socketpair()
    with socket.create_server(("127.0.0.1", 0)) as silent, ours, theirs:
        silent.settimeout(60)
        location = MailServer(f"smtp://127.0.0.1:{silent.getsockname()[1]}", SENDER, LINKS)
        program = ("ordermade.cli.worker", "json")
        words = WorkerProcess(service.state.path, 5.0, mail=location, program=program).words()
        given = [*words, str(theirs.fileno())]
        process = subprocess.Popen(given, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True)
        try:
            first, _ = silent.accept()
            first.close()
            second, _ = silent.accept()
        finally:
            process.kill()
            _, log = process.communicate()
        second.close()
    noted = [each for each in map(json.loads, log.splitlines()) if each["event"].startswith("mail")]
    assert [(each["event"], each["mail"], each["attempts"]) for each in noted] == [("mail put off", 1, 1)]
    assert "ann" not in log
    assert [(each.outcome, each.attempts) for each in outbox(service)] == [(None, 1), (None, 1)]
    with smtp_server() as server, clock() as now:
        now.passed = mails.TAKEN_FOR
        sending = mailer(service, server.port)
        assert [sending.step(), sending.step(), sending.step()] == [True, True, False]
    assert len({each.message["Message-ID"] for each in server.received}) == 2
