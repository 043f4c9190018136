"""Files of forms: request files read by the one parser, within bounds, whatever a browser or a forger sends."""

from __future__ import annotations

from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

import pytest

from ordermade.portal.forms import SentForm
from ordermade.portal.guard import LARGEST_BODY
from ordermade.portal.request_pages import LONGEST_TEXT
from tests.portal.office import Browser, PortalOffice, made, token_in
from tests.portal.people import with_people

pytestmark = pytest.mark.slow

REQUEST = "title: {}\ndataset: people\nk: 5\nquasi_identifiers: {{age: {{hierarchy: age}}}}\nrelease: {{to: x.csv}}\n"
FORM = "/requests/text"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> PortalOffice:
    folder = tmp_path_factory.mktemp("uploads")
    return with_people(made(folder), folder)


@pytest.fixture(scope="module")
def ann(office: PortalOffice) -> Browser:
    return office.browser("ann")


def sent(browser: Browser, path: str, *files: tuple[str, tuple[str, bytes]], **fields: str) -> Any:
    token = token_in(browser.get("/requests/new?dataset=people").text)
    return browser.client.post(path, data={"token": token, "dataset": "people", **fields}, files=list(files))


def file_of(text: str | bytes, name: str = "asked.yaml") -> tuple[str, tuple[str, bytes]]:
    return "file", (name, text.encode() if isinstance(text, str) else text)


def count(office: PortalOffice) -> int:
    return len(office.engine.submissions.list())


@pytest.mark.parametrize(
    "content",
    [
        REQUEST.format("plain").encode(),
        b"\xef\xbb\xbf" + REQUEST.format("marked").encode(),
        REQUEST.format("dos").replace("\n", "\r\n").encode(),
        REQUEST.format("日本語").encode(),
    ],
)
def test_a_request_file_is_submitted_as_its_text_is(office: PortalOffice, ann: Browser, content: bytes) -> None:
    answer = sent(ann, FORM, file_of(content))
    assert answer.status_code == 303, answer.text
    number = int(answer.headers["location"].rpartition("/")[2])
    kept = office.engine.submissions.get(number).in_force.request
    assert kept == content.decode("utf-8-sig")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the request is empty"),
        (REQUEST.format("nul\0").encode(), "a character that YAML does not allow"),
        (REQUEST.format("\xe9").encode("latin-1"), "not UTF-8"),
        (REQUEST.format("wide").encode("utf-16"), "not UTF-8"),
        (b"PK\x03\x04" + bytes(range(256)), "not UTF-8"),
        (b"a: " + b"[" * 3_000 + b"]" * 3_000, "nested too deeply"),
        (b"k: &a 5\ndataset: *a\n", "alias"),
        (b"dataset: people\n" * 2, "given twice"),
        (b"#" * (LONGEST_TEXT + 1), "larger than 200,000 bytes"),
        (REQUEST.format("\u202ereversed").encode(), "printable characters"),
    ],
)
def test_a_file_that_is_no_request_is_refused_in_words(
    office: PortalOffice, ann: Browser, content: bytes, said: str
) -> None:
    before = count(office)
    answer = sent(ann, FORM, file_of(content))
    assert answer.status_code == 422
    assert said in answer.text
    assert "\0" not in answer.text
    assert count(office) == before


def test_a_request_file_of_the_most_bytes_is_read(office: PortalOffice, ann: Browser) -> None:
    text = REQUEST.format("full")
    answer = sent(ann, FORM, file_of(text + "#" * (LONGEST_TEXT - len(text))))
    assert answer.status_code == 303, answer.text


NAMES = [
    "../../state.yaml",
    "/etc/passwd.yaml",
    "C:\\windows\\x.yml",
    "nul\0byte.YAML",
    "<b>x</b>.yaml",
    "\u202efile.yaml",
    "x" * 1_000 + ".yaml",
    'quo"te.yaml',
]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_file_is_no_path_and_is_shown_nowhere(office: PortalOffice, ann: Browser, name: str) -> None:
    before = sorted(each for each in office.state.parent.rglob("*") if each.suffix != ".sqlite-wal")
    answer = sent(ann, FORM, file_of("dataset: people\n", name))
    assert answer.status_code == 422
    assert "at least" in answer.text or "missing" in answer.text
    for part in ("passwd", "windows", "<b>x", "\u202e", "x" * 100):
        assert part not in answer.text
    assert sorted(each for each in office.state.parent.rglob("*") if each.suffix != ".sqlite-wal") == before


@pytest.mark.parametrize("name", ["asked.csv", "asked", "asked.yaml.exe", ".yaml\u200b", "yaml", "asked.yaml "])
def test_a_file_of_another_kind_is_refused(ann: Browser, name: str) -> None:
    answer = sent(ann, FORM, file_of(REQUEST.format("kind"), name))
    assert answer.status_code == 422
    assert ".yaml, .yml" in answer.text


def test_a_text_is_never_the_path_of_a_file(office: PortalOffice, ann: Browser, tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("secret: of the provider\n")
    for text in (str(secret), f"{secret}.yaml", "../secret.yml"):
        for answer in (sent(ann, FORM, text=text), sent(ann, FORM, file_of(text))):
            assert answer.status_code == 422
            assert "no such file" not in answer.text
            assert "of the provider" not in answer.text


def test_a_request_that_ends_as_a_path_does_is_held_against_the_policy_in_a_review(
    office: PortalOffice, ann: Browser
) -> None:
    text = (
        "{title: one, dataset: people, k: 5, quasi_identifiers: {age: {hierarchy: age}}, release: {to: x.csv}} # .yaml"
    )
    number = int(sent(ann, FORM, file_of(text)).headers["location"].rpartition("/")[2])
    assert "kept" in office.browser("rei").get(f"/reviews/{number}").text


def test_two_files_are_refused(office: PortalOffice, ann: Browser) -> None:
    before = count(office)
    answer = sent(ann, FORM, file_of(REQUEST.format("one")), file_of(REQUEST.format("two")))
    assert answer.status_code == 422
    assert "one file is sent at a time" in answer.text
    assert count(office) == before


def test_a_file_in_a_field_that_takes_none_is_refused(office: PortalOffice, ann: Browser) -> None:
    before = count(office)
    text = ("text", ("asked.yaml", REQUEST.format("field").encode()))
    for path, file in ((FORM, text), ("/requests/new", file_of("x")), ("/requests/1/withdraw", file_of("x"))):
        answer = sent(ann, path, file)
        assert answer.status_code == 422
        assert "takes none" in answer.text
    token = token_in(ann.get("/requests/new?dataset=people").text)
    answer = ann.client.post(FORM, files=[("token", ("token.yaml", token.encode()))])
    assert answer.status_code == 403
    assert count(office) == before


def test_a_text_in_the_field_of_the_file_is_refused(ann: Browser) -> None:
    assert sent(ann, FORM, text=REQUEST.format("x"), file="asked.yaml").status_code == 422


def test_a_form_without_a_file_has_its_text(office: PortalOffice, ann: Browser) -> None:
    token = token_in(ann.get("/requests/new?dataset=people").text)
    chosen_none = b'Content-Disposition: form-data; name="file"; filename=""\r\nContent-Type: text/plain\r\n\r\n\r\n'
    body = raw(token, end="") + chosen_none + f"--{BOUNDARY}--\r\n".encode()
    kind = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    assert ann.client.post(FORM, content=body, headers=kind).status_code == 303
    assert sent(ann, FORM, text=REQUEST.format("typed again")).status_code == 303


def test_a_file_is_in_the_place_of_the_text_that_a_revision_shows(office: PortalOffice, ann: Browser) -> None:
    number = int(sent(ann, FORM, text=REQUEST.format("first")).headers["location"].rpartition("/")[2])
    shown = {"revision": "1", "status": office.engine.submissions.get(number).submission.status}
    path = f"/requests/{number}/revise"
    wrong = sent(ann, path, file_of("k: 5\n"), text=REQUEST.format("first"), **shown)
    assert wrong.status_code == 422
    assert "k: 5" in wrong.text  # to be mended in the text area
    answer = sent(ann, path, file_of(REQUEST.format("second")), text=REQUEST.format("first"), **shown)
    assert answer.status_code == 303, answer.text
    assert "title: second" in office.engine.submissions.get(number).in_force.request


BOUNDARY = "----frontier"


def raw(token: str, *, boundary: str = BOUNDARY, end: str = "--", charset: str = "utf-8", value: bytes = b"") -> bytes:
    fields = {"token": token.encode(), "text": value or REQUEST.format("raw").encode()}
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n'.encode()
        + f"Content-Type: text/plain; charset={charset}\r\n\r\n".encode()
        + text
        + b"\r\n"
        for name, text in fields.items()
    ]
    return b"".join(parts) + f"--{boundary}{end}\r\n".encode()


BROKEN = {
    "no boundary": ("multipart/form-data", {}),
    "an empty boundary": ('multipart/form-data; boundary=""', {}),
    "another boundary": ("multipart/form-data; boundary=other", {}),
    "a boundary that is too long": (f"multipart/form-data; boundary={'x' * 200}", {}),
    "no end": (f"multipart/form-data; boundary={BOUNDARY}", {"end": "\r\n"}),
    "a text that is not UTF-8": (f"multipart/form-data; boundary={BOUNDARY}", {"value": b"k: \xff"}),
    "another kind": (f"multipart/mixed; boundary={BOUNDARY}", {}),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_form_is_none(office: PortalOffice, ann: Browser, what: str) -> None:
    kind, options = BROKEN[what]
    token, before = token_in(ann.get("/requests/new?dataset=people").text), count(office)
    answer = ann.client.post(FORM, content=raw(token, **options), headers={"content-type": kind})
    assert answer.status_code == 403
    assert count(office) == before


@pytest.mark.parametrize("charset", ["utf-8", "idna", "zlib", "utf-7", "no-such-codec"])
def test_the_encoding_that_a_form_names_changes_nothing(office: PortalOffice, ann: Browser, charset: str) -> None:
    token = token_in(ann.get("/requests/new?dataset=people").text)
    kind = f"multipart/form-data; charset={charset}; boundary={BOUNDARY}"
    value = REQUEST.format("é+AGE-").encode()
    answer = ann.client.post(FORM, content=raw(token, charset=charset, value=value), headers={"content-type": kind})
    assert answer.status_code == 303, answer.text
    number = int(answer.headers["location"].rpartition("/")[2])
    assert office.engine.submissions.get(number).submission.title == "é+AGE-"


def test_a_form_of_too_many_parts_or_bytes_is_refused(ann: Browser) -> None:
    assert sent(ann, FORM, *[file_of("x")] * 11).status_code == 403
    assert sent(ann, FORM, **{f"f{n}": "" for n in range(1_001)}).status_code == 403
    assert sent(ann, FORM, file_of(b"#" * LARGEST_BODY)).status_code == 413


def test_no_file_of_a_form_is_written_to_a_disk(
    ann: Browser, monkeypatch: pytest.MonkeyPatch, office: PortalOffice
) -> None:
    def rollover(_: object) -> None:
        raise AssertionError("written to a disk")

    monkeypatch.setattr(SpooledTemporaryFile, "rollover", rollover)
    assert sent(ann, FORM, file_of(b"#" * (LARGEST_BODY - 2_000))).status_code == 422


def test_a_forged_token_is_refused_whatever_the_kind_of_form(office: PortalOffice, ann: Browser) -> None:
    before = count(office)
    for token in ("", "0" * 64):
        answer = ann.client.post(FORM, data={"token": token}, files=[file_of(REQUEST.format("forged"))])
        assert answer.status_code == 403
    assert count(office) == before


def test_an_uploaded_file_does_not_show_what_is_in_it() -> None:
    from ordermade.portal.forms import UploadedFile

    assert "secret" not in repr(SentForm({}, {"file": (UploadedFile(b"secret", "yaml"),)}))
