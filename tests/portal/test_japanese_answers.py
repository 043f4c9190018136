"""What a page in Japanese answers to wrong inputs: no sentence of it is in English, whatever was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

import pytest
import yaml

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError, Refused, RequestError
from ordermade.portal.words import PORTAL, PortalWords, message_of
from ordermade.reports.language import Language
from ordermade.requests.methods import REQUESTS
from ordermade.requests.read import read_request
from ordermade.requests.row_filter import row_condition
from ordermade.service.own_hierarchies import read_own
from tests.portal.clinic import REQUEST
from tests.portal.office import Browser, PortalOffice, made
from tests.portal.people import with_people

JAPANESE = PortalWords(Language.of("ja", catalogue=PORTAL))
_SHOWN = re.compile(
    r"&#39;.*?&#39;|'[^']*'|`[^`]*`|「.*?」|たとえば.*?と書|\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|SELECT .*|[\w.]+: [\w.]+"
)
"""What was sent, names, and what is to be written: none of these has a language."""
_SENTENCE = re.compile(r"[A-Za-z]+(?: [a-z]{2,}){2,}")
ODD: tuple[Any, ...] = (
    None,
    "",
    "odd",
    " ",
    "1",
    True,
    0,
    1,
    -1,
    1.5,
    10**13,
    [],
    ["odd"],
    [1, 1],
    {},
    {"odd": 1},
    {"a": {}},
)
"""Values that hardly any field takes."""
BASES: Mapping[str, Mapping[str, Any]] = {
    "generalization": {
        "quasi_identifiers": {"age": {"hierarchy": "age", "from": 0}},
        "sensitive": {"town": [{"model": "distinct_l", "l": 2}]},
        "search": {"algorithm": "guided", "budget": {"seconds": 1}},
        "risk": {"highest": 0.1},
        "recoding": {"kind": "local"},
    },
    "microaggregation": {"attributes": {"age": {"weight": 2}}, "within": {"town": {"hierarchy": "town", "level": 1}}},
    "mondrian": {"quasi_identifiers": {"age": {"hierarchy": "age"}}, "mondrian": {"variant": "median"}},
    "history": {"history": {"customer": "age", "when": "town", "item": "town", "numbers": ["age"]}},
    "table": {"rows": ["age"], "columns": ["town"], "cells": ["count"], "dimensions": {"age": {"level": 1}}},
}


def english(message: str) -> list[str]:
    """The parts of a message that a page in Japanese says in English."""
    said = JAPANESE.said(message)
    marked = [each.text for each in said if each.language]
    return marked + [found for each in said for found in _SENTENCE.findall(_SHOWN.sub("", each.text))]


def of_error(error: OrdermadeError) -> list[str]:
    """What of an error is in English: of every problem where it lists them."""
    problems = getattr(error, "problems", ()) or (message_of(error),)
    return [found for each in problems for found in english(each)]


def whole(method: str, **changed: Any) -> dict[str, Any]:
    """A request of a method, with some of it changed."""
    return {"dataset": "people", "method": method, "k": 5, **BASES[method], "release": {"to": "out.csv"}, **changed}


def paths(content: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of each value within mappings and lists."""
    if at:
        yield at
    parts = content.items() if isinstance(content, Mapping) else enumerate(content) if isinstance(content, list) else ()
    for key, each in parts:
        yield from paths(each, (*at, key))


def with_value(content: Any, at: tuple[Any, ...], value: Any) -> Any:
    """The content with another value at a place."""
    if not at:
        return value
    if isinstance(content, Mapping):
        return {**content, at[0]: with_value(content.get(at[0]), at[1:], value)}
    return [with_value(each, at[1:], value) if place == at[0] else each for place, each in enumerate(content)]


def texts(method: str) -> Iterator[str]:
    """Texts of requests with one odd value each, in every field that the method has, and in the parts of its base."""
    base = whole(method)
    places = [*paths(base), *((key,) for key in REQUESTS[method].model_fields)]
    for at in dict.fromkeys(places):
        for value in ODD:
            yield yaml.safe_dump(with_value(base, at, value), sort_keys=False)
        if isinstance(at[-1], str):
            yield yaml.safe_dump(with_value(base, (*at[:-1], f"{at[-1]}s"), 1), sort_keys=False)


@pytest.mark.parametrize("method", list(BASES))
def test_a_request_that_cannot_be_read(method: str) -> None:
    found, refused = set(), 0
    for text in texts(method):
        try:
            read_request(text)
        except RequestError as error:
            refused += 1
            found.update(of_error(error))
    assert refused > 100
    assert found == set()


@pytest.mark.parametrize(
    "text",
    [
        *("", "# nothing", "- a", "just a text", "[" * 100, 'title: "\\UFFFFFFFF"', 'title: "\\ud800"', "a: \0"),
        *("title: !!int 5", "title: &a b", "title: *a", "k: 5\nk: 6", "? [a]\n: 3", "a: b\n---\nc: d", "keep: [a"),
        *("dataset: CHANGE ME", "dataset: …\nquasi_identifiers: {…: {hierarchy: …}}\nrelease: {to: …}"),
        *("title: " + "x" * 1_100_000, "\n".join(f"x{n}: 1" for n in range(60))),
    ],
)
def test_a_text_that_is_no_request(text: str) -> None:
    with pytest.raises(RequestError) as refused:
        read_request(text)
    assert of_error(refused.value) == []


FILTERS = (
    *(
        "",
        "  ",
        "age >",
        "age = 'x",
        "age; town",
        "age = 1 -- odd",
        "age = \0",
        "((((((((((((((((((((((((age))))",
        "x" * 10_001,
    ),
    *("height > 3", '"Uji" = town', "people.age = 1", "age = NULL", "age IS 5", "town LIKE '%a'"),
    *(
        "age + 1 > 3",
        "age = town",
        "age = (SELECT 1)",
        "age = ?",
        "*",
        "born > CURRENT_DATE",
        "1 < age < 9",
        "TRUE",
        "5",
    ),
    *(
        "age IS NOT DISTINCT FROM 5",
        "age IS DISTINCT FROM 5",
        "LENGTH(town) > 3",
        "age = 1e999",
        "age = 'x'",
        "age = 1.5",
    ),
    *("age = DATE 'x'", "age = TIMESTAMP '2013'", "born = '2013'", "born = 5", "town = 5", "town > 'a' AND is_in = 5"),
    *("is_in > TRUE", "share = 'x'", "share = TRUE", "at = 'x'", "age = -200"),
    *(
        "town ILIKE 'a%'",
        "age BETWEEN 1 AND 'x'",
        "age IN (1, 'x')",
        "age IN ()",
        "NOT",
        "age AND",
        "a AND",
    ),
    *("clock = '99'", "id = 'x'", "single = 0.1234567890123", "span = 5", "NOT " * 70 + "is_in"),
)
TYPES = {
    "age": "TINYINT",
    "town": "VARCHAR",
    "born": "DATE",
    "is_in": "BOOLEAN",
    "share": "DECIMAL(5,2)",
    "a": "BOOLEAN",
    "at": "TIMESTAMP_MS",
    "clock": "TIME",
    "id": "UUID",
    "single": "FLOAT",
    "wide": "DOUBLE",
    "span": "INTERVAL",
}


@pytest.mark.parametrize("where", FILTERS)
def test_a_filter(where: str) -> None:
    with pytest.raises(InputError) as refused:
        row_condition(where, TYPES)
    assert of_error(refused.value) == []


HIERARCHIES = (
    *("", "a", "[a]", "a: b", "intervals: 5", "intervals: {}", "intervals: {levels: 5}", "intervals: {levels: []}"),
    *("intervals: {levels: [{}]}", "intervals: {levels: [{width: x}]}", "intervals: {levels: [{width: 0}]}"),
    *("intervals: {levels: [{width: 1, bounds: [1]}]}", "intervals: {levels: [{bounds: [1], origin: 1}]}"),
    *("intervals: {levels: [{width: 5}, {width: 5}]}", "intervals: {levels: [{bounds: [2, 1]}]}"),
    *("intervals: {levels: [{width: 5, name: '*'}]}", "intervals: {levels: [{width: 5, name: ''}]}"),
    *(
        "intervals: {levels: [{width: 5, name: '7'}]}",
        "intervals: {levels: [{width: 5, name: a}, {width: 9, name: A}]}",
    ),
    *("intervals: {unit: a b, levels: [{width: 5}]}", "intervals: {below: 9, above: 1, levels: [{width: 5}]}"),
    *("intervals: {levels: [{width: 1.123456789012345678}]}", "intervals: {levels: [{wide: 5}]}"),
    *("date: 5", "date: []", "date: [week]", "date: [day, day]", "date: [dya]"),
    *("prefix: {}", "prefix: {keep: []}", "prefix: {keep: [1, 1]}", "prefix: {keep: [999999999]}"),
    *("prefix: {keep: [1], mask: ab, length: 5}", "prefix: {keep: [x]}"),
    *("mapping: {}", "mapping: {a: [x], b: [x, y]}", "mapping: {a: [x]}\nmapping: {}"),
    *(
        "mapping: {a: x}",
        "mapping: {a: ['']}",
        "mapping: {a: [x]}\nlevels: [a, b, c, d]",
    ),
    *(
        "ordered: {values: [a, b], levels: [{cuts: [c]}]}",
        "ordered: {values: [a, b], levels: [{cuts: [b], labels: [x]}]}",
    ),
    *(
        "ordered: {values: [a, a], levels: []}",
        "ordered: {values: [a, b, c], levels: [{cuts: [b, c], labels: [x, y, x]}]}",
    ),
    *("date: [day]\nprefix: {keep: [1]}", "date: [day]\nlevels: [a]", "a: &b c", "a: *b", "a: !c d", "? [a]\n: b"),
    *("a: [", "a: \0", 'a: "\\ud800"', "a: b\n---\nc: d", "a\u202eb: c", "x" * 500_001, "[" * 30 + "]" * 30),
    "intervals: {levels: [" + ", ".join(f"{{width: {n}}}" for n in range(1, 99)) + "]}",
    "mapping: {a: [" + "x" * 300 + ", '*'], b: [y, '*']}",
)
TABLES = (
    "",
    "a",
    "\n",
    "a;b\nc",
    "a;b\n\nc;d",
    "a;b\na;c",
    'a;"b',
    "a;b\na;c\nd;e\nd;e",
    "value;level\na;",
    "a,b;c\nd",
)


@pytest.mark.parametrize(
    ("form", "text"), [*(("yaml", each) for each in HIERARCHIES), *(("csv", each) for each in TABLES)]
)
def test_a_hierarchy(form: Any, text: str) -> None:
    with pytest.raises(InputError) as refused:
        read_own(text, form, "ann/own")
    assert of_error(refused.value) == []


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> PortalOffice:
    """A portal with people, whose policy has many rules."""
    folder = tmp_path_factory.mktemp("japanese")
    office = with_people(made(folder), folder)
    office.engine.policies.set(
        {
            "dataset": "people",
            "k": 5,
            "ks": [5, 10],
            "suppression": "5 %",
            "finest": {"town": 1},
            "never": {"keep": ["age"]},
            "filters": {"released_only": True},
            "terms": "誰も探しません。",
        }
    )
    return office


@pytest.fixture(scope="module")
def user(office: PortalOffice) -> Engine:
    return Engine(office.state, token=office.engine.users.token("ann").secret)


def requests() -> Iterator[dict[str, Any]]:
    """Requests that can be read, and do not fit the dataset or its policy."""
    for method in BASES:
        yield whole(method)
        for key in ("age", "town"):
            yield whole(method, keep=[key])
            yield whole(method, identifiers=[key], keep=[key])
        yield whole(method, keep=["height"], identifiers=["a", "b"])
        yield whole(method, dataset="nobody", where="height > 3")
        yield whole(method, k=3)
        yield whole(method, release={"to": {"table": "x"}})
        yield whole(method, release={"to": "nul.csv"})
        yield whole(method, release={"to": "out.csv", "shape": "table"}, keep=["town"])
        yield whole(method, release={"to": "out.xlsx", "pseudonym": "person"})
        yield whole(method, release={"to": "out.csv", "pseudonyms": "letters"})
        yield whole(method, title="x" * 300)
        yield whole(method, where="age > 23")
        yield whole(method, where="town = 'Uji' AND age >= 25")
        yield whole(method, where="age >= 30")
    levels = (
        {"hierarchy": "ages"},
        {"hierarchy": "town"},
        *({"hierarchy": "age", key: n} for key in ("from", "to") for n in ("x", 9)),
    )
    for each in (*levels, {"hierarchy": "age", "from": 2, "to": 1}):
        yield whole("generalization", quasi_identifiers={"age": each})
        yield whole("mondrian", quasi_identifiers={"age": each}, mondrian={"variant": "hierarchy"})
    yield whole("generalization", quasi_identifiers={"age": {"hierarchy": "age"}, "Age": {"hierarchy": "age"}})
    yield whole("generalization", quasi_identifiers={"town": {"hierarchy": "town", "from": 0}}, sensitive={})
    yield whole("generalization", suppression_limit=0.5, sensitive={"age": [{"model": "t_closeness", "t": 0.11}]})
    yield whole(
        "generalization", suppression_limit=0.03, risk={"highest": 0.07, "average": 0.07, "sampling_fraction": 0.3}
    )
    yield whole("generalization", search={"objective": "classes", "weights": {"age": 2}})
    yield whole("generalization", search={"objective": "prec", "weights": {"age": 0}, "budget": {"seconds": 1}})
    yield whole("generalization", search={"weights": {"height": 2}}, suppressed="rows")
    for mondrian in ({"target": "town"}, {"strict": True}, {"split": "tf-idf", "rules": "r.yaml"}, {"labels": "range"}):
        yield whole("mondrian", mondrian=mondrian)
    for aggregation in ({"algorithm": "optimal"}, {"algorithm": "mdav", "budget": {"seconds": 3}}):
        yield whole("microaggregation", microaggregation=aggregation)
    yield whole("microaggregation", attributes={"town": {}})
    yield whole("microaggregation", attributes={"town": {"hierarchy": "age"}})
    for history in ({"map": "m.csv"}, {"items": "i.csv"}, {"window": 2}, {"sort": ["age"]}):
        yield whole("history", history={**BASES["history"]["history"], **history})
    for table in (
        {"rows": ["town.x"]},
        {"rows": ["height"]},
        {"rows": ["age", "age"]},
        {"totals": ["x"]},
        {"page": "p.html"},
    ):
        yield whole("table", **table)
    yield whole("table", cells=["sum of town"])
    yield whole("table", cells=["count", "count"])
    yield whole("table", dominance={"contributors": 1, "share": 75})


def test_a_request_that_does_not_fit_its_dataset_or_policy(user: Engine) -> None:
    found, refused = set(), 0
    for request in requests():
        for call in (user.submissions.submit, user.check):
            try:
                call(request)
            except (InputError, Refused) as error:
                refused += 1
                found.update(of_error(error))
    assert refused > 100
    assert found == set()


def in_japanese(office: PortalOffice, name: str) -> Browser:
    """A browser of a user, in Japanese."""
    browser = office.browser(name)
    browser.client.headers["accept-language"] = "ja"
    return browser


def shown(browser: Browser) -> list[str]:
    """What of the page looked at last is in English."""
    page = re.sub(r"(?s)<(pre|code|textarea|option|script|nav|header|footer)\b.*?</\1>", "", browser.last.text)
    marked = re.findall(r'<span lang="en">(.*?)</span>', page)
    plain = _SHOWN.sub("", unescape(re.sub(r"(?s)<[^>]*>", "\n", page)))
    return marked + _SENTENCE.findall(plain)


FORMS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("/login", "/login", {"name": "ann", "password": "wrong"}),
    ("/requests/new?dataset=people", "/requests/new", {"dataset": "people"}),
    ("/requests/new?dataset=people", "/requests/new", {"dataset": "people", "shape": "rows"}),
    ("/requests/new?dataset=people", "/requests/new", {"dataset": "people", "shape": "rows", "column.0": "x"}),
    ("/requests/new?dataset=people", "/requests/new", {"dataset": "nobody"}),
    ("/requests/new?dataset=people", "/requests/text", {"dataset": "people", "text": "k: x"}),
    ("/requests/new?dataset=people", "/requests/text", {"dataset": "people", "text": REQUEST.format(title="x")}),
    ("/requests/new?dataset=people", "/requests/text", {"dataset": "people", "why": "x" * 600}),
    ("/hierarchies?dataset=people", "/hierarchies", {"dataset": "people", "column": "age", "name": "x"}),
    ("/hierarchies?dataset=people", "/hierarchies", {"dataset": "people", "file": "x"}),
    ("/hierarchies?dataset=people", "/hierarchies/remove", {"name": "ann/none"}),
    ("/requests", "/requests/1/revise", {"revision": "1", "status": "predicted", "text": "k: x"}),
    ("/requests", "/requests/1/revise", {"revision": "9", "status": "predicted", "text": "k: x"}),
    ("/requests", "/requests/1/accept", {"revision": "1", "status": "predicted"}),
    ("/requests", "/requests/1/accept", {"revision": "x", "status": "predicted"}),
    ("/requests", "/requests/1/withdraw", {"revision": "9", "status": "predicted"}),
    ("/requests", "/requests/99/withdraw", {"revision": "1", "status": "predicted"}),
    ("/requests", "/requests/1/comments", {"about": "x", "text": "", "revision": "1", "status": "predicted"}),
)


def chosen(**changed: str) -> dict[str, str]:
    """The form of the builder for one column, with some of it changed."""
    fields = {"dataset": "people", "shape": "rows", "k": "5", "limit": "0", "column.0": "age", "use.0": "at:1:age"}
    return {**fields, "column.1": "town", "use.1": "", "title": "x", "terms": "yes", **changed}


BUILT = (
    *({"k": each} for each in ("", "x", "3", "7", "99999999999999999999")),
    *({"use.0": each} for each in ("", "x", "keep", "at:9:age")),
    *({"use.1": each} for each in ("keep", "at:0:town")),
    *({"shape": each, "use.1": "keep"} for each in ("x", "table")),
    *({"limit": each} for each in ("x", "0.5")),
    *({"where": each} for each in FILTERS if "\0" not in each),
    *({"where": each} for each in ("age > 23", "town = 'Uji'", "age >= 25")),
    *({"title": each} for each in ("x" * 300, "\u202e")),
    *({"terms": each} for each in ("", "xxxx")),
)


@pytest.mark.parametrize(("page", "to", "fields"), FORMS)
def test_a_form(office: PortalOffice, user: Engine, page: str, to: str, fields: Mapping[str, str]) -> None:
    if not user.submissions.list():
        user.submissions.submit(
            whole("generalization", **{each: {} for each in ("sensitive", "search", "risk")}, recoding="full-domain"),
            accept_terms=True,
        )
    browser = in_japanese(office, "ann") if page != "/login" else office.browser()
    browser.client.headers["accept-language"] = "ja"
    browser.get(page)
    browser.post(to, **fields)
    assert browser.last.status_code >= 400
    assert shown(browser) == []


def test_the_form_of_the_builder(office: PortalOffice) -> None:
    browser = in_japanese(office, "ann")
    found = set()
    for changed in BUILT:
        for to in ("/requests/new", "/requests/forecast"):
            browser.get("/requests/new?dataset=people")
            browser.post(to, **chosen(**changed))
            if browser.last.status_code >= 400 or to.endswith("forecast"):  # which says mistakes as it says a forecast
                found.update((str(changed), each) for each in shown(browser))
    assert found == set()
