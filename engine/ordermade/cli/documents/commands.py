"""The documents of every command, by the command's name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ordermade.cli.documents import (
    anonymization,
    cache,
    certificate,
    dataset,
    hierarchy,
    judgement,
    measurement,
    microaggregation,
    observation,
    offer,
    prediction,
    release,
    request,
    result,
    rules,
    source,
    state,
    sweep,
    taxonomy,
)

DOCUMENTS: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "init": (state.Init,),
        "anonymize": (
            anonymization.GeneralizationAnonymized,
            anonymization.MondrianAnonymized,
            anonymization.MicroaggregationAnonymized,
        ),
        "measure": (measurement.Measurement,),
        "sweep": (sweep.SweepAnswer,),
        "state status": (state.Status,),
        "state migrate": (state.Migrated,),
        "state backup": (state.BackedUp,),
        "state verify": (state.Verified,),
        "cache list": (cache.CacheList,),
        "cache purge": (cache.CachePurged,),
        "source add": (source.SourceAdded,),
        "source list": (source.SourceList,),
        "source show": (source.SourceShown,),
        "source check": (source.SourceChecked,),
        "source remove": (source.SourceRemoved,),
        "dataset add": (dataset.DatasetAdded,),
        "dataset list": (dataset.DatasetList,),
        "dataset show": (dataset.DatasetShown,),
        "dataset remove": (dataset.DatasetRemoved,),
        "hierarchy add": (hierarchy.HierarchyAdded,),
        "hierarchy list": (hierarchy.HierarchyList,),
        "hierarchy show": (hierarchy.HierarchyShown,),
        "hierarchy check": (hierarchy.HierarchyChecked,),
        "hierarchy remove": (hierarchy.HierarchyRemoved,),
        "hierarchy suggest": (hierarchy.HierarchySuggested,),
        "taxonomy suggest": (taxonomy.TaxonomySuggested,),
        "taxonomy check": (taxonomy.TaxonomyChecked,),
        "taxonomy keywords": (taxonomy.Keywords,),
        "request check": (
            request.SoundGeneralization,
            request.SoundMondrian,
            request.SoundMicroaggregation,
            request.SoundHistory,
            request.Malformed,
        ),
        "request draft": (request.Drafted,),
        "request explain": (request.Explained,),
        "request predict": (prediction.Prediction,),
        "request offers": (offer.RequestOffers,),
        "request run": (
            result.GeneralizationRun,
            result.MondrianRun,
            result.MicroaggregationRun,
            result.HistoryRun,
            result.ReturnedRun,
            offer.OffersAnew,
            request.RunExplained,
        ),
        "request list": (request.RequestList,),
        "request show": (request.RequestShown,),
        "microaggregation methods": (microaggregation.MethodList,),
        "microaggregation compare": (microaggregation.Comparison,),
        "rules check": (rules.RulesChecked,),
        "rules suggest": (rules.RulesSuggested,),
        "release list": (release.ReleaseList,),
        "release show": (release.ReleaseShown,),
        "release verify": (release.ReleaseVerified,),
        "certificate verify": (certificate.CertificateVerified,),
        "certificate copy": (certificate.CertificateCopied,),
        "judge history": (judgement.HistoryJudgement,),
        "judge recoding": (judgement.RecodingJudgement,),
        "observations list": (observation.ObservationList,),
        "observations export": (observation.Exported,),
        "observations prune": (observation.ObservationsPruned,),
        "observations stats": (observation.Statistics,),
        "observations plot": (observation.Plotted,),
    }
)
"""The documents of each command that takes `--json`: one, or one for each kind of outcome."""

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "a story for people, without an outcome to read",
        "schema": "the JSON Schema of all documents",
        "request schema": "the JSON Schema of request files",
    }
)
"""The commands that print a text of its own form and take no `--json`, with this form."""

NAMES = frozenset((*DOCUMENTS, *TEXTS))
"""The names of all commands."""
