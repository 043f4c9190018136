"""The document of every outcome of every command, each run once, keeps every rule of documents."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jsonschema
import pytest

from ordermade import errors
from ordermade.cli.exit_status import exit_status_of
from ordermade.documents import error
from ordermade.documents.commands import DOCUMENTS
from ordermade.documents.error import Failed
from ordermade.documents.names import TEXTS, WITH_JSON
from ordermade.documents.reference import error_kinds, output_reference
from ordermade.documents.schema import document_types, output_schema
from tests.cli.conftest import PROGRAM, Outcome, Program, leaks
from tests.cli.json_scenes import METHODS, REGISTRATIONS, REQUESTS, SERVICE, Scene, files
from tests.cli.schema_consumer import Consumer, lines, raw_leaves

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "output.md"

dates = jsonschema.FormatChecker(formats=())


@dates.checks("date-time")
def _has_a_zone(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@functools.cache
def schema() -> dict[str, Any]:
    """The schema, generated when it is first needed: it takes longer than to collect this file."""
    return output_schema()


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    """What holds a document against the whole schema."""
    return jsonschema.Draft202012Validator(schema(), format_checker=dates)


@functools.cache
def alternatives() -> list[jsonschema.Draft202012Validator]:
    """What holds a document against each alternative of the schema, as far as its first fault: `oneOf` gathers all."""
    parts = [{**schema(), "oneOf": [each]} for each in schema()["oneOf"]]
    return [jsonschema.Draft202012Validator(each, format_checker=dates) for each in parts]


@functools.cache
def validator_of(kind: Any) -> jsonschema.Draft202012Validator:
    """What holds a document against the part of the schema that is of one kind of document."""
    part = {**schema(), "oneOf": [{"$ref": f"#/$defs/{kind.__name__}"}]}
    return jsonschema.Draft202012Validator(part, format_checker=dates)


def commands(group: Any = PROGRAM, path: str = "") -> dict[str, Any]:
    """Every command by its name; groups are none."""
    found: dict[str, Any] = {}
    for name, each in getattr(group, "commands", {}).items():
        named = f"{path} {name}".strip()
        found |= commands(each, named) if hasattr(each, "commands") else {named: each}
    return found


def _typed(folder: Path, arguments: tuple[str, ...], text: str = "") -> Outcome:
    out, err, before = io.StringIO(), io.StringIO(), Path.cwd()
    words = [*arguments, "--json"]
    given = io.BytesIO((folder / "request.yaml").read_bytes() if "-" in arguments else text.encode())
    os.chdir(folder)
    try:
        with (
            patch("sys.stdin", io.TextIOWrapper(given)),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            status = exit_status_of(lambda: PROGRAM(words, prog_name="ordermade"), words)
    finally:
        os.chdir(before)
    return Outcome(status, out.getvalue(), err.getvalue())


def _played(folder: Path, scenes: tuple[Scene, ...]) -> Mapping[str, Outcome]:
    found: dict[str, Outcome] = {}
    for each in scenes:
        if each.before is not None:
            each.before(folder)
        found[each.name] = _typed(folder, each.arguments, each.given)
    return found


@pytest.fixture(scope="module")
def folder_of_scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the scenes."""
    folder = tmp_path_factory.mktemp("scenes")
    files(folder)
    return folder


@pytest.fixture(scope="module")
def registrations(folder_of_scenes: Path) -> Mapping[str, Outcome]:
    """The outcomes of `REGISTRATIONS` by their scenes."""
    return _played(folder_of_scenes, REGISTRATIONS)


@pytest.fixture(scope="module")
def requests(folder_of_scenes: Path, registrations: Mapping[str, Outcome]) -> Mapping[str, Outcome]:
    """The outcomes of `REQUESTS` by their scenes."""
    return _played(folder_of_scenes, REQUESTS)


@pytest.fixture(scope="module")
def methods(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Outcome]:
    """The outcomes of `METHODS` by their scenes."""
    return _played(_registered_beside_the_files(registered, tmp_path_factory.mktemp("methods")), METHODS)


@pytest.fixture(scope="module")
def service(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Outcome]:
    """The outcomes of `SERVICE` by their scenes."""
    return _played(_registered_beside_the_files(registered, tmp_path_factory.mktemp("service")), SERVICE)


def _registered_beside_the_files(registered: Path, folder: Path) -> Path:
    shutil.copytree(registered, folder, dirs_exist_ok=True)
    files(folder)
    return folder


def nouns(scenes: tuple[Scene, ...]) -> pytest.MarkDecorator:
    """A test for each noun of the commands of scenes."""
    found = {each.command.split()[0] for each in scenes}
    return pytest.mark.parametrize("noun", sorted(found))


def _assert_described(noun: str, scenes: tuple[Scene, ...], played: Mapping[str, Outcome]) -> None:
    """Every document of a noun keeps every rule; a failure names each scene with what it breaks."""
    faults = {
        each.name: found
        for each in scenes
        if each.command.split()[0] == noun and (found := _faults(each, played[each.name]))
    }
    assert not faults


def _faults(each: Scene, done: Outcome) -> list[str]:
    if done.status != each.status:
        return [f"it ends with {done.status}: {done.out} {done.err}"]
    document = done.document
    if list(document)[:2] != ["format", "command"] or document["command"] != each.command:
        return [f"it begins with {dict(list(document.items())[:2])}"]
    if sum(each.is_valid(document) for each in alternatives()) != 1:
        return _nearest(document, each.command)
    leaves = Consumer(schema()).leaves(document)
    found = [f"{key} is {document.get(key)}" for key, value in each.keys if document.get(key, ...) != value]
    if {path: value for path, value, _ in leaves} != dict(raw_leaves(document)):
        found.append("a reader of the schema alone reads something else")
    found += [f"{path} has no words" for path, _, words in leaves if not words]
    found += [f"it shows {value}" for value in leaks(done.out + done.err)]
    if "error" in document and "problems" not in document["error"]:
        what = document["error"]["what"]
        found += [] if what in " ".join(done.err.split()) else [f"people do not read {what}"]
    return found


def _nearest(document: Any, command: str) -> list[str]:
    """The faults by the alternative of the command with the fewest of them."""
    kinds = [Failed] if "error" in document else document_types()[command]
    found = []
    for kind in kinds:
        faults = list(validator_of(kind).iter_errors(document))
        deep = [jsonschema.exceptions.best_match([each]) for each in faults]
        inner = [each for fault in faults for each in (fault.context or [])]
        found.append((len(inner), [f"{kind.__name__}{each.json_path}: {each.message[:300]}" for each in inner or deep]))
    return min(found)[1] or ["it is as more than one alternative has it"]


@nouns(REGISTRATIONS)
def test_documents_are_as_the_schema_has_them(noun: str, registrations: Mapping[str, Outcome]) -> None:
    _assert_described(noun, REGISTRATIONS, registrations)


@pytest.mark.slow
@nouns(REQUESTS)
def test_documents_of_requests_are_as_the_schema_has_them(noun: str, requests: Mapping[str, Outcome]) -> None:
    _assert_described(noun, REQUESTS, requests)


@pytest.mark.slow
@nouns(METHODS)
def test_documents_of_compiled_methods_are_as_the_schema_has_them(noun: str, methods: Mapping[str, Outcome]) -> None:
    _assert_described(noun, METHODS, methods)


@pytest.mark.slow
@nouns(SERVICE)
def test_documents_of_the_service_are_as_the_schema_has_them(noun: str, service: Mapping[str, Outcome]) -> None:
    _assert_described(noun, SERVICE, service)


def test_every_command_has_documents_and_a_scene_or_says_why_not() -> None:
    every = commands()
    with_json = {name for name, each in every.items() if any("--json" in option.opts for option in each.params)}

    assert with_json == set(DOCUMENTS) == set(WITH_JSON)
    assert set(every) - with_json == set(TEXTS)
    assert with_json == {each.command for each in (*REGISTRATIONS, *REQUESTS, *METHODS, *SERVICE)}
    for scenes in (REGISTRATIONS, REQUESTS, METHODS, SERVICE):
        assert len({each.name for each in scenes}) == len(scenes)


@pytest.mark.slow
def test_every_kind_of_document_is_met_by_a_scene(
    registrations: Mapping[str, Outcome],
    requests: Mapping[str, Outcome],
    methods: Mapping[str, Outcome],
    service: Mapping[str, Outcome],
) -> None:
    """A type that no scene prints could say anything."""
    met = set()
    for done in (*registrations.values(), *requests.values(), *methods.values(), *service.values()):
        for kind in document_types()[done.document["command"]]:
            if validator_of(kind).is_valid(done.document):
                met.add(kind.__name__)

    assert {kind.__name__ for each in document_types().values() for kind in each} - met == {
        "ServerDescription",
        *("ChangeLog", "ChangeLogUsed"),  # of servers, in tests/services/test_change_logs.py
        "RequestRunOffers",
    }


@pytest.mark.parametrize(
    ("typed", "code", "status"),
    [
        ("source list --nonsense", "usage", 2),
        ("release show", "usage", 2),
        ("release show one", "usage", 2),
        ("release nonsense", "usage", 2),
        ("nonsense", "usage", 2),
        ("source list", "state_missing", 3),
        ("--wait -1 source list", "usage", 2),
    ],
)
def test_a_failure_is_a_document_wherever_json_is_wanted(folder: Path, typed: str, code: str, status: int) -> None:
    done = _typed(folder, tuple(typed.split()))

    assert done.status == status
    assert done.document["error"]["code"] == code
    assert done.err
    validator().validate(done.document)


@pytest.mark.parametrize(
    ("raised", "code", "status"),
    [
        (KeyboardInterrupt(), "interrupted", 130),
        (ValueError("a value of a person"), "unexpected", 3),
        (PermissionError(13, "Permission denied", "here.csv"), "os_error", 3),
        (errors.StateLocked("the state is in use"), "state_locked", 3),
        (errors.RequestError("2 mistakes", problems=("one", "two")), "request_error", 2),
    ],
    ids=lambda each: type(each).__name__,
)
def test_each_kind_of_failure_has_its_code(
    raised: BaseException, code: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise raised

    assert exit_status_of(command, ["request", "run", "--json"]) == status
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert (document["command"], document["error"]["code"]) == ("request run", code)
    assert document["error"].get("problems", []) == list(getattr(raised, "problems", ()))
    assert "a value of a person" not in printed.out + printed.err
    validator().validate(document)


@pytest.mark.parametrize("by_token", [False, True])
def test_why_a_dataset_is_closed_is_said_to_the_provider_alone(
    by_token: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_token:
        monkeypatch.setenv("ORDERMADE_TOKEN", "x")

    def command() -> None:
        raise errors.DatasetClosed("members", errors.SourceFault("a column divides by nothing"))

    assert exit_status_of(command, ["request", "run"]) == 3
    said = " ".join(capsys.readouterr().err.split())
    assert "the dataset is closed" in said
    assert ("divides by nothing" in said) is not by_token


def test_a_command_that_printed_its_document_prints_no_second_one(capsys: pytest.CaptureFixture[str]) -> None:
    from ordermade.views.screen import print_json

    def command() -> None:
        print_json({"format": "ordermade-output/1", "command": "source list", "sources": []})
        raise errors.SourceFault("gone")

    assert exit_status_of(command, ["source", "list", "--json"]) == 3
    printed = capsys.readouterr()
    assert json.loads(printed.out)["sources"] == []
    assert "gone" in printed.err
    # The next command in this process begins anew.
    assert exit_status_of(lambda: 1 // 0, ["source", "list", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "unexpected"


def test_without_json_and_behind_two_dashes_a_failure_is_no_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status_of(lambda: 1 // 0, ["source", "list"]) == 3
    assert exit_status_of(lambda: 1 // 0, ["source", "show", "--", "--json"]) == 3
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "change",
    [
        {"nonsense": 1},
        {"format": "ordermade-output/2"},
        {"command": "source show"},
        {"sources": [{"id": 1}]},
        {"sources": None},
        {"error": {"code": "usage", "what": "", "where": "", "next": ""}},
    ],
    ids=str,
)
def test_a_wrong_document_does_not_validate(registrations: Mapping[str, Outcome], change: dict[str, Any]) -> None:
    right = registrations["source list: done"].document
    assert validator().is_valid(right)
    assert not validator().is_valid(right | change)
    deeper = {**right, "sources": [{**right["sources"][0], "nonsense": 1}]}
    assert not validator().is_valid(deeper)
    with pytest.raises(LookupError):
        Consumer(schema()).leaves(deeper)


def test_no_object_of_the_schema_is_open_and_every_key_is_described() -> None:
    for name, part in schema()["$defs"].items():
        if "oneOf" in part:
            continue
        assert part["additionalProperties"] is False, name
        assert part["description"], name
        for key, each in part["properties"].items():
            assert each["description"], (name, key)


@pytest.mark.slow
def test_the_page_is_made_of_the_schema_and_has_every_error() -> None:
    page = PAGE.read_text(encoding="utf-8")
    again = "python -m ordermade.documents.reference > docs/reference/output.md"
    assert page == output_reference(), again

    def below(kind: type[BaseException]) -> set[type[BaseException]]:
        return {kind}.union(*(below(each) for each in kind.__subclasses__()))

    raised = {each for each in below(errors.OrdermadeError) if each.__module__.startswith("ordermade.")}
    assert raised - {errors.OrdermadeError} == set(error_kinds())
    assert {error.code_of(each) for each in error_kinds()}.isdisjoint(error.OTHERS)


@pytest.mark.slow
def test_the_schema_is_printed(ordermade: Program) -> None:
    done = ordermade("schema")

    assert (done.status, done.document["$id"]) == (0, "urn:ordermade:output:1")
    assert done.document == schema()
    jsonschema.Draft202012Validator.check_schema(done.document)


def test_a_reader_of_the_schema_alone_shows_a_document(registrations: Mapping[str, Outcome]) -> None:
    shown = lines(schema(), registrations["source list: done"].document)

    assert "format = ordermade-output/1  (The version of the document.)" in shown
    assert "sources[0].name = shop  (Its name.)" in shown
