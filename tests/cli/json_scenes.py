"""Scenes of every command with `--json`: what is typed, in which order, and how it ends."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from ordermade import Engine
from tests.cli.conftest import write_hierarchies, write_members, write_request
from tests.cli.test_judge import ORIGINAL, RELEASE, ROLES
from tests.cli.test_microaggregation import REQUEST as MICROAGGREGATED
from tests.cli.test_mondrian import REQUEST as SPLIT
from tests.cli.test_mondrian import RULES
from tests.cli.test_purchase_history import REQUEST as HISTORY
from tests.cli.test_taxonomy import SOLD

EARLIER_STATE = Path(__file__).resolve().parents[1] / "golden" / "earlier" / "state_of_duckdb.sql"
"""The statements that make the state of an earlier engine, a DuckDB file."""


@dataclass(frozen=True)
class Scene:
    """A command with an outcome. `before`: done in the folder first; `keys`: that the document has, with values.

    `given`: what stands on standard input.
    """

    command: str
    outcome: str
    arguments: tuple[str, ...]
    status: int = 0
    before: Callable[[Path], object] | None = None
    keys: tuple[tuple[str, object], ...] = ()
    given: str = ""

    @property
    def name(self) -> str:
        """The scene in a word."""
        return f"{' '.join(self.arguments)}: {self.outcome}"


def scene(
    typed: str,
    outcome: str = "done",
    status: int = 0,
    before: Callable[[Path], object] | None = None,
    /,
    **keys: object,
) -> Scene:
    """A scene from the command line as it is typed; `--json` follows."""
    words = tuple(typed.split())
    noun, _, _ = typed.partition(" ")
    single = noun in ("init", "anonymize", "measure", "sweep")
    nested = words[1:2] == ("opt-out",)
    return Scene(noun if single else " ".join(words[: 2 + nested]), outcome, words, status, before, tuple(keys.items()))


LOCAL = """\
title: Members at several levels
dataset: members
k: 5
quasi_identifiers: {{sex: {{hierarchy: sex}}, age: {{hierarchy: age}}, city: {{hierarchy: city}}}}
recoding: {recoding}
suppression_limit: 0.05
sensitive: {{plan: [{{model: distinct_l, l: 2}}]}}
identifiers: [name, phone]
release: {{to: out/{recoding}.csv}}
"""

CODES = """\
code,parent,valid_from,valid_to
Kyoto,,,
Uji,Kyoto,2020-01-01,
a,b,,2010-03-31
b,a,,2010-03-31
"""
"""Codes with a cycle, which is over by 2010."""


def files(folder: Path) -> None:
    """The files of the scenes."""
    write_members(folder / "members.csv")
    write_hierarchies(folder)
    write_request(folder / "request.yaml")
    write_request(folder / "malformed.yaml", k=0)
    refused = write_request(folder / "refused.yaml", k=20, end=1)
    refused.write_text(refused.read_text("utf-8").replace("city}", "city, to: 0}"), encoding="utf-8")
    with duckdb.connect(folder / "members.duckdb") as database:
        database.execute("CREATE TABLE members AS SELECT * FROM read_csv($file)", {"file": str(folder / "members.csv")})
    view = (folder / "request.yaml").read_text("utf-8").replace("dataset: members", "dataset: stored")
    (folder / "view.yaml").write_text(view.replace("out/members", "out/view"), encoding="utf-8")
    for recoding in ("local", "sealed"):
        text = LOCAL.format(recoding=recoding)
        if recoding == "sealed":
            text = text.replace("recoding: sealed", "recoding: {kind: local, seal: true}")
        (folder / f"{recoding}.yaml").write_text(text, encoding="utf-8")
    (folder / "policy.yaml").write_text("dataset: members\nk: 2\nnever: {ask: [name]}\n", encoding="utf-8")
    requested = (folder / "request.yaml").read_text("utf-8")
    forbidden = requested.replace("keep: [", "keep: [name, ").replace("identifiers: [name, ", "identifiers: [")
    (folder / "forbidden.yaml").write_text(forbidden, encoding="utf-8")
    (folder / "opted-out.txt").write_text("Zqxname1\nZqxname2\n", encoding="utf-8")
    (folder / "sold.csv").write_text(SOLD, encoding="utf-8")
    (folder / "few.csv").write_text("item,category\n10,kitchen\n11,light\n", encoding="utf-8")
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    split = SPLIT.format(k=4, variant="hierarchy").replace("out/members.csv", "out/split.csv")
    (folder / "split.yaml").write_text(split, encoding="utf-8")
    (folder / "split_refused.yaml").write_text(
        split.replace("k: 4", "k: 500").replace("out/", "none/"), encoding="utf-8"
    )
    ages = MICROAGGREGATED.format(k=5, level=0)
    (folder / "ages.yaml").write_text(ages, encoding="utf-8")
    (folder / "ages_refused.yaml").write_text(ages.replace("k: 5", "k: 500").replace("out/", "none/"), encoding="utf-8")
    rows = [
        f"c{who},2011-0{month}-1{who},{'ab'[who % 2]},{month}.50,{-1 if who == month == 1 else 1}"
        for who in range(5)
        for month in (1, 2, 3)
    ]
    (folder / "purchases.csv").write_text("\n".join(["who,day,item,price,quantity", *rows]) + "\n", encoding="utf-8")
    table = "dataset: members\nk: 4\nrows: [age]\ndimensions: {age: {level: 1}}\nrelease: {to: out/cells.csv}\n"
    (folder / "table.yaml").write_text(table, encoding="utf-8")
    (folder / "table_refused.yaml").write_text(
        table.replace("k: 4", "k: 500").replace("out/", "none/"), encoding="utf-8"
    )
    (folder / "history.yaml").write_text(HISTORY.format(k=2), encoding="utf-8")
    (folder / "history_refused.yaml").write_text(HISTORY.format(k=6).replace("out/", "none/"), encoding="utf-8")
    (folder / "T.csv").write_text(ORIGINAL, encoding="utf-8")
    (folder / "A.csv").write_text(RELEASE, encoding="utf-8")
    (folder / "codes.csv").write_text(CODES, encoding="utf-8")


def _change_release(folder: Path) -> None:
    release = folder / "out" / "local.csv"
    kept = release.read_text("utf-8").splitlines(keepends=True)[:-1]
    release.write_text("".join(kept), encoding="utf-8")


def _counts(folder: Path) -> None:
    (folder / "counts.csv").write_text("sex,n\nf,72\nm,72\nTotal,144\n", encoding="utf-8")


def _published(folder: Path) -> None:
    (folder / "published.csv").write_text("sex,count\nf,X\nm,4\nTotal,9\n", encoding="utf-8")


def _earlier_state(folder: Path) -> None:
    with duckdb.connect(folder / "earlier.duckdb") as database:
        database.execute(EARLIER_STATE.read_text("utf-8"))


def _no_state(folder: Path) -> None:
    shutil.rmtree(folder / ".ordermade")


_MEASURE = "measure members.csv --quasi-identifiers sex,age --sensitive plan"
_PARTS = "--k 5 --quasi-identifiers sex,age,city --keep plan --identifiers name,phone"

REGISTRATIONS = (
    scene("source list", "no state", 3),
    scene("state convert", "no earlier state", 3),
    scene("state convert earlier.duckdb", "done", 0, _earlier_state),
    scene("state convert earlier.duckdb", "there is a state", 2),
    scene("init", "done", 0, _no_state, created=True),
    scene("init", "again", created=False),
    scene("state status"),
    scene("state migrate", "nothing to do", applied=[]),
    scene("state backup copy.sqlite"),
    scene("state backup copy.sqlite", "the file exists", 2),
    scene("state restore copy.sqlite"),
    scene("state restore members.duckdb", "no state", 3),
    scene("audit list"),
    scene("audit verify", "intact", intact=True),
    scene(f"audit verify --head {'0' * 63}1", "another head", 3, intact=False),
    scene("audit export audit.jsonl"),
    scene("audit export audit.jsonl", "the file exists", 2),
    scene("state verify", "sound", sound=True),
    scene("cache list", "empty", entries=[]),
    scene("source list", "empty", sources=[]),
    scene("dataset list", "empty", datasets=[]),
    scene("hierarchy list", "empty", hierarchies=[]),
    scene("request list", "empty", requests=[]),
    scene("release list", "empty", releases=[]),
    scene("observations list", "empty", observations=[]),
    scene("observations stats", "nothing measured", version=None),
    scene("observations plot k.svg", "nothing measured", 1),
    scene("observations plot c.svg --calibration", "no forecast", 1),
    scene("source add shop members.csv --allow-inline"),
    scene("source add shop members.csv", "the name is taken", 2),
    scene("source list"),
    scene("source show shop"),
    scene("source show nowhere", "no such name", 2),
    scene("source check shop"),
    scene("dataset add members --source shop --table members --least-k 2"),
    scene("dataset list"),
    scene("dataset show members"),
    scene("dataset show nowhere", "no such name", 2),
    scene("dataset refresh members"),
    scene("dataset refresh nowhere", "no such name", 2),
    scene("dataset change-log members", "of no server", 2),
    scene("dataset opt-out list", "empty", datasets=[]),
    scene("dataset add persons --source shop --table members --entity name"),
    scene("dataset opt-out add persons opted-out.txt"),
    scene("dataset opt-out add members opted-out.txt", "no entity column", 2),
    scene("dataset opt-out list"),
    scene("dataset opt-out remove persons --all"),
    scene("dataset opt-out remove persons", "nobody named", 2),
    scene("dataset remove persons"),
    scene("policy list", "empty", policies=[]),
    scene("retention apply --dry-run", "no policy", datasets=[]),
    scene("policy check policy.yaml"),
    scene("policy check request.yaml", "no policy", 2),
    scene("policy set policy.yaml"),
    scene("policy set request.yaml", "no policy", 2),
    scene("policy list"),
    scene("policy show members"),
    scene("policy show nowhere", "no such name", 2),
    scene("policy diff members"),
    scene("retention apply", "nothing is old", expired=[]),
    scene("retention apply now", "another word", 2),
    scene("policy diff members policy.yaml", "with a file", changes=[]),
    scene("request check forbidden.yaml", "against the policy", 1),
    scene("hierarchy add sex sex.csv", outcome="added"),
    scene("hierarchy add age age.csv"),
    scene("hierarchy add city city.yaml"),
    scene("hierarchy add sex nowhere.csv", "no such file", 2),
    scene("source add codes codes.csv", "code list"),
    scene(
        "hierarchy add town --source codes --table codes --code code --parent parent --valid-on 2024-04-01", "code list"
    ),
    scene("hierarchy add looped --source codes --table codes --code code --parent parent", "a cycle", 2),
    scene("hierarchy refresh town", outcome="unchanged"),
    scene("hierarchy refresh sex", "no code list", 2),
    scene("hierarchy list"),
    scene("hierarchy show age"),
    scene("hierarchy check age --dataset members --column age", "usable", usable=True),
    scene("hierarchy check sex --dataset members --column age --show-values", "not usable", 2, usable=False),
    scene("source list --nonsense", "unknown option", 2),
    scene("release show", "missing argument", 2),
    scene("release show one", "no number", 2),
)
"""The scenes of what is registered, in the order in which they are run in one folder."""

REQUESTS = (
    scene("hierarchy suggest members age", "printed"),
    scene("hierarchy suggest members age --to drafted.yaml", "written"),
    scene("hierarchy suggest members --all --to drafts", "all written"),
    scene("request draft members --k 5", "printed"),
    scene("request draft members --k 5 --to drafted_request.yaml", "written"),
    scene("request check request.yaml", "sound", sound=True),
    scene("request check request.yaml --data", "sound, of its data", sound=True),
    scene("request check malformed.yaml", "malformed", 2, sound=False),
    scene("request check split.yaml", "mondrian", method="mondrian"),
    scene("request check local.yaml", "local recoding", sound=True),
    scene("request explain request.yaml"),
    scene("request explain malformed.yaml", "malformed", 2),
    scene("request predict request.yaml", "its version seen", verdict="likely"),
    scene("request predict request.yaml --note", "noted", verdict="likely"),
    scene("request run malformed.yaml", "malformed", 2),
    scene("request run request.yaml --explain", "explained"),
    scene("request run request.yaml --certify c.json", "generalization released", status="released"),
    scene("request run request.yaml", "returned", returned=1),
    scene("request run refused.yaml", "generalization refused", 1, status="refused"),
    scene("request run local.yaml", "local rounds released", status="released"),
    scene("request run sealed.yaml", "sealed released", status="released"),
    scene("source add warehouse members.duckdb", "of a database"),
    scene("dataset add stored --source warehouse --table members"),
    scene("request run view.yaml --as-view now", "a view", status="released"),
    scene("request offers refused.yaml", "refused", status="refused"),
    scene("request offers request.yaml", "passes", status="passes"),
    scene("request run refused.yaml --offer 99", "no such offer", 2),
    scene("request run refused.yaml --offer 1", "offer released", status="released"),
    scene("request predict request.yaml", "counted"),
    scene("request list"),
    scene("request show 1"),
    scene("request show 99", "no such number", 2),
    scene("request rerun 1", again=1),
    scene("request rerun 99", "no such number", 2),
    scene("request diff 1 2"),
    scene("request diff 1 99", "no such number", 2),
    scene("request schedule 1 --monthly", request=1),
    scene("request schedule 99 --monthly", "no such number", 2),
    scene("release list"),
    scene("release show 1"),
    scene("release show 99", "no such number", 2),
    scene("release report 1", "superseded", 1),
    scene("release report 2"),
    scene("release report 2 --for user --html two.html", "with a page"),
    scene("release report 2 --html two.txt", "no page", 2),
    scene("release verify 2", "intact", intact=True),
    scene("judge recoding out/local.csv --original members.csv"),
    scene("judge releases 1 5", "released together", answer="safe"),
    scene("judge releases 2 99", "no such number", 2),
    scene("ledger show"),
    scene("ledger show --dataset nobody", "of none", entries=[], disclosed=[]),
    scene("ledger check request.yaml", "checked", 1, answer="undecided"),
    scene("ledger check malformed.yaml", "malformed", 2),
    scene("ledger import counts.csv --as members --count n --hierarchy sex=sex", "a table", 0, _counts, is_new=True),
    scene("ledger import counts.csv --as members --count n --hierarchy sex=sex", "the same again", is_new=False),
    scene("ledger import counts.csv --as nobody", "of no dataset", 2),
    scene("ledger import out/local.csv --as members", "of no levels", answer="undecided"),
    scene("ledger destroyed 1", status="destroyed"),
    scene("ledger destroyed 1", "destroyed before", 2),
    scene("ledger destroyed 99", "no such entry", 2),
    scene("release verify 2", "changed", 3, _change_release, intact=False),
    scene("certificate verify c.json", holds=True),
    scene("certificate verify sex.csv", "no certificate", 2),
    scene("certificate copy c.json user.json --for user"),
    scene("cache list"),
    scene("observations list"),
    scene("observations export measured.csv"),
    scene("observations export", "without a file", 2),
    scene("observations stats"),
    scene("observations plot k.svg"),
    scene("observations prune --earlier-versions --dry-run", "counted", dry_run=True),
    scene("observations prune --dataset members", "pruned"),
    scene("cache purge --dataset members", "of a dataset"),
    scene("cache purge"),
    scene("sweep request.yaml --k 2,5,500"),
    scene("sweep request.yaml --k none", "malformed", 2),
    scene(_MEASURE),
    scene(_MEASURE + " --sampling-fraction 0.1 --entity phone", "persons of a sample"),
    scene("measure nowhere.csv --quasi-identifiers sex", "no such file", 2),
    scene(f"anonymize members.csv {_PARTS}", "full-domain", method="full-domain"),
    scene(f"anonymize members.csv {_PARTS} --method local --to local.csv --compare", "local", method="local"),
    scene("anonymize members.csv --k 5 --to none.csv", "roles to be named", 2),
    scene("taxonomy suggest sold.csv --item code --description words --to categories.csv"),
    scene("taxonomy check categories.csv sold.csv --item code", "complete", complete=True),
    scene("taxonomy check few.csv sold.csv --item code --list", "incomplete", 1, complete=False),
    scene("taxonomy keywords", "printed"),
    scene("taxonomy keywords --to ours.yaml", "written"),
    scene("microaggregation methods"),
    scene("judge recoding nowhere.csv --hierarchy age=age.csv", "no such file", 2),
    scene("judge table published.csv", "with marks", 0, _published),
    scene("judge table nowhere.csv", "no such file", 2),
    scene("hierarchy remove sex"),
    scene("hierarchy remove sex", "no such name", 2),
    scene("dataset remove members"),
    scene("source remove shop"),
)
"""The scenes of requests and tables, in the same folder after these."""

METHODS = (
    scene("source add sales purchases.csv"),
    scene("dataset add purchases --source sales --table purchases --least-k 2"),
    scene("request check ages.yaml", "microaggregation", method="microaggregation"),
    scene("request check history.yaml", "history", method="history"),
    scene("request check table.yaml", "table", method="table"),
    scene("request predict table.yaml", "tables, never counted", verdict="open"),
    scene("request run split.yaml", "mondrian released", status="released"),
    scene("request run split.yaml", "mondrian returned", returned=1),
    scene("request run split_refused.yaml", "mondrian refused", 1, status="refused"),
    scene("request run ages.yaml", "microaggregation released", status="released"),
    scene("request run ages_refused.yaml", "microaggregation refused", 1, status="refused"),
    scene("request run history.yaml", "history released", status="released"),
    scene("request run history_refused.yaml", "history refused", 1, status="refused"),
    scene("request run table.yaml --certify tables.json", "table released", status="released"),
    scene("certificate verify tables.json", "of tables", holds=True),
    scene("release report 4 --for user", "of tables"),
    scene("request predict table.yaml", "tables", verdict="passes"),
    scene("request run table_refused.yaml", "table refused", 1, status="refused"),
    scene("request offers table.yaml", "tables pass", status="passes"),
    *(scene(f"request show {number}", f"of each method, {number}") for number in (1, 3, 5)),
    scene("sweep split.yaml --k 4", "mondrian", method="mondrian"),
    scene("sweep ages.yaml --k 5", "microaggregation", method="microaggregation"),
    scene("sweep history.yaml --k 2,500", "history", method="history"),
    scene("sweep table.yaml --k 4", "table", method="table"),
    scene("sweep history.yaml --k 500", "refused", 1),
    scene("rules check split.yaml"),
    scene("rules check ages.yaml", "of another method", 2),
    scene("rules suggest members --target plan --k 4 --support 0.02 --columns age --where age<24"),
    scene("microaggregation compare members.csv --attributes age --k 5 --algorithms mdav"),
    scene(f"anonymize members.csv {_PARTS} --method mondrian --to m.csv", "mondrian", method="mondrian"),
    scene(
        "anonymize members.csv --k 5 --quasi-identifiers age --keep plan,sex,city --identifiers name,phone "
        "--method microaggregation --to g.csv",
        "microaggregation",
        method="microaggregation",
    ),
    scene(f"judge history T.csv A.csv --map rows {' '.join(ROLES)}", "with attacks"),
    scene(f"judge history T.csv A.csv --map rows --no-attacks {' '.join(ROLES)}", "without attacks"),
)
"""The scenes of the methods that are compiled, in a copy of the folder `registered`."""


def _token_of(name: str) -> Callable[[Path], object]:
    """Puts the token of a user into a file."""

    def put(folder: Path) -> None:
        made = Engine(folder / ".ordermade" / "state.sqlite").users.token(name)
        (folder / f"{name}.token").write_text(made.secret, encoding="utf-8")

    return put


def _by(name: str, words: str, outcome: str, status: int = 0, before: Callable[[Path], object] | None = None) -> Scene:
    """A scene that a user plays."""
    command = " ".join(words.split()[:2])
    return Scene(command, outcome, ("--token-file", f"{name}.token", *words.split()), status, before)


_BANDS = "intervals: {levels: [{width: 7, name: weeks}]}"


def _bands(folder: Path) -> None:
    """Writes the file of a hierarchy."""
    (folder / "bands.yaml").write_text(_BANDS, encoding="utf-8")


def _bands_of_ann(folder: Path) -> None:
    """Uploads a hierarchy of a user's own."""
    _token_of("ann")(folder)
    token = (folder / "ann.token").read_text(encoding="utf-8")
    user = Engine(folder / ".ordermade" / "state.sqlite", token=token)
    user.catalogue.add_hierarchy("members", "age", "bands", _BANDS)


SERVICE = (
    scene("user list", "empty", users=[]),
    scene("user add rei --role reviewer"),
    scene("user add ann --role data-user"),
    scene("user add ann --role king", "no such role", 2),
    scene("user token ann --days 1"),
    scene("user token nobody", "no such user", 2),
    Scene(
        "hierarchy upload",
        "provider",
        ("hierarchy", "upload", "bands", "bands.yaml", "--dataset", "members", "--column", "age"),
        before=_bands,
    ),
    scene("hierarchy upload bands nowhere.yaml --dataset members --column age", "no such file", 2),
    _by("ann", "hierarchy list", "a user's own", before=_bands_of_ann),
    _by("ann", "hierarchy remove ann/bands", "a user's own"),
    scene("request submit refused.yaml"),
    scene("request submit malformed.yaml", "malformed", 2),
    scene("request propose 1", "offers", status="refused"),
    scene("request propose 1 --offer 1", "an offer"),
    scene("request accept 1"),
    scene("request accept 1", "nothing proposed", 1),
    scene("request review 1 --approve", "an own request", 1),
    scene("request approve 1", "without a vote", 1),
    scene("request revise 1 request.yaml"),
    _by("rei", "request review 1 --approve", "approved", before=_token_of("rei")),
    _by("rei", "source list", "not for a reviewer", 1),
    _by("rei", "request comment 1 why --at k", "about k"),
    scene("request comment 1 why --at colour", "about nothing", 2),
    scene("request show 1", "approved"),
    scene("request history 1"),
    scene("request run 1", "a submitted one", status="released"),
    scene("request deliver 1 --to copy.csv"),
    scene("request collect 1 --to mine.csv"),
    scene("request collect 1 --to mine.csv", "the file exists", 2),
    scene("release publish 1 --title Members"),
    scene("release publish 1 --title Others", "published under another title", 1),
    scene("release unpublish 1"),
    scene("release unpublish 1", "not published", 1),
    scene("request list", "submitted and run"),
    scene("request rerun 1", "a submitted one"),
    scene("request rerun 5", "not delivered", 1),
    scene("request withdraw 1"),
    scene("request history 99", "no such number", 2),
    scene("request submit request.yaml", "another"),
    scene("request refuse 6 --why no", "refused"),
    scene("request submit request.yaml", "the third"),
    _by("rei", "request review 7 --refuse --why no", "refused by a vote"),
    scene("request approve 7", "against a vote", 1),
    scene("user add kai --role reviewer", "a second reviewer"),
    _by("ann", "request submit -", "by a data user", before=_token_of("ann")),
    _by("rei", "request review 8 --refuse --why no", "one of two votes"),
    _by("kai", "request review 8 --approve", "the other vote", before=_token_of("kai")),
    scene("request approve 8", "closed by the provider"),
    scene("user list"),
    replace(scene("user password ann"), given="a long password\n"),
    scene("user password ann", "too short", 2),
    scene("user mail ann ann@example.org"),
    scene("user mail ann 'Ann <ann@example.org>'", "a name in front", 2),
    scene("user revoke ann"),
    scene("user remove ann"),
    scene("user remove ann", "no such user", 2),
)
"""The scenes of submitted requests, in a copy of the folder `registered`."""
