"""ordermade: a SQL-backed k-anonymisation engine for tailor-made data requests.

Everything that a user of the library needs is imported from here: the engine, limits, results, options, errors.
Each name comes in when it is first used, so that `import ordermade` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ordermade.version import VERSION

if TYPE_CHECKING:
    from ordermade.anonymization.anonymized_table import AnonymizedTable as AnonymizedTable
    from ordermade.anonymization.calls import anonymize as anonymize
    from ordermade.anonymization.calls import measure as measure
    from ordermade.anonymization.calls import sweep as sweep
    from ordermade.catalogue.ledger import DisclosedBits as DisclosedBits
    from ordermade.catalogue.ledger import Remembered as Remembered
    from ordermade.certificates.certify import WrittenCertificate as WrittenCertificate
    from ordermade.certificates.tables import VerifiedTables as VerifiedTables
    from ordermade.certificates.verification import VerifiedCertificate as VerifiedCertificate
    from ordermade.counting.table_figures import MeasuredTable as MeasuredTable
    from ordermade.engine import Engine as Engine
    from ordermade.engine import initialise as initialise
    from ordermade.errors import CodeListError as CodeListError
    from ordermade.errors import DatasetClosed as DatasetClosed
    from ordermade.errors import FilterError as FilterError
    from ordermade.errors import HierarchyError as HierarchyError
    from ordermade.errors import InputError as InputError
    from ordermade.errors import NeedsReview as NeedsReview
    from ordermade.errors import NeedsReviewFirst as NeedsReviewFirst
    from ordermade.errors import NoColumns as NoColumns
    from ordermade.errors import OrdermadeError as OrdermadeError
    from ordermade.errors import PasswordNeeded as PasswordNeeded
    from ordermade.errors import PolicyBroken as PolicyBroken
    from ordermade.errors import Refused as Refused
    from ordermade.errors import ReleasedMeanwhile as ReleasedMeanwhile
    from ordermade.errors import ReleaseFault as ReleaseFault
    from ordermade.errors import ReleaseMismatch as ReleaseMismatch
    from ordermade.errors import RequestError as RequestError
    from ordermade.errors import SourceChanged as SourceChanged
    from ordermade.errors import SourceFault as SourceFault
    from ordermade.errors import StateDamaged as StateDamaged
    from ordermade.errors import StateFault as StateFault
    from ordermade.errors import StateLocked as StateLocked
    from ordermade.errors import StateMissing as StateMissing
    from ordermade.errors import StateNewer as StateNewer
    from ordermade.errors import StateOlder as StateOlder
    from ordermade.errors import TooLittleKnown as TooLittleKnown
    from ordermade.errors import Undecided as Undecided
    from ordermade.errors import UnfitValue as UnfitValue
    from ordermade.errors import UnknownName as UnknownName
    from ordermade.errors import Unproved as Unproved
    from ordermade.evaluation.imported_release import ImportedRelease as ImportedRelease
    from ordermade.evaluation.judge import Judgement as Judgement
    from ordermade.evaluation.judged_tables import TableOptions as TableOptions
    from ordermade.evaluation.model_utility import ModelCoefficient as ModelCoefficient
    from ordermade.evaluation.model_utility import ModelScore as ModelScore
    from ordermade.evaluation.model_utility import ModelUtility as ModelUtility
    from ordermade.evaluation.options import JudgementOptions as JudgementOptions
    from ordermade.evaluation.recoding import RecodingJudgement as RecodingJudgement
    from ordermade.evaluation.releases_together import ReleasesTogether as ReleasesTogether
    from ordermade.evaluation.shown_file import ImportOptions as ImportOptions
    from ordermade.methods.generalization.live_view import LiveView as LiveView
    from ordermade.methods.generalization.predicted import Predicted as Predicted
    from ordermade.methods.generalization.result import GeneralizationResult as GeneralizationResult
    from ordermade.methods.histories.result import HistoryResult as HistoryResult
    from ordermade.methods.histories.taxonomies.check import CheckedTaxonomy as CheckedTaxonomy
    from ordermade.methods.histories.taxonomies.suggest import SuggestedTaxonomy as SuggestedTaxonomy
    from ordermade.methods.histories.taxonomies.suggest import TaxonomyOptions as TaxonomyOptions
    from ordermade.methods.microaggregation.algorithm.methods import Options as Options
    from ordermade.methods.microaggregation.compare import Comparison as Comparison
    from ordermade.methods.microaggregation.compare import ComparisonOptions as ComparisonOptions
    from ordermade.methods.microaggregation.result import MicroaggregationResult as MicroaggregationResult
    from ordermade.methods.mondrian.result import MondrianResult as MondrianResult
    from ordermade.methods.mondrian.rules import CheckedRules as CheckedRules
    from ordermade.methods.mondrian.suggest import RulesOptions as RulesOptions
    from ordermade.methods.mondrian.suggest import Suggestion as Suggestion
    from ordermade.methods.shared.existing_release import ReturnedResult as ReturnedResult
    from ordermade.methods.shared.judged import RequestBeside as RequestBeside
    from ordermade.methods.shared.result import Result as Result
    from ordermade.methods.shared.sweep import Sweep as Sweep
    from ordermade.methods.tables.predicted import PredictedTables as PredictedTables
    from ordermade.methods.tables.result import TablesResult as TablesResult
    from ordermade.offers.offer import Offer as Offer
    from ordermade.offers.offer import Offers as Offers
    from ordermade.offers.offer import OffersChanged as OffersChanged
    from ordermade.plots.figures import Picture as Picture
    from ordermade.progress.line import ProgressLine as ProgressLine
    from ordermade.progress.waiting import Progress as Progress
    from ordermade.progress.waiting import Silent as Silent
    from ordermade.sources.limits import Limits as Limits
    from ordermade.tables.judgement import TableJudgement as TableJudgement

__version__ = VERSION

_WHERE = {
    "AnonymizedTable": "anonymization.anonymized_table",
    "anonymize": "anonymization.calls",
    "measure": "anonymization.calls",
    "sweep": "anonymization.calls",
    "CheckedRules": "methods.mondrian.rules",
    "CheckedTaxonomy": "methods.histories.taxonomies.check",
    "Comparison": "methods.microaggregation.compare",
    "ComparisonOptions": "methods.microaggregation.compare",
    "Engine": "engine",
    "CodeListError": "errors",
    "DatasetClosed": "errors",
    "FilterError": "errors",
    "GeneralizationResult": "methods.generalization.result",
    "HierarchyError": "errors",
    "HistoryResult": "methods.histories.result",
    "InputError": "errors",
    "Judgement": "evaluation.judge",
    "JudgementOptions": "evaluation.options",
    "Limits": "sources.limits",
    "LiveView": "methods.generalization.live_view",
    "MeasuredTable": "counting.table_figures",
    "MicroaggregationResult": "methods.microaggregation.result",
    "ModelCoefficient": "evaluation.model_utility",
    "ModelScore": "evaluation.model_utility",
    "ModelUtility": "evaluation.model_utility",
    "MondrianResult": "methods.mondrian.result",
    "Offer": "offers.offer",
    "Offers": "offers.offer",
    "OffersChanged": "offers.offer",
    "Options": "methods.microaggregation.algorithm.methods",
    "OrdermadeError": "errors",
    "NoColumns": "errors",
    "PasswordNeeded": "errors",
    "Picture": "plots.figures",
    "Predicted": "methods.generalization.predicted",
    "PredictedTables": "methods.tables.predicted",
    "Progress": "progress.waiting",
    "ProgressLine": "progress.line",
    "RecodingJudgement": "evaluation.recoding",
    "ReleasesTogether": "evaluation.releases_together",
    "ImportedRelease": "evaluation.imported_release",
    "ImportOptions": "evaluation.shown_file",
    "DisclosedBits": "catalogue.ledger",
    "Remembered": "catalogue.ledger",
    "RequestBeside": "methods.shared.judged",
    "Refused": "errors",
    "ReleaseFault": "errors",
    "ReleaseMismatch": "errors",
    "RequestError": "errors",
    "Result": "methods.shared.result",
    "ReturnedResult": "methods.shared.existing_release",
    "RulesOptions": "methods.mondrian.suggest",
    "Silent": "progress.waiting",
    "SourceChanged": "errors",
    "SourceFault": "errors",
    "StateDamaged": "errors",
    "StateFault": "errors",
    "StateLocked": "errors",
    "StateMissing": "errors",
    "StateNewer": "errors",
    "StateOlder": "errors",
    "SuggestedTaxonomy": "methods.histories.taxonomies.suggest",
    "Suggestion": "methods.mondrian.suggest",
    "Sweep": "methods.shared.sweep",
    "TableJudgement": "tables.judgement",
    "TableOptions": "evaluation.judged_tables",
    "TablesResult": "methods.tables.result",
    "TaxonomyOptions": "methods.histories.taxonomies.suggest",
    "PolicyBroken": "errors",
    "ReleasedMeanwhile": "errors",
    "NeedsReview": "errors",
    "NeedsReviewFirst": "errors",
    "TooLittleKnown": "errors",
    "Undecided": "errors",
    "UnfitValue": "errors",
    "UnknownName": "errors",
    "Unproved": "errors",
    "VerifiedCertificate": "certificates.verification",
    "VerifiedTables": "certificates.tables",
    "WrittenCertificate": "certificates.certify",
    "initialise": "engine",
}
__all__ = [
    "AnonymizedTable",
    "CheckedRules",
    "CheckedTaxonomy",
    "CodeListError",
    "Comparison",
    "ComparisonOptions",
    "DatasetClosed",
    "DisclosedBits",
    "Engine",
    "FilterError",
    "GeneralizationResult",
    "HierarchyError",
    "HistoryResult",
    "ImportOptions",
    "ImportedRelease",
    "InputError",
    "Judgement",
    "JudgementOptions",
    "Limits",
    "LiveView",
    "MeasuredTable",
    "MicroaggregationResult",
    "ModelCoefficient",
    "ModelScore",
    "ModelUtility",
    "MondrianResult",
    "NeedsReview",
    "NeedsReviewFirst",
    "NoColumns",
    "Offer",
    "Offers",
    "OffersChanged",
    "Options",
    "OrdermadeError",
    "PasswordNeeded",
    "Picture",
    "PolicyBroken",
    "Predicted",
    "PredictedTables",
    "Progress",
    "ProgressLine",
    "RecodingJudgement",
    "Refused",
    "ReleaseFault",
    "ReleaseMismatch",
    "ReleasedMeanwhile",
    "ReleasesTogether",
    "Remembered",
    "RequestBeside",
    "RequestError",
    "Result",
    "ReturnedResult",
    "RulesOptions",
    "Silent",
    "SourceChanged",
    "SourceFault",
    "StateDamaged",
    "StateFault",
    "StateLocked",
    "StateMissing",
    "StateNewer",
    "StateOlder",
    "SuggestedTaxonomy",
    "Suggestion",
    "Sweep",
    "TableJudgement",
    "TableOptions",
    "TablesResult",
    "TaxonomyOptions",
    "TooLittleKnown",
    "Undecided",
    "UnfitValue",
    "UnknownName",
    "Unproved",
    "VerifiedCertificate",
    "VerifiedTables",
    "WrittenCertificate",
    "__version__",
    "anonymize",
    "initialise",
    "measure",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used."""
    if name in _WHERE:
        return getattr(importlib.import_module(f"ordermade.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'ordermade' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for completion, whether imported yet or not."""
    return [*__all__]
