"""The public calls as a user writes them, for the type checkers that `python -m checks.user_types` runs."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, assert_type

import pandas as pd
import polars as pl

import ordermade
from ordermade import (
    AnonymizedTable,
    Comparison,
    ComparisonOptions,
    DisclosedBits,
    Engine,
    GeneralizationResult,
    ImportedRelease,
    ImportOptions,
    InputError,
    Limits,
    MeasuredTable,
    ModelUtility,
    Offers,
    OrdermadeError,
    Picture,
    Predicted,
    PredictedTables,
    ProgressLine,
    Remembered,
    RequestBeside,
    Result,
    Silent,
    Sweep,
    VerifiedCertificate,
    VerifiedTables,
    WrittenCertificate,
    anonymize,
    initialise,
    measure,
    sweep,
)
from ordermade.methods.shared.judged import ForeseenBeside


def frames_of_pandas(df: pd.DataFrame) -> pd.DataFrame:
    """A release of a frame of pandas."""
    release = anonymize(df, k=5, quasi_identifiers=["age", "sex"], sensitive={"diagnosis": "distinct_l 3"})
    assert_type(release, AnonymizedTable[pd.DataFrame])
    assert_type(release.frame(), pd.DataFrame)
    assert_type(release.frame(numbers="midpoint"), pd.DataFrame)
    assert_type(release.frame(numbers="interval"), pd.DataFrame)
    assert_type(release.to_pandas(), pd.DataFrame)
    assert_type(release.to_polars(), pl.DataFrame)
    release.to_arrow()
    assert_type(release.k, int)
    assert_type(release.result, Result)
    assert_type(release.request, str)
    assert_type(release.plot(), Picture)
    assert_type(release.plot().save("release.png"), Path)
    assert_type(release.utility(df, "diagnosis"), ModelUtility)
    assert_type(release.utility(df, "diagnosis", features=["age"], task="classification", folds=3), ModelUtility)
    assert_type([each.before - each.after for each in release.utility(df, "diagnosis").scores], list[float])
    return release.frame().groupby("age").size().reset_index()


def other_frames(polars: pl.DataFrame, lazy: pl.LazyFrame, path: Path) -> None:
    """Releases of other kinds of tables."""
    assert_type(anonymize(polars, 5, quasi_identifiers=("age",)).frame(), pl.DataFrame)
    assert_type(anonymize(polars, 5, quasi_identifiers=("age",)).frame("midpoint"), pl.DataFrame)
    assert_type(anonymize(lazy, 5, quasi_identifiers={"age"}).frame(), pl.LazyFrame)
    assert_type(anonymize(path, k=5, accept_roles=True).frame(), pd.DataFrame)
    assert_type(anonymize("members.csv", k=5, accept_roles=True, to="released.csv").frame(), pd.DataFrame)


def options(df: pd.DataFrame, rules: dict[str, Any]) -> None:
    """The arguments of a call, and further keys of a request."""
    release = anonymize(
        df,
        k=5,
        quasi_identifiers=["age"],
        keep=["town"],
        identifiers=["name"],
        method="local",
        hierarchies={"age": [lambda age: age // 10], "town": {"Kyoto": "Kansai"}, "sex": Path("sex.yaml")},
        suppression_limit=Decimal("0.01"),
        objective="loss",
        where="age > 18",
        entity="patient",
        allow_identifying=["town"],
        compare=True,
        report="user",
        progress=False,
        title="Members",
    )
    assert_type(release.frame("midpoint"), pd.DataFrame)
    anonymize(df, k=5, quasi_identifiers=["age"], progress=ProgressLine())
    anonymize(df, k=5, quasi_identifiers=["age"], progress=Silent(), **rules)


def mistakes(df: pd.DataFrame, polars: pl.DataFrame) -> None:
    """What a type checker finds: an ignored line without a mistake is one."""
    anonymize(df, k="5", quasi_identifiers=["age"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    anonymize(df, k=5, method="mean")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    anonymize(df, k=5).frame(numbers="mean")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    anonymize(polars, k=5).frame(numbers="interval")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType, reportAttributeAccessIssue]
    sweep(df, 5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    measure(df)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def measures(df: pd.DataFrame, path: str) -> None:
    """Measures and sweeps."""
    assert_type(measure(df, ["age"], ["diagnosis"], entity="patient", where="age > 18"), MeasuredTable)
    assert_type(measure(path, ["age"], encoding="cp932").k, int)
    found = sweep(df, [2, 5, 10], quasi_identifiers=["age"], method="mondrian", progress=True)
    assert_type(found, Sweep)
    assert_type([each.loss for each in found.points], list[float | None])
    assert_type(found.plot(), Picture)


def engines(df: pd.DataFrame, request: dict[str, Any], path: Path) -> None:
    """An engine, and the calls of it that a user begins with."""
    initialise(path, wait_seconds=3.0)
    with Engine(path, limits=Limits(), use_cache=False, progress=ProgressLine()) as engine:
        assert_type(engine, Engine)
        engine.sources.add("clinic", "patients.csv")
        engine.datasets.add("patients", "clinic", table="patients", least_k=5)
        engine.hierarchies.add("age", {"intervals": {"levels": [{"width": 10}]}})
        result = engine.run(request)
        assert_type(result, Result)
        assert_type(engine.run("request.yaml", again=True, on_interrupt="answer"), Result)
        assert_type(engine.run(path, data={"patients": df}, entity="patient"), Result)
        assert_type(result.to_pandas(), pd.DataFrame)
        assert_type(result.released, bool)
        if isinstance(result, GeneralizationResult):
            assert_type(dict(result.levels), dict[str, int])
        engine.check(request)
        engine.check_data(request)
        assert_type(engine.last_version("patients"), int | None)
        engine.explain(request, roll_up=False)
        assert_type(engine.predict(request, note=True), Predicted | PredictedTables)
        assert_type(engine.measure("patients.csv", ["age"]), MeasuredTable)
        assert_type(
            engine.compare("patients.csv", ComparisonOptions(attributes=["age"], ks=[5], algorithms=["mdav"])),
            Comparison,
        )
        assert_type(engine.offers(request), Offers)
        assert_type(engine.foreseen(request, ["hokkaido"]), ForeseenBeside | None)
        assert_type(engine.judge_request(request, ["hokkaido"]), RequestBeside)
        assert_type(engine.import_release("old.csv", "patients", ["hokkaido"], ImportOptions(k=5)), ImportedRelease)
        assert_type(engine.ledger.list(recipient="hokkaido"), tuple[Remembered, ...])
        assert_type(engine.ledger.bits("patients"), tuple[DisclosedBits, ...])
        assert_type(engine.sweep(request, range(2, 20)), Sweep)
        assert_type(engine.certify(request, result, "optimum.json"), WrittenCertificate)
        assert_type(engine.verify_certificate("optimum.json"), VerifiedCertificate | VerifiedTables)
    with Engine.in_memory(progress=Silent()) as memory:
        assert_type(memory, Engine)
        memory.close()


def errors(df: pd.DataFrame) -> str:
    """What a call raises."""
    try:
        anonymize(df, k=5)
    except InputError as error:
        return error.next_step
    except OrdermadeError as error:
        return error.message
    return ordermade.__version__
