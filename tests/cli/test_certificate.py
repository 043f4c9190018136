"""`request run --certify` and `ordermade certificate`: what is written for whom, and every way not to hold."""

from __future__ import annotations

import ast
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.certificates.certify import recounted
from ordermade.certificates.document import Certificate
from ordermade.certificates.verification import answer_of
from ordermade.errors import Unproved
from ordermade.loss.metrics import METRICS
from ordermade.methods.generalization.method import GENERALIZATION
from ordermade.requests.read import of_generalization, read_request
from tests.cli.conftest import Program, leaks
from tests.long import sampled

pytestmark = pytest.mark.slow

ENGINE = Path(__file__).parents[2] / "engine" / "ordermade"


@pytest.fixture
def certified(shop: Program, folder: Path) -> Path:
    assert shop("request", "run", "request.yaml", "--certify", "c.json").status == 0
    return folder / "c.json"


def test_a_certificate_is_the_providers_alone_and_verifies(shop: Program, certified: Path) -> None:
    assert certified.stat().st_mode & 0o777 == 0o600
    content = json.loads(certified.read_text())
    assert content["for"] == "provider"
    assert content["answer"]["k"] >= 5
    assert not leaks(certified.read_bytes())
    done = shop("certificate", "verify", "c.json", "--request", "request.yaml")
    assert (done.status, done.err) == (0, "")
    assert "The certificate holds" in done.out
    assert shop("certificate", "verify", "c.json", "--json").document["holds"] is True


def test_a_copy_for_a_data_user_has_no_counts(shop: Program, certified: Path, folder: Path) -> None:
    assert shop("certificate", "copy", "c.json", "u.json", "--for", "user").status == 0
    mine, theirs = json.loads(certified.read_text()), json.loads((folder / "u.json").read_text())
    assert theirs["provider_sha256"] == mine["sha256"]
    assert all(set(each) == {"node", "why"} for each in theirs["evidence"])
    assert len(mine["salt"]) == 32  # else counts could be tried on the SHA-256
    assert "salt" not in theirs
    assert theirs["version"].keys() == {"columns_hash"}
    assert set(theirs["answer"]) == {"node"}
    # By hashes, labels that nobody released could be tried.
    assert all(set(each) == {"column", "hierarchy", "accepted"} for each in theirs["columns"])
    assert shop("certificate", "verify", "u.json").status == 0
    again = shop("certificate", "copy", "u.json", "v.json", "--for", "user")
    assert (again.status, "copy for a data user" in again.err) == (2, True)


@pytest.mark.parametrize("place", ["the-office/2024/", ""])
def test_a_copy_for_a_data_user_names_no_folder_of_the_provider(shop: Program, folder: Path, place: str) -> None:
    text = (folder / "request.yaml").read_text(encoding="utf-8")
    within = place or f"{folder}/the-office/"
    assert "to: out/" in text
    (folder / "request.yaml").write_text(
        f"# of the-office\n{text.replace('to: out/', f'to: {within}')}", encoding="utf-8"
    )
    assert shop("request", "run", "request.yaml", "--certify", "c.json").status == 0
    assert "the-office" in (folder / "c.json").read_text(encoding="utf-8")
    assert shop("certificate", "copy", "c.json", "u.json", "--for", "user").status == 0
    mine, theirs = (json.loads((folder / name).read_text(encoding="utf-8")) for name in ("c.json", "u.json"))
    assert "the-office" not in (folder / "u.json").read_text(encoding="utf-8")
    assert json.loads(theirs["request"])["release"]["to"] == "members.csv"
    assert theirs["request_sha256"] == mine["request_sha256"]
    (folder / "asked.yaml").write_text(text, encoding="utf-8")
    done = shop("certificate", "verify", "u.json", "--request", "asked.yaml")
    assert (done.status, done.err) == (0, "")


def _changed(path: Path, **fields: Any) -> None:
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | fields))


def test_a_file_that_was_changed_or_is_of_another_software_is_named(shop: Program, certified: Path) -> None:
    _changed(certified, objective="loss")
    assert "was changed after it was written" in shop("certificate", "verify", "c.json").err
    _changed(certified, ordermade="9.9.9")
    done = shop("certificate", "verify", "c.json")
    assert done.status == 1
    assert "of ordermade '9.9.9'" in done.err


def _restated(path: Path, **fields: Any) -> None:
    """The certificate with other fields, and the SHA-256 of these."""
    content = json.loads(path.read_text()) | fields
    content.pop("sha256")
    path.write_text(Certificate.model_validate(content).text())


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"a": 2}', "\x00", "[" * 100_000, "NaN", "\ud800"])
def test_what_is_no_certificate_is_refused(shop: Program, folder: Path, text: str) -> None:
    (folder / "c.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    done = shop("certificate", "verify", "c.json")
    assert (done.status, "c.json: the file is no certificate" in done.err) == (2, True)


def test_a_certificate_that_states_something_twice_is_refused(shop: Program, certified: Path) -> None:
    text = certified.read_text()
    certified.write_text(text.replace('"answer":', '"answer": null,\n  "answer":', 1))  # people read the first of both
    for command in (("verify", "c.json"), ("copy", "c.json", "to.json", "--for", "user")):
        done = shop("certificate", *command)
        assert (done.status, "c.json: the file is no certificate" in done.err) == (2, True)


def test_what_is_no_file_is_refused(shop: Program, folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "broken").symlink_to("nowhere")
    for name, said in (("missing.json", "no such file"), (".", "directory"), ("broken", "no such file")):
        done = shop("certificate", "verify", name)
        assert (done.status, said in done.err.lower()) == (2, True)
    for name in ("fifo", "/dev/zero"):
        done = shop("certificate", "copy", name, "to.json", "--for", "user")
        assert (done.status, "not a regular file" in done.err) == (2, True)


def test_evidence_that_cannot_be_counted_is_named(shop: Program, folder: Path) -> None:
    text = (folder / "request.yaml").read_text().replace("from: 0", "from: 1")
    (folder / "r.yaml").write_text(text)
    assert shop("request", "run", "r.yaml", "--certify", "c.json").status == 0
    content = json.loads((folder / "c.json").read_text())
    for node in ([0, 9, 0], [0, -1, 0], [0, 0], []):
        _restated(folder / "c.json", evidence=[*content["evidence"], {"node": node, "why": "fails"}])
        done = shop("certificate", "verify", "c.json")
        assert (done.status, "no node that can be counted" in done.err) == (1, True)


def test_evidence_with_other_counts_than_the_dataset_is_named(shop: Program, certified: Path) -> None:
    evidence = json.loads(certified.read_text())["evidence"]
    first = next(place for place, each in enumerate(evidence) if each["classes"])
    for count in ("classes", "least", "below", "suppressed"):
        other = evidence[first] | {count: evidence[first][count] + 1}
        _restated(certified, evidence=[*evidence[:first], other, *evidence[first + 1 :]])
        done = shop("certificate", "verify", "c.json")
        assert (done.status, f"evidence {first + 1}, node" in done.err) == (1, True)
        assert "has other counts in the dataset" in done.err


def test_an_answer_that_loses_a_light_column_is_no_optimum(shop: Program, folder: Path) -> None:
    text = (folder / "request.yaml").read_text()
    weights = "{age: 1000, sex: 0.000001, city: 0.000001}"
    (folder / "r.yaml").write_text(f"{text}search: {{objective: loss, weights: {weights}}}\n")
    assert shop("request", "run", "r.yaml", "--certify", "c.json").status == 0
    content = json.loads((folder / "c.json").read_text())
    sex, age, city = content["answer"]["node"]
    assert sex == 0
    read = of_generalization(read_request(folder / "r.yaml"), "test")
    with (
        Engine()._setting() as context,
        GENERALIZATION.opened(read, context) as open_request,
    ):
        terms, recount = recounted(open_request)
        worse = answer_of((1, age, city), terms, recount.figures(terms, (1, age, city)))
    _restated(folder / "c.json", answer=worse.model_dump())
    done = shop("certificate", "verify", "c.json")
    assert (done.status, "nothing rules out" in done.err) == (1, True)


def test_a_metric_without_a_second_count_is_refused_and_not_certified(
    shop: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A weighted share that certificates do not score: with all nodes at 0 any answer would be the best."""
    monkeypatch.setitem(METRICS, "blur", replace(METRICS["prec"], name="blur"))  # type: ignore[arg-type]
    read = of_generalization(read_request(folder / "request.yaml"), "test")
    search = read.request.search.model_copy(update={"objective": "blur"})
    read = replace(read, request=read.request.model_copy(update={"search": search}))
    with (
        Engine()._setting() as context,
        GENERALIZATION.opened(read, context) as open_request,
        pytest.raises(Unproved, match="no second count of blur"),
    ):
        recounted(open_request)


def test_a_request_that_does_not_fit_any_more_is_named(shop: Program, certified: Path) -> None:
    _restated(certified, request="dataset: gone\nk: 5\nquasi_identifiers: {}\nrelease: {to: out/x.csv}\n")
    done = shop("certificate", "verify", "c.json")
    assert (done.status, "c.json: the certificate does not hold: its request" in done.err) == (1, True)


def test_a_part_of_a_certificate_is_refused(shop: Program, certified: Path) -> None:
    content = json.loads(certified.read_text())
    del content["evidence"]
    certified.write_text(json.dumps(content))
    done = shop("certificate", "verify", "c.json")
    assert (done.status, "cut or changed: evidence" in done.err) == (2, True)


def test_another_request_is_named(shop: Program, certified: Path, folder: Path) -> None:
    request = (folder / "request.yaml").read_text()
    (folder / "other.yaml").write_text(request.replace("k: 5", "k: 6"))
    done = shop("certificate", "verify", "c.json", "--request", "other.yaml")
    assert (done.status, "of another request" in done.err) == (1, True)
    (folder / "same.yaml").write_text(f"# a comment\n{request}")
    assert shop("certificate", "verify", "c.json", "--request", "same.yaml").status == 0


def test_another_version_of_the_dataset_is_named(shop: Program, folder: Path) -> None:
    assert shop("source", "add", "mine", "members.csv").status == 0
    assert shop("dataset", "add", "mine", "--source", "mine", "--table", "members").status == 0
    text = (folder / "request.yaml").read_text()
    (folder / "r.yaml").write_text(text.replace("dataset: members", "dataset: mine"))
    assert shop("request", "run", "r.yaml", "--certify", "c.json").status == 0
    members = folder / "members.csv"
    members.write_text("".join(members.read_text().splitlines(keepends=True)[:-1]))
    done = shop("certificate", "verify", "c.json")
    assert (done.status, "of another version of the dataset" in done.err) == (1, True)


def test_a_hierarchy_that_changed_is_named(shop: Program, certified: Path, folder: Path) -> None:
    (folder / "sex2.csv").write_text("f,any,*\nm,any,*\n")
    assert shop("hierarchy", "add", "sex", "sex2.csv").status == 0
    done = shop("certificate", "verify", "c.json")
    assert "a hierarchy was changed" in done.err, done.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("recoding: local", "recodes locally"),
        ("search: {algorithm: paper-ola, objective: classes}", "proves no optimum"),
        ("search: {algorithm: pak, then_certify: false}", "proves no optimum"),
    ],
)
def test_a_request_without_a_proof_is_refused_before_anything_runs(
    shop: Program, folder: Path, line: str, said: str
) -> None:
    text = (folder / "request.yaml").read_text()
    (folder / "r.yaml").write_text(f"{text}{line}\n")
    done = shop("request", "run", "r.yaml", "--certify", "c.json")
    assert done.status == 2
    assert said in done.err, done.err
    assert not (folder / "c.json").exists()
    assert not (folder / "out").exists()


def test_a_search_that_was_stopped_is_released_and_not_certified(shop: Program, folder: Path) -> None:
    text = (folder / "request.yaml").read_text()
    (folder / "r.yaml").write_text(f"{text}search: {{algorithm: exhaustive, budget: {{questions: 3}}}}\n")
    done = shop("request", "run", "r.yaml", "--certify", "c.json", "--json")
    assert done.status == 1
    assert done.document["search"]["certified"] is False
    assert "ended before the optimum was proved" in done.err
    assert not (folder / "c.json").exists()


@pytest.mark.parametrize(
    ("name", "status", "said"),
    sampled(
        [
            ("out/members.csv", 2, "the release gets this name"),
            ("out/members.csv.manifest.json", 2, "the release gets this name"),
            ("x" * 220, 2, "more than 200 bytes"),
            ("request.yaml/c.json", 2, "is a file, not a folder"),
            ("/proc/c.json", 3, "cannot be written"),
        ],
        2,
    ),
)
def test_a_name_that_cannot_be_is_refused_before_anything_runs(
    shop: Program, folder: Path, name: str, status: int, said: str
) -> None:
    done = shop("request", "run", "request.yaml", "--certify", name)
    assert done.status == status
    assert said in done.err, done.err
    assert not (folder / "out").exists()


def test_nothing_is_certified_of_a_request_that_is_only_explained(shop: Program) -> None:
    done = shop("request", "run", "request.yaml", "--explain", "--certify", "c.json")
    assert (done.status, "--certify" in done.err) == (2, True)


def test_a_file_that_is_there_is_kept(shop: Program, certified: Path, folder: Path) -> None:
    before = certified.read_bytes()
    done = shop("request", "run", "request.yaml", "--certify", "c.json")
    assert (done.status, "never replaces a file" in done.err) == (2, True)
    assert certified.read_bytes() == before
    assert shop("request", "run", "request.yaml", "--certify", "none/c.json").status == 2
    assert not list(folder.glob(".ordermade-*"))


def test_a_refused_request_has_a_certificate(shop: Program, folder: Path) -> None:
    text = (folder / "request.yaml").read_text().replace("k: 5", "k: 60").replace("to: 3", "to: 1")
    (folder / "r.yaml").write_text(text)
    done = shop("request", "run", "r.yaml", "--certify", "c.json", "--json")
    assert done.status == 1
    if done.document["status"] == "refused" and done.document.get("nearest"):
        assert json.loads((folder / "c.json").read_text())["answer"] is None
        assert shop("certificate", "verify", "c.json").status == 0
    else:
        pytest.fail(done.out)


def test_the_code_that_decides_is_short_and_imports_nothing_of_the_search() -> None:
    lines = 0
    for name in ("claims", "verification"):
        text = (ENGINE / "certificates" / f"{name}.py").read_text(encoding="utf-8")
        lines += len(text.splitlines())
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("ordermade"):
                assert node.module.split(".")[1] in ("certificates", "errors")
    assert lines <= 400
