"""The scenes that `checks.screens` plays: every command with a good outcome and a failing one, on made-up data."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb

from checks.pages import REPOSITORY

LONG = "a_table_whose_name_is_longer_than_anybody_would_like_it_to_be"
JAPANESE = "会員の一覧表"


@dataclass(frozen=True, slots=True)
class Scene:
    """A command as it is typed in one of the folders, and the exit status that it ends with.

    `folder`: `members`, `purchases` or `recommend`, each made by a demo; `new`: an empty one; `gone`: one without a
    state. `changes`: whether later scenes of that folder need what it does.
    """

    name: str
    typed: str
    status: int = 0
    folder: str = "members"
    changes: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the output is a text for use elsewhere, printed as it is: SQL, YAML, a schema."""
        return self.status == 0 and any(each in self.typed for each in AS_IT_IS)

    @property
    def words(self) -> list[str]:
        """The words of the command, without the program's name."""
        return shlex.split(self.typed)[1:]


AS_IT_IS = (
    *("request explain", "request schema", "request draft small", "suggest small town", "taxonomy keywords"),
    *("policy schema", "policy show members", "ordermade schema", "--json"),
)

SMALL = """\
title: Members by sex and region
dataset: members
k: 20
quasi_identifiers:
  sex: {hierarchy: sex}
  prefecture: {hierarchy: prefecture}
identifiers: [member_id, name]
release: {to: out/small.csv}
"""
BROKEN = """\
title: A request with mistakes
dataset: membres
k: 1
quasi_identifiers:
  sex: {hierarchi: sex}
  prefecture: {hierarchy: prefectures, from: 9}
suppression_limit: 2
release: {to: out/small.exe}
"""
LOCAL = """\
title: Members by sex, age and region, locally
dataset: members
k: 10
recoding: local
quasi_identifiers:
  sex: {hierarchy: sex}
  age: {hierarchy: age}
  prefecture: {hierarchy: prefecture}
identifiers: [member_id, name]
release: {to: out/local.csv}
"""
GROUPED = """\
title: Ages in groups
dataset: members
k: 5
method: microaggregation
attributes: {age: {}}
identifiers: [member_id, name]
release: {to: out/grouped.csv}
"""
SUPPRESSED = """\
title: Members with plans that differ
dataset: members
k: 20
suppression_limit: 0.02
quasi_identifiers:
  sex: {hierarchy: sex}
  age: {hierarchy: age}
  prefecture: {hierarchy: prefecture}
sensitive: {plan: [{model: distinct_l, l: 2}]}
identifiers: [member_id, name]
release: {to: out/plans.csv}
"""
POLICY = """\
dataset: members
k: 5
never: {keep: [name]}
filters: {persons: 20}
terms: Nobody is looked for in what is released.
"""


PUBLISHED = "town,sex,count\nOslo,f,X\nOslo,m,X\nOslo,Total,9\nBergen,f,12\nBergen,m,X\nBergen,Total,20\n"
PUBLISHED += "Total,f,15\nTotal,m,14\nTotal,Total,29\n"
"""A table whose suppressed cells follow from its totals."""


def write_files(members: Path) -> None:
    """Writes the small files that scenes of the members read."""
    (members / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (members / "no_policy.yaml").write_text("dataset: members\nk: 1\nnever: {keep: [nam]}\nreview: 2\n", "utf-8")
    (members / "forbidden.yaml").write_text(
        f"{SMALL}keep: [name]\n".replace("[member_id, name]", "[member_id]"), "utf-8"
    )
    requests = {
        "small": SMALL,
        "broken": BROKEN,
        "local": LOCAL,
        "grouped": GROUPED,
        "suppressed": SUPPRESSED,
        "tiny": SMALL.replace("k: 20", "k: 20001").replace("small.csv", "tiny.csv"),
        "gathered": SMALL.replace("k: 20", "k: 9000").replace("small.csv", "gathered.csv"),
    }
    for name, text in requests.items():
        (members / f"{name}.yaml").write_text(text, encoding="utf-8")
    towns = ("Oslo", "Bergen", "京都市左京区", "Osaka")
    lines = [f"{i},{'fm'[i % 2]},{20 + i * 7 % 40},{towns[i * 3 % 4]},{i * 13 % 90}" for i in range(400)]
    text = "\n".join(["id,sex,age,town,income", *lines]) + "\n"
    for name in ("small.csv", f"{JAPANESE}.csv", f"{LONG}.csv"):
        (members / name).write_text(text, encoding="utf-8")
    (members / "opted-out.txt").write_text("".join(f"{i}\n" for i in range(12)), encoding="utf-8")
    (members / "town.csv").write_text("Oslo;Norway;*\nBergen;Norway;*\n京都市左京区;日本;*\nOsaka;日本;*\n", "utf-8")
    (members / "codes.csv").write_text("id,up\nfern,green\nmoss,green\ngreen,\n", "utf-8")
    (members / "published.csv").write_text(PUBLISHED, encoding="utf-8")
    (members / "half.csv").write_text("Oslo;Norway;*\nBergen;Norway;*\n", "utf-8")
    (members / "uneven.csv").write_text("Oslo;Norway;*\nBergen;*\n", "utf-8")
    (members / "earlier").mkdir()
    with closing(duckdb.connect(str(members / "earlier" / "state.duckdb"))) as state:
        state.execute((REPOSITORY / "tests" / "golden" / "earlier" / "state_of_duckdb.sql").read_text("utf-8"))


def write_further(folder: Path, request: str) -> None:
    """Writes `requests/further.yaml`: a request of a demo, with a release of its own."""
    text = (folder / "requests" / f"{request}.yaml").read_text(encoding="utf-8")
    name = request.split("-", 1)[1]
    text = text.replace(f"out/{name}.", "out/further.").replace(f"map/{name}.", "map/further.")
    (folder / "requests" / "further.yaml").write_text(text, encoding="utf-8")


SCENES: tuple[Scene, ...] = (
    Scene("help", "ordermade --help"),
    *(
        Scene(f"help of {noun}", f"ordermade {noun} --help")
        for noun in ("request", "release", "observations", "judge", "cache", "state", "policy")
    ),
    Scene("help of request run", "ordermade request run --help"),
    Scene("help of sweep", "ordermade sweep --help"),
    Scene("help of anonymize", "ordermade anonymize --help"),
    Scene("schema", "ordermade schema"),
    Scene("schema with a word", "ordermade schema output", 2),
    Scene("no such noun", "ordermade relaese list", 2),
    Scene("init", "ordermade init", folder="new", changes=True),
    Scene("init again", "ordermade init", folder="new"),
    Scene("init where it cannot be", "ordermade --state /proc/state.sqlite init", 3),
    Scene("empty source list", "ordermade source list", folder="new"),
    Scene("empty dataset list", "ordermade dataset list", folder="new"),
    Scene("empty policy list", "ordermade policy list", folder="new"),
    Scene("empty hierarchy list", "ordermade hierarchy list", folder="new"),
    Scene("empty request list", "ordermade request list", folder="new"),
    Scene("empty release list", "ordermade release list", folder="new"),
    Scene("empty observations list", "ordermade observations list", folder="new"),
    Scene("empty observations stats", "ordermade observations stats", folder="new"),
    Scene("empty cache list", "ordermade cache list", folder="new"),
    Scene("demo", "ordermade demo --rows 5000 --folder again", folder="gone"),
    Scene("demo of recommendation", "ordermade demo recommend --rows 2000 --folder third", folder="gone"),
    Scene("demo of purchases", "ordermade demo purchases --rows 60 --folder fourth", folder="gone"),
    Scene("no such demo", "ordermade demo member", 2, folder="gone"),
    Scene("state status", "ordermade state status"),
    Scene("state status without a state", "ordermade state status", 3, folder="gone"),
    Scene("state migrate", "ordermade state migrate"),
    Scene("state migrate without a state", "ordermade state migrate", 3, folder="gone"),
    Scene("state convert", "ordermade --state earlier/state.sqlite state convert earlier/state.duckdb", changes=True),
    Scene("state convert again", "ordermade --state earlier/state.sqlite state convert earlier/state.duckdb", 2),
    Scene("state convert of no state", "ordermade --state new.sqlite state convert members.duckdb", 3),
    Scene("state convert without a state", "ordermade state convert", 3, folder="gone"),
    Scene("state backup", "ordermade state backup copy.sqlite", changes=True),
    Scene("state backup over a file", "ordermade state backup copy.sqlite", 2),
    Scene("state restore", "ordermade state restore copy.sqlite", changes=True),
    Scene("state restore of another file", "ordermade state restore members.duckdb", 3),
    Scene("audit list", "ordermade audit list --last 3"),
    Scene("audit list of no entry", "ordermade audit list --last 0", 2),
    Scene("audit verify", "ordermade audit verify"),
    Scene("audit verify with another head", f"ordermade audit verify --head {'0' * 63}1", 3),
    Scene("audit export", "ordermade audit export --since 2 audit.jsonl", changes=True),
    Scene("audit export over a file", "ordermade audit export audit.jsonl", 2),
    Scene("state verify", "ordermade state verify"),
    Scene("state verify of another file", "ordermade --state members.duckdb state verify", 3),
    Scene("source add", "ordermade source add small small.csv", changes=True),
    Scene("source add by a long name", f"ordermade source add {LONG} {LONG}.csv", changes=True),
    Scene("source add in Japanese", f"ordermade source add {JAPANESE} {JAPANESE}.csv", changes=True),
    Scene("source add without a file", "ordermade source add other nowhere.csv", 3),
    Scene("source list", "ordermade source list"),
    Scene("source list without a state", "ordermade source list", 3, folder="gone"),
    Scene("source show", "ordermade source show shop"),
    Scene("source show in Japanese", f"ordermade source show {JAPANESE}"),
    Scene("source show of no source", "ordermade source show smal", 2),
    Scene("source check", "ordermade source check shop"),
    Scene("source check of no source", "ordermade source check smal", 2),
    Scene("dataset add", "ordermade dataset add small --source small --table small --entity id", changes=True),
    Scene(
        "dataset add in Japanese",
        f"ordermade dataset add {JAPANESE} --source {JAPANESE} --table {JAPANESE} --where-columns sex,age,town",
        changes=True,
    ),
    Scene("dataset add by a long name", f"ordermade dataset add {LONG} --source {LONG} --table {LONG}", changes=True),
    Scene("dataset add of no table", "ordermade dataset add x --source shop --table membres", 2),
    Scene("dataset list", "ordermade dataset list"),
    Scene("dataset list without a state", "ordermade dataset list", 3, folder="gone"),
    Scene("dataset show", "ordermade dataset show members"),
    Scene("dataset show in Japanese", f"ordermade dataset show {JAPANESE}"),
    Scene("dataset refresh", "ordermade dataset refresh members"),
    Scene("dataset refresh of no dataset", "ordermade dataset refresh membres", 2),
    Scene("dataset show of no dataset", "ordermade dataset show membres", 2),
    Scene("dataset change-log of no server", "ordermade dataset change-log members", 2),
    Scene("policy schema", "ordermade policy schema"),
    Scene("policy schema with a word", "ordermade policy schema output", 2),
    Scene("policy check", "ordermade policy check policy.yaml"),
    Scene("policy check with mistakes", "ordermade policy check no_policy.yaml", 2),
    Scene("policy set", "ordermade policy set policy.yaml", changes=True),
    Scene("policy set of no file", "ordermade policy set nowhere.yaml", 2),
    Scene("policy list", "ordermade policy list"),
    Scene("policy list without a state", "ordermade policy list", 3, folder="gone"),
    Scene("policy show", "ordermade policy show members"),
    Scene("policy show of no dataset", "ordermade policy show membres", 2),
    Scene("policy diff", "ordermade policy diff members"),
    Scene("policy diff of no versions", "ordermade policy diff members --versions 1", 2),
    Scene("request that breaks the policy", "ordermade request check forbidden.yaml", 1),
    Scene("hierarchy add", "ordermade hierarchy add town town.csv", changes=True),
    Scene("hierarchy add of half the values", "ordermade hierarchy add half half.csv", changes=True),
    Scene("hierarchy add of uneven lines", "ordermade hierarchy add uneven uneven.csv", 2),
    Scene("help of hierarchy upload", "ordermade hierarchy upload --help"),
    Scene("hierarchy upload of no file", "ordermade hierarchy upload x nowhere.csv --dataset members --column age", 2),
    Scene("hierarchy list", "ordermade hierarchy list"),
    Scene("hierarchy list without a state", "ordermade hierarchy list", 3, folder="gone"),
    Scene("hierarchy show", "ordermade hierarchy show age"),
    Scene("hierarchy show of a list", "ordermade hierarchy show prefecture --leaves 8"),
    Scene("hierarchy show in Japanese", "ordermade hierarchy show town"),
    Scene("hierarchy show of none", "ordermade hierarchy show agge", 2),
    Scene("hierarchy check", "ordermade hierarchy check age --dataset members --column age"),
    Scene("hierarchy check with gaps", "ordermade hierarchy check half --dataset small --column town", 2),
    Scene("hierarchy suggest", "ordermade hierarchy suggest small town"),
    Scene("hierarchy suggest for all", "ordermade hierarchy suggest members --all"),
    Scene("hierarchy suggest into a folder", "ordermade hierarchy suggest members --all --to drafts"),
    Scene("hierarchy suggest for no column", "ordermade hierarchy suggest small tawn", 2),
    Scene("request check", "ordermade request check requests/1-members.yaml"),
    Scene("request check with data", "ordermade request check requests/1-members.yaml --data"),
    Scene("request check with mistakes", "ordermade request check broken.yaml", 2),
    Scene("request draft", "ordermade request draft small"),
    Scene("request draft into a file", "ordermade request draft members --to drafted.yaml"),
    Scene("request draft of no dataset", "ordermade request draft membres", 2),
    Scene("request explain", "ordermade request explain small.yaml"),
    Scene("request explain with mistakes", "ordermade request explain broken.yaml", 2),
    Scene("request schema", "ordermade request schema"),
    Scene("request schema with an option", "ordermade request schema --jsn", 2),
    Scene("user add", "ordermade user add rei --role reviewer", changes=True),
    Scene("user add of no role", "ordermade user add ann --role king", 2),
    Scene("user token", "ordermade user token rei --days 1", changes=True),
    Scene("user token of nobody", "ordermade user token nobody", 2),
    Scene("user list", "ordermade user list"),
    Scene("user list without a state", "ordermade user list", 3, folder="gone"),
    Scene("request submit", "ordermade request submit requests/3-too-detailed.yaml --why 'a campaign'", changes=True),
    Scene("request submit with mistakes", "ordermade request submit broken.yaml", 2),
    Scene("request propose", "ordermade request propose 6 --offer 1", changes=True),
    Scene("request propose of none", "ordermade request propose 98 --offer 1", 2),
    Scene("request show of a proposal", "ordermade request show 6"),
    Scene("request accept", "ordermade request accept 6", changes=True),
    Scene("request accept again", "ordermade request accept 6", 1),
    Scene("request revise", "ordermade request revise 6 small.yaml --why 'fewer columns'", changes=True),
    Scene("request revise of none", "ordermade request revise 98 small.yaml", 2),
    Scene("help of request review", "ordermade request review --help"),
    Scene("request review of an own request", "ordermade request review 6 --approve", 1),
    Scene("request comment", "ordermade request comment 6 'which offices?' --at column:prefecture", changes=True),
    Scene("request comment on nothing", "ordermade request comment 6 'which?' --at column:name", 2),
    Scene("help of request approve", "ordermade request approve --help"),
    Scene("request approve without a vote", "ordermade request approve 6", 1),
    Scene("request run of a submitted one", "ordermade request run 6", 1),
    Scene("help of request deliver", "ordermade request deliver --help"),
    Scene("request deliver too early", "ordermade request deliver 6", 1),
    Scene("help of request collect", "ordermade request collect --help"),
    Scene("request collect too early", "ordermade request collect 6 --to mine.csv", 1),
    Scene("help of request certificate", "ordermade request certificate --help"),
    Scene("request certificate of none", "ordermade request certificate 98", 2),
    Scene("request refuse", "ordermade request refuse 6 --why 'not for a campaign'", changes=True),
    Scene("request refuse again", "ordermade request refuse 6 --why 'not for a campaign'", 1),
    Scene("request withdraw", "ordermade request withdraw 6", changes=True),
    Scene("request withdraw again", "ordermade request withdraw 6", 1),
    Scene("request history", "ordermade request history 6"),
    Scene("request history of none", "ordermade request history 98", 2),
    Scene("help of user password", "ordermade user password --help"),
    Scene("user password of nobody", "ordermade user password nobody", 2),
    Scene("user mail", "ordermade user mail ann ann@example.org", changes=True),
    Scene("user mail of two minds", "ordermade user mail ann ann@example.org --none", 2),
    Scene("help of serve", "ordermade serve --help"),
    Scene("serve a demo elsewhere", "ordermade serve --demo --host 0.0.0.0", 2),
    Scene("serve with a header of nobody", "ordermade serve --user-header X-Remote-User", 2),
    Scene("user revoke", "ordermade user revoke rei", changes=True),
    Scene("user revoke of nobody", "ordermade user revoke nobody", 2),
    Scene("user remove", "ordermade user remove rei", changes=True),
    Scene("user remove again", "ordermade user remove rei", 2),
    Scene("request run", "ordermade request run small.yaml --certify certificate.json", changes=True),
    Scene("request run again", "ordermade request run small.yaml"),
    Scene("request run with models", "ordermade request run suppressed.yaml", changes=True),
    Scene("request run, local", "ordermade request run local.yaml", changes=True),
    Scene("request run, microaggregation", "ordermade request run grouped.yaml", changes=True),
    Scene("request run refused", "ordermade request run tiny.yaml", 1, changes=True),
    Scene("request run with the coarsest levels", "ordermade request run gathered.yaml --verbose", changes=True),
    Scene("request run as JSON", "ordermade request run small.yaml --json"),
    Scene("request run by Mondrian", "ordermade request run requests/further.yaml --verbose", 0, "recommend", True),
    Scene("request run by Mondrian again", "ordermade request run requests/further.yaml", folder="recommend"),
    Scene("request show by Mondrian", "ordermade request show 1 --verbose", folder="recommend"),
    Scene("release show by Mondrian", "ordermade release show 1 --verbose", folder="recommend"),
    Scene("sweep of Mondrian", "ordermade sweep requests/further.yaml --k 5,50", folder="recommend"),
    Scene("request run of histories", "ordermade request run requests/further.yaml --verbose", 0, "purchases", True),
    Scene("request run of histories again", "ordermade request run requests/further.yaml", folder="purchases"),
    Scene("request show of histories", "ordermade request show 1", folder="purchases"),
    Scene("release show of histories", "ordermade release show 1 --verbose", folder="purchases"),
    Scene("release report of histories", "ordermade release report 1", folder="purchases"),
    Scene("sweep of histories", "ordermade sweep requests/further.yaml --k 5,50", folder="purchases"),
    Scene("request explain of histories", "ordermade request explain requests/further.yaml", folder="purchases"),
    Scene("request offers", "ordermade request offers requests/3-too-detailed.yaml"),
    Scene("request offers with mistakes", "ordermade request offers broken.yaml", 2),
    Scene("request predict", "ordermade request predict requests/4-predicted.yaml"),
    Scene("request predict with mistakes", "ordermade request predict broken.yaml", 2),
    Scene("request list", "ordermade request list"),
    Scene("request list without a state", "ordermade request list", 3, folder="gone"),
    Scene("request show", "ordermade request show 1"),
    Scene("request show of none", "ordermade request show 99", 2),
    Scene("request rerun", "ordermade request rerun 1", changes=True),
    Scene("request rerun of none", "ordermade request rerun 99", 2),
    Scene("request diff", "ordermade request diff 1 2"),
    Scene("request diff with none", "ordermade request diff 1 99", 2),
    Scene("request schedule", "ordermade request schedule 1 --monthly"),
    Scene("request schedule without a time", "ordermade request schedule 1", 2),
    Scene("sweep", "ordermade sweep small.yaml --k 2,20,200"),
    Scene("sweep refused", "ordermade sweep tiny.yaml --k 30000", 1),
    Scene("anonymize", "ordermade anonymize small.csv --k 5 --accept-roles"),
    Scene("anonymize refused", "ordermade anonymize small.csv --k 401 --accept-roles --to other.csv", 1),
    Scene("measure", "ordermade measure small.csv --quasi-identifiers sex,age,town --sensitive income"),
    Scene(
        "measure of a registered table",
        "ordermade measure shop.members --quasi-identifiers sex,age,prefecture --sensitive plan,occupation "
        "--sampling-fraction 0.1",
    ),
    Scene("measure of no column", "ordermade measure small.csv --quasi-identifiers sex,tawn", 2),
    Scene("release list", "ordermade release list"),
    Scene("release list without a state", "ordermade release list", 3, folder="gone"),
    Scene("release show", "ordermade release show 1"),
    Scene("release show of none", "ordermade release show 99", 2),
    Scene("release report", "ordermade release report 1"),
    Scene("release report as a page", "ordermade release report 1 --html report.html"),
    Scene("release report over a file", "ordermade release report 1 --html report.html", 2),
    Scene("release report in Japanese", "ordermade release report 1 --for user --lang ja"),
    Scene("release report of none", "ordermade release report 99", 2),
    Scene("release verify", "ordermade release verify 1"),
    Scene("release verify of none", "ordermade release verify 99", 2),
    Scene("help of release publish", "ordermade release publish --help"),
    Scene("release publish of no submitted request", "ordermade release publish 1 --title 'Members'", 1),
    Scene("help of release unpublish", "ordermade release unpublish --help"),
    Scene("release unpublish of none", "ordermade release unpublish 99", 2),
    Scene("certificate verify", "ordermade certificate verify certificate.json"),
    Scene("certificate verify of another file", "ordermade certificate verify small.yaml", 2),
    Scene("certificate copy", "ordermade certificate copy certificate.json copy.json --for user"),
    Scene("certificate copy of another file", "ordermade certificate copy small.yaml copy2.json --for user", 2),
    Scene("judge recoding", "ordermade judge recoding out/local.csv --original shop.members"),
    Scene("judge recoding of no file", "ordermade judge recoding out/none.csv", 2),
    Scene("judge releases", "ordermade judge releases 1 2"),
    Scene("judge releases of none", "ordermade judge releases 1 99", 2),
    Scene("ledger show", "ordermade ledger show"),
    Scene("ledger show of an unknown option", "ordermade ledger show --nonsense", 2),
    Scene("ledger check", "ordermade ledger check small.yaml --recipient hokkaido"),
    Scene("ledger check of no file", "ordermade ledger check none.yaml", 2),
    Scene("ledger import", "ordermade ledger import out/small.csv --as members --recipient hokkaido"),
    Scene("ledger import of no file", "ordermade ledger import none.csv --as members", 2),
    Scene("ledger destroyed", 'ordermade ledger destroyed 1 --why "confirmed by letter"'),
    Scene("ledger destroyed of none", "ordermade ledger destroyed 99", 2),
    Scene("judge table", "ordermade judge table published.csv"),
    Scene("judge table of no file", "ordermade judge table none.csv", 2),
    Scene(
        "judge history",
        "ordermade judge history purchases.duckdb out/rank.csv --map map/rank.csv --attempts 50",
        folder="purchases",
    ),
    Scene(
        "judge history without its map",
        "ordermade judge history purchases.duckdb out/rank.csv --map map/none.csv",
        2,
        folder="purchases",
    ),
    Scene(
        "taxonomy suggest",
        "ordermade taxonomy suggest purchases.duckdb --item item --description description",
        folder="purchases",
    ),
    Scene(
        "taxonomy suggest without a column",
        "ordermade taxonomy suggest purchases.duckdb --item item --description words",
        2,
        folder="purchases",
    ),
    Scene("taxonomy check", "ordermade taxonomy check categories.csv purchases.duckdb --item item", folder="purchases"),
    Scene(
        "taxonomy check of no file",
        "ordermade taxonomy check nowhere.csv purchases.duckdb --item item",
        2,
        folder="purchases",
    ),
    Scene("taxonomy keywords", "ordermade taxonomy keywords", folder="purchases"),
    Scene("taxonomy keywords over a file", "ordermade taxonomy keywords --to purchases.duckdb", 2, folder="purchases"),
    Scene("microaggregation methods", "ordermade microaggregation methods"),
    Scene("microaggregation methods with a word", "ordermade microaggregation methods mdav", 2),
    Scene("microaggregation compare", "ordermade microaggregation compare small.csv --attributes age,income"),
    Scene(
        "microaggregation compare of many k",
        "ordermade microaggregation compare small.csv --attributes age,income --k 2..14",
    ),
    Scene("microaggregation compare of texts", "ordermade microaggregation compare small.csv --attributes town", 2),
    Scene("rules check", "ordermade rules check requests/2-tf-idf.yaml", folder="recommend"),
    Scene("rules check of another method", "ordermade rules check small.yaml", 2),
    Scene(
        "rules suggest",
        "ordermade rules suggest persons --target occupation --columns sex,birth,height --lift 1.1 --support 0.001 "
        "--k 10",
        folder="recommend",
    ),
    Scene("rules suggest of no column", "ordermade rules suggest members --target plan --columns agge", 2),
    Scene("observations list", "ordermade observations list"),
    Scene("observations list of a dataset", "ordermade observations list --dataset small"),
    Scene("observations list without a state", "ordermade observations list", 3, folder="gone"),
    Scene("observations export", "ordermade observations export measured.csv"),
    Scene("observations export over a file", "ordermade observations export small.csv", 2),
    Scene("observations prune", "ordermade observations prune --earlier-versions --dry-run"),
    Scene("observations prune of nothing", "ordermade observations prune", 2),
    Scene("observations stats", "ordermade observations stats --dataset members"),
    Scene("observations stats of no dataset", "ordermade observations stats --dataset membres", 2),
    Scene("observations plot", "ordermade observations plot k.svg --dataset members"),
    Scene("observations plot of no forecast", "ordermade observations plot c.svg --calibration", 1),
    Scene("observations plot of nothing", "ordermade observations plot l.svg --dataset small", 1),
    Scene("retention apply", "ordermade retention apply --dry-run"),
    Scene("retention apply without a state", "ordermade retention apply", 3, folder="gone"),
    Scene("dataset opt-out add", "ordermade dataset opt-out add small opted-out.txt", changes=True),
    Scene("dataset opt-out add without an entity", "ordermade dataset opt-out add members opted-out.txt", 2),
    Scene("dataset opt-out list", "ordermade dataset opt-out list"),
    Scene("dataset opt-out list without a state", "ordermade dataset opt-out list", 3, folder="gone"),
    Scene("dataset opt-out remove", "ordermade dataset opt-out remove small --all", changes=True),
    Scene("dataset opt-out remove of nobody", "ordermade dataset opt-out remove small", 2),
    Scene("cache list", "ordermade cache list"),
    Scene("cache list without a state", "ordermade cache list", folder="gone"),
    Scene("cache list with another option", "ordermade cache list --jsn", 2),
    Scene("cache purge", "ordermade cache purge --dataset small"),
    Scene("cache purge of no dataset", "ordermade cache purge --dataset membres", 2),
    Scene("source remove in use", "ordermade source remove shop", 2),
    Scene("dataset remove", "ordermade dataset remove small", changes=True),
    Scene("dataset remove of none", "ordermade dataset remove membres", 2),
    Scene("source remove", "ordermade source remove small", changes=True),
    Scene(
        "hierarchy from a code list", "ordermade hierarchy add plant --source codes --table codes --code id --parent up"
    ),
    Scene("hierarchy refresh", "ordermade hierarchy refresh plant"),
    Scene("hierarchy refresh of none", "ordermade hierarchy refresh plan", 2),
    Scene("hierarchy remove", "ordermade hierarchy remove half", changes=True),
    Scene("hierarchy remove of none", "ordermade hierarchy remove haf", 2),
)


def commands_of(program: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The commands of a program made by Typer, each as its noun and verb."""
    commands = getattr(program, "commands", None)
    if commands is None:
        yield path
        return
    for name in commands:
        yield from commands_of(commands[name], (*path, name))


OF_SERVERS = frozenset({("dataset", "change-log")})
"""The commands whose good outcome takes a database server: `tests/services` plays them."""


def unplayed(program: object) -> list[str]:
    """A line for each command that has no scene with a good outcome, or none with a failing one."""
    missing = []
    for command in commands_of(program):
        found = {scene.status == 0 for scene in SCENES if _is_of(scene, command)}
        missing += [
            f"`ordermade {' '.join(command)}` has no scene with a {kind} outcome"
            for kind, good in (("good", True), ("failing", False))
            if good not in found and not (good and command in OF_SERVERS)
        ]
    return missing


def _is_of(scene: Scene, command: tuple[str, ...]) -> bool:
    words = scene.words
    while words and words[0].startswith("--"):
        words = words[2:]
    return tuple(words[: len(command)]) == command
