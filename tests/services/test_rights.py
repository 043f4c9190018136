"""Tables that a role of PostgreSQL may not read or write are named as that, with the GRANT that is missing."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import pytest

from ordermade.catalogue.sources import ServerDescription
from ordermade.errors import OrdermadeError, SourceFault, UnknownName
from tests.made import new_engine
from tests.services.throwaway import Throwaway

ROLE = "r18 reader"


def _url_as(server: Throwaway, role: str) -> str:
    at = urlsplit(server.url)
    return urlunsplit(at._replace(netloc=f"{quote(role)}@{at.netloc.rpartition('@')[2]}"))


def test_rights_are_as_they_are(throwaway_postgres: Throwaway, tmp_path: Path) -> None:
    server = throwaway_postgres
    for each in (
        f'CREATE ROLE "{ROLE}" LOGIN',
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "CREATE TABLE public.seen (id INTEGER)",
        "CREATE TABLE public.hidden (id INTEGER)",
        'CREATE SCHEMA "Own Schema"',
        'CREATE TABLE "Own Schema"."Dotted.Table" (id INTEGER)',
        'CREATE TABLE "Own Schema".kept (id INTEGER)',
        "CREATE SCHEMA closed CREATE TABLE hidden_too (id INTEGER)",
        f'GRANT SELECT ON public.seen TO "{ROLE}"',
        f'GRANT USAGE ON SCHEMA "Own Schema" TO "{ROLE}"',
        f'GRANT SELECT ON "Own Schema"."Dotted.Table" TO "{ROLE}"',
    ):
        server.run(each)
    engine = new_engine(tmp_path)
    engine.sources.add("s", _url_as(server, ROLE))
    found = engine.sources.check("s")
    assert isinstance(found, ServerDescription)
    assert not found.server.writing_possible  # TEMPORARY is every role's, and no right to write
    server.run(f'GRANT CREATE ON SCHEMA "Own Schema" TO "{ROLE}"')
    again = engine.sources.check("s")
    assert isinstance(again, ServerDescription)
    assert again.server.writing_possible

    def refused(table: str) -> OrdermadeError:
        with pytest.raises((SourceFault, UnknownName)) as caught:
            engine.datasets.add("d", "s", table=table)
        return caught.value

    for table in ("hidden", "public.hidden", '"hidden"', '"public"."hidden"'):
        fault = refused(table)
        assert fault.what == f"the role '{ROLE}' may not read the table 'public.hidden'"
        assert fault.next_step == f'Its owner gives the right: GRANT SELECT ON "public"."hidden" TO "{ROLE}";'
    assert refused("closed.hidden_too").next_step == (
        f'Its owner gives the right: GRANT USAGE ON SCHEMA "closed" TO "{ROLE}"; '
        f'GRANT SELECT ON "closed"."hidden_too" TO "{ROLE}";'
    )
    assert "'Own Schema.Dotted.Table'" in refused("Own Schema.Dotted.Tables").next_step
    assert isinstance(refused('"public"."nothing"'), UnknownName)
    assert engine.datasets.add("d", "s", table='"Own Schema"."Dotted.Table"').table_name is not None
    with engine.datasets.open("d") as opened:
        assert [each.name for each in opened.columns] == ["id"]
    server.run("REVOKE SELECT ON public.seen FROM PUBLIC")
    engine.datasets.add("e", "s", table="seen")
    server.run(f'REVOKE SELECT ON public.seen FROM "{ROLE}"')
    with pytest.raises(SourceFault, match=r'GRANT SELECT ON "public"\."seen"'), engine.datasets.open("e"):
        pass
