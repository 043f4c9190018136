"""The records that every command prints with `--json`, by the command's name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ordermade.catalogue.audit import ExportedAudit, VerifiedAudit
from ordermade.catalogue.datasets import DatasetDescription, RefreshedDataset
from ordermade.catalogue.hierarchies import AddedHierarchy, CheckedHierarchy
from ordermade.catalogue.ledger import Remembered
from ordermade.catalogue.policies import CheckedPolicy, PolicyDifference
from ordermade.catalogue.repeated_requests import Schedule
from ordermade.catalogue.sources import ServerDescription, SourceDescription
from ordermade.catalogue.verified_releases import VerifiedRelease
from ordermade.documents import (
    anonymization,
    audit,
    cache,
    certificate,
    dataset,
    hierarchy,
    judgement,
    ledger,
    measurement,
    microaggregation,
    observation,
    opt_out,
    policy,
    release,
    repeated_requests,
    request,
    rules,
    run,
    service,
    source,
    state,
    taxonomy,
)
from ordermade.documents.sweep import SweepAnswer
from ordermade.evaluation.imported_release import ImportedRelease
from ordermade.evaluation.releases_together import ReleasesTogether
from ordermade.methods.generalization.predicted import Predicted
from ordermade.methods.mondrian.rules import CheckedRules
from ordermade.methods.shared.judged import RequestBeside
from ordermade.methods.tables.predicted import PredictedTables
from ordermade.offers.offer import Offers
from ordermade.service.publishing import PublishedRelease
from ordermade.service.retention import AppliedRetention
from ordermade.service.running import Delivered
from ordermade.service.users import MadeToken, RemovedUser, SetMail, SetPassword
from ordermade.sources.change_log import ChangeLog
from ordermade.state.backup import Restored
from ordermade.state.conversion import Converted
from ordermade.state.database import Initialised
from ordermade.state.inspection import StateStatus
from ordermade.state.records.requests import RequestRecord
from ordermade.state.releases import ReleaseRecord

DOCUMENTS: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "init": (Initialised,),
        "anonymize": (
            anonymization.GeneralizationAnonymized,
            anonymization.MondrianAnonymized,
            anonymization.MicroaggregationAnonymized,
        ),
        "measure": (measurement.TableMeasured,),
        "sweep": (SweepAnswer,),
        "state status": (StateStatus,),
        "state migrate": (state.Migrated,),
        "state convert": (Converted,),
        "state backup": (state.BackedUp,),
        "state restore": (Restored,),
        "state verify": (state.Verified,),
        "audit list": (audit.AuditList,),
        "audit verify": (VerifiedAudit,),
        "audit export": (ExportedAudit,),
        "retention apply": (AppliedRetention,),
        "cache list": (cache.CacheList,),
        "cache purge": (cache.CachePurged,),
        "source add": (source.SourceAdded,),
        "source list": (source.SourceList,),
        "source show": (SourceDescription, ServerDescription),
        "source check": (source.SourceChecked,),
        "source remove": (source.SourceRemoved,),
        "dataset add": (dataset.DatasetAdded,),
        "dataset list": (dataset.DatasetList,),
        "dataset show": (DatasetDescription,),
        "dataset refresh": (RefreshedDataset,),
        "dataset change-log": (ChangeLog, dataset.ChangeLogUsed),
        "dataset remove": (dataset.DatasetRemoved,),
        "dataset opt-out add": (opt_out.OptOutAdded,),
        "dataset opt-out list": (opt_out.OptOutList,),
        "dataset opt-out remove": (opt_out.OptOutRemoved,),
        "policy check": (CheckedPolicy,),
        "policy set": (policy.PolicyShown,),
        "policy list": (policy.PolicyList,),
        "policy show": (policy.PolicyShown,),
        "policy diff": (PolicyDifference,),
        "hierarchy add": (AddedHierarchy,),
        "hierarchy refresh": (AddedHierarchy,),
        "hierarchy upload": (hierarchy.HierarchyUploaded,),
        "hierarchy list": (hierarchy.HierarchyList, hierarchy.OwnHierarchies),
        "hierarchy show": (hierarchy.HierarchyShown,),
        "hierarchy check": (CheckedHierarchy,),
        "hierarchy remove": (hierarchy.HierarchyRemoved, hierarchy.HierarchyUploaded),
        "hierarchy suggest": (hierarchy.HierarchySuggested,),
        "taxonomy suggest": (taxonomy.TaxonomySuggested,),
        "taxonomy check": (taxonomy.TaxonomyChecked,),
        "taxonomy keywords": (taxonomy.DefaultKeywords,),
        "request check": (
            request.SoundGeneralization,
            request.SoundMondrian,
            request.SoundMicroaggregation,
            request.SoundHistory,
            request.SoundTables,
            request.Malformed,
        ),
        "request draft": (request.Drafted,),
        "request explain": (request.Explained,),
        "request predict": (Predicted, PredictedTables),
        "request offers": (Offers,),
        "request run": (
            run.GeneralizationRun,
            run.MondrianRun,
            run.MicroaggregationRun,
            run.HistoryRun,
            run.TablesRun,
            run.ReturnedRun,
            Offers,
            request.Explained,
            service.SubmittedRun,
        ),
        "request list": (request.RequestList,),
        "request rerun": (repeated_requests.RequestRerun, service.Moved),
        "request diff": (repeated_requests.RequestsCompared,),
        "request schedule": (Schedule,),
        "request show": (RequestRecord, service.SubmissionShown),
        "request submit": (service.Moved,),
        "request propose": (service.Moved, service.OffersToPropose),
        "request accept": (service.Moved,),
        "request revise": (service.Moved,),
        "request review": (service.Moved,),
        "request approve": (service.Moved,),
        "request comment": (service.Commented,),
        "request refuse": (service.Moved,),
        "request deliver": (Delivered,),
        "request collect": (service.Collected,),
        "request withdraw": (service.Moved,),
        "request history": (service.SubmissionHistory,),
        "microaggregation methods": (microaggregation.MethodList,),
        "microaggregation compare": (microaggregation.ComparedLosses,),
        "rules check": (CheckedRules,),
        "rules suggest": (rules.RulesSuggested,),
        "release list": (release.ReleaseList,),
        "release show": (ReleaseRecord,),
        "release report": (release.ReleaseReported,),
        "release verify": (VerifiedRelease,),
        "release publish": (PublishedRelease,),
        "release unpublish": (PublishedRelease,),
        "certificate verify": (certificate.CertificateVerified, certificate.TablesCertificateVerified),
        "certificate copy": (certificate.CertificateCopied,),
        "judge history": (judgement.JudgedHistory,),
        "judge recoding": (judgement.JudgedRecoding,),
        "judge table": (judgement.JudgedTables,),
        "judge releases": (ReleasesTogether,),
        "ledger import": (ImportedRelease,),
        "ledger show": (ledger.LedgerShown,),
        "ledger check": (RequestBeside,),
        "ledger destroyed": (Remembered,),
        "observations list": (observation.ObservationList,),
        "observations export": (observation.Exported,),
        "observations prune": (observation.ObservationsPruned,),
        "observations stats": (observation.Statistics,),
        "observations plot": (observation.Plotted,),
        "user add": (service.UserAdded,),
        "user list": (service.UserList,),
        "user token": (MadeToken,),
        "user revoke": (service.TokensRevoked,),
        "user password": (SetPassword,),
        "user mail": (SetMail,),
        "user remove": (RemovedUser,),
    }
)
"""The records of each command that takes `--json`: one, or one for each kind of outcome."""
