"""The public entry to the library: registers sources, datasets and hierarchies, and answers requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.catalogue.arguments import require_fields, typed_methods
from ordermade.catalogue.collections import Collections
from ordermade.files.file_reading import skipped_lines
from ordermade.ledger.pools import ANYONE
from ordermade.methods.registry import METHOD_OF
from ordermade.methods.shared.abandoned_runs import put_in_order
from ordermade.progress.line import ProgressLine
from ordermade.progress.notebook import in_notebook
from ordermade.progress.waiting import DEFAULT_WAIT, Notice, Progress, Silent, Wait, one_at_a_time
from ordermade.service.collections import ServiceCollections, credential_of
from ordermade.service.user_engine import serve
from ordermade.sources.limits import AskPassword, Limits
from ordermade.state import database
from ordermade.state.authority import SHELL, authority_of
from ordermade.state.database import Initialised, SharedConnection, StateFile, located, recovered
from ordermade.state.location import cache_path
from ordermade.state.temporary import TemporaryState

if TYPE_CHECKING:
    from ordermade.catalogue.any_table import AnyTable
    from ordermade.catalogue.verified_releases import RecountedCells
    from ordermade.certificates.certify import WrittenCertificate
    from ordermade.certificates.tables import VerifiedTables
    from ordermade.certificates.verification import VerifiedCertificate
    from ordermade.counting.table_figures import MeasuredTable
    from ordermade.evaluation.imported_release import ImportedRelease
    from ordermade.evaluation.judge import Judgement
    from ordermade.evaluation.judged_tables import TableOptions
    from ordermade.evaluation.options import JudgementOptions
    from ordermade.evaluation.recoding import RecodingJudgement
    from ordermade.evaluation.releases_together import ReleasesTogether
    from ordermade.evaluation.shown_file import ImportOptions
    from ordermade.methods.generalization.live_view import LiveView
    from ordermade.methods.generalization.predicted import Predicted
    from ordermade.methods.histories.taxonomies.check import CheckedTaxonomy
    from ordermade.methods.histories.taxonomies.suggest import SuggestedTaxonomy, TaxonomyOptions
    from ordermade.methods.microaggregation.compare import Comparison, ComparisonOptions
    from ordermade.methods.mondrian.rules import CheckedRules
    from ordermade.methods.mondrian.suggest import RulesOptions, Suggestion
    from ordermade.methods.shared.explain import Step
    from ordermade.methods.shared.judged import ForeseenBeside, RequestBeside
    from ordermade.methods.shared.method import Method
    from ordermade.methods.shared.open_request import CheckedData, OnInterrupt, RunContext
    from ordermade.methods.shared.result import Result
    from ordermade.methods.shared.sweep import Sweep
    from ordermade.methods.tables.predicted import PredictedTables
    from ordermade.offers.offer import Offer, Offers
    from ordermade.requests.generalization import GeneralizationRequest
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest, RequestLike
    from ordermade.requests.resolving import ResolvedRequest
    from ordermade.requests.table import TableRequest
    from ordermade.service.published_releases import ServiceReleases
    from ordermade.sources.limits import Twins
    from ordermade.state.cache import Cache
    from ordermade.state.leases import Lease
    from ordermade.state.records.requests import RequestRecord
    from ordermade.state.releases import ReleaseRecord
    from ordermade.tables.judgement import TableJudgement


@typed_methods
@dataclass(frozen=True)
class Engine(Collections, ServiceCollections):
    """A k-anonymisation engine on one state. Sources and the state are open only while they are used.

    As a context manager it is closed at the end of the block.

    Args:
        state: The path of the state file. None: ORDERMADE_STATE, else the nearest `.ordermade/state.sqlite` in the
            working directory or above.
        limits: Memory and threads.
        use_cache: Whether frequency sets, and the rows of CSV files, are kept beside the state.
        wait_seconds: How long to wait for another process's lock, of the state and of a source alike.
        notice: Receives a message when such a wait is long, when the functions of a method are compiled, and where no
            proof is expected from a search.
        progress: Receives the progress of a request. In a notebook it is a line beneath the cell unless another is
            given; elsewhere nothing is shown without `ProgressLine()`.
        ask_password: Gives the password of a server, by its URL, where none is known.
        token: That of the user who acts; None: the provider does. Other Python of the process is not bound by it.

    Raises:
        InputError: An argument is of another type.

    Example:
        >>> _ = initialise(Path("state.sqlite"))
        >>> engine = Engine("state.sqlite")
        >>> _ = engine.sources.add("clinic", "patients.csv")
        >>> _ = engine.datasets.add("patients", "clinic", table="patients", least_k=5)
        >>> _ = engine.hierarchies.add("age", {"intervals": {"levels": [{"width": 10}, {"width": 30}]}})
        >>> request = {
        ...     "dataset": "patients",
        ...     "k": 5,
        ...     "quasi_identifiers": {"age": {"hierarchy": "age"}},
        ...     "keep": ["diagnosis"],
        ...     "release": {"to": "released.csv"},
        ... }
        >>> engine.run(request).k >= 5
        True
    """

    state: Path | str | None = None
    limits: Limits = field(default_factory=Limits, repr=False)
    use_cache: bool = True
    wait_seconds: float = DEFAULT_WAIT
    notice: Notice | None = field(default=None, repr=False)
    progress: Progress = field(default_factory=lambda: _beneath_a_cell(), repr=False)
    ask_password: AskPassword | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    _temporary: TemporaryState | None = field(default=None, repr=False, compare=False)
    """The state, where it is kept in memory: removed when the last engine on it is forgotten, or one is closed."""
    _shared: SharedConnection | None = field(default=None, repr=False, compare=False)
    """The connection to the state that its calls share; None: each opens one of its own."""

    def __post_init__(self) -> None:
        """Raises InputError for an argument of another type."""
        require_fields(self)
        # Every source is opened with the limits, so the wait travels with them.
        wait, ask = Wait(self.wait_seconds, self.notice), self.ask_password or self.limits.ask_password
        twins = partial(_twins_beside, self.state, self.notice, used=self.use_cache)
        object.__setattr__(self, "limits", replace(self.limits, wait=wait, ask_password=ask, twins=twins))
        if self.token is not None:
            serve(self)

    @classmethod
    def in_memory(cls, **options: Any) -> Engine:
        """An engine on a private state, removed when the engine is closed or deleted.

        It remembers between requests what it measured of frames and other data.

        Args:
            **options: Those of `Engine`, but for `state`.

        Returns:
            The engine.

        Raises:
            StateFault: The state cannot be made.

        Example:
            >>> with Engine.in_memory() as memory:
            ...     [each.name for each in memory.datasets.list()]
            []
        """
        temporary = TemporaryState()
        return cls(temporary.path, **options, _temporary=temporary)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases what the engine keeps between calls; nothing if its state is a file."""
        if self._temporary is not None:
            self._temporary.close()

    @property
    def state_file(self) -> StateFile:
        """The state file, opened late and closed early; leftovers of killed processes are cleaned up first."""
        if self._temporary is not None:
            self._temporary.require_open()
        authority = self._granted or authority_of(self.token)
        file = StateFile(located(self.state), authority, self.wait_seconds, self.notice, self._shared)
        return recovered(file, partial(put_in_order, self.limits.ask_password))

    @property
    def cache(self) -> Cache:
        """The cache of frequency sets beside the state."""
        return self._cache_of(self.state_file)

    def _cache_of(self, state: StateFile) -> Cache:
        from ordermade.state.cache import Cache

        return Cache(cache_path(state.path), notice=self.notice)

    def check(self, request: RequestLike) -> ResolvedRequest:
        """Checks the request against its dataset without running it.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.

        Returns:
            The resolved request.

        Raises:
            RequestError: The request has mistakes; the message lists every one.
            UnknownName: It names what is not registered.
            SourceFault: The source cannot be read.
            StateFault: The state cannot be read.

        Example:
            >>> engine.check(request).request.k
            5
        """
        read = _read(request)
        with self._setting() as context:
            return _method(read).check(read, context)

    @one_at_a_time
    def check_data(self, request: RequestLike) -> CheckedData:
        """Checks the request against its data too: dataset version, coverage of hierarchies, identifying columns.

        Nothing is released; the version is noted as seen.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.

        Returns:
            What was found out.

        Raises:
            RequestError: The request has mistakes.
            HierarchyError: A hierarchy does not cover the values of its column.
            Refused: No release is possible.

        Example:
            >>> engine.check_data(request).rows
            600
        """
        read = _read(request)
        with self._setting() as context:
            return _method(read).check_data(read, context)

    def last_version(self, dataset: str, filter_text: str | None = None) -> int | None:
        """The version that a dataset was last seen with. The source is not opened.

        Args:
            dataset: Its name.
            filter_text: The row filter of a request, as it was resolved.

        Returns:
            The number of the version; None where none was seen.

        Raises:
            UnknownName: There is no such dataset.

        Example:
            >>> engine.last_version("patients") is None
            True
        """
        from ordermade.state import datasets, versions

        with self.state_file.reading() as connection:
            number = datasets.get(connection, dataset).id
            return versions.last_seen(connection, number, filter_text)

    def explain(self, request: RequestLike, *, roll_up: bool = True) -> tuple[Step, ...]:
        """The SQL of every step of the request, as `run` with the same `roll_up` would issue it; nothing is run.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            roll_up: As for `run`.

        Returns:
            The steps in order, each with its title and its SQL.

        Raises:
            RequestError: The request has mistakes; the message lists every one.
            UnknownName: It names what is not registered.
            SourceFault: The source cannot be read.
            StateFault: The state cannot be read.

        Example:
            >>> any("GROUP BY" in each.sql for each in engine.explain(request))
            True
        """
        read = _read(request)
        with self._setting(roll_up=roll_up) as context:
            return _method(read).explain(read, context)

    def predict(
        self,
        request: RequestLike,
        *,
        predictor: str | None = None,
        note: bool = False,
        look: bool = True,
        recipients: Sequence[str] = (),
    ) -> Predicted | PredictedTables:
        """Predicts the outcome of the request from table C and cached marginals alone: no row is read.

        Of tables with totals the share of suppressed cells is foretold, from how earlier ones came out. Too little
        evidence is an answer, not an error, as is a source that cannot be opened.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            predictor: A name; None: the one that has erred least so far.
            note: Whether the forecast is recorded, to be compared with the outcome.
            look: Whether a database is opened, to see in its catalog that table and columns are still there.
            recipients: Who would get the release: what they have may decide the answer, whatever the data are. Left
                out: anyone.

        Returns:
            The forecast.

        Raises:
            RequestError: The request has mistakes.
            UnknownName: There is no such predictor.
            StateFault: The state cannot be read.

        Example:
            >>> engine.predict(request | {"k": 20}).dataset
            'patients'
        """
        cache, limits, read = self.cache if self.use_cache else None, self.limits if look else None, _read(request)
        tables, names = _of_tables(read), tuple(dict.fromkeys(recipients)) or (ANYONE,)
        if tables is not None:
            from ordermade.methods.tables.predict import predicted_tables

            return predicted_tables(
                self.state_file, cache, tables, predictor, note=note, limits=limits, recipients=names
            )
        from ordermade.methods.generalization.predict import predicted

        return predicted(self.state_file, cache, read, predictor, note=note, limits=limits, recipients=names)

    def foreseen(self, request: RequestLike, recipients: Sequence[str] = ()) -> ForeseenBeside | None:
        """What the releases that recipients have decide about a request, whatever its data are: nothing is counted.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            recipients: Who would get the release. Left out: anyone.

        Returns:
            `follows`, `breach`, `fails`, `undecided`, or `open` where they decide nothing; None where the recipients
            have no release, or the dataset no policy.

        Raises:
            RequestError: The request has mistakes, or is of a method that nothing is predicted of.
            StateFault: The state or the ledger cannot be read.

        Example:
            >>> engine.foreseen(request) is None
            True
        """
        read, names = _read(request), tuple(dict.fromkeys(recipients)) or (ANYONE,)
        tables = _of_tables(read)
        if tables is not None:
            from ordermade.methods.tables.predict import foreseen_beside as of_tables

            return of_tables(self.state_file, tables, names)
        from ordermade.methods.generalization.predict import foreseen_beside

        return foreseen_beside(self.state_file, read, names)

    def measure(
        self,
        named: str | Path,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        *,
        entity: str | None = None,
        table: str | None = None,
        where: str | None = None,
        encoding: str = "auto",
        header: bool = False,
        skip: int = 0,
        skip_lines: Sequence[int] = (),
    ) -> MeasuredTable:
        """Measures how anonymous a table is: k, l, t, alpha, class sizes, risks. A path needs no state.

        Args:
            named: The path of a file, a folder or a glob, or `source.table`.
            quasi_identifiers: The columns that make the equivalence classes.
            sensitive: Columns whose values are measured in each class.
            entity: The column that identifies a person with several rows.
            table: Of a database with several tables, the one.
            where: A row filter.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line of CSV files has names, where nothing shows it.
            skip: Of CSV files, the first lines that are left out.
            skip_lines: Of CSV files, further lines that are left out, by number.

        Returns:
            The figures, which hold no value of the table.

        Raises:
            InputError: There is no such table or column.
            SourceFault: The table cannot be read.
            StateFault: The state cannot be read.

        Example:
            >>> engine.measure("patients.csv", ["sex", "town"], ["diagnosis"]).k
            100
        """
        return _table(named, table, encoding, header, skipped_lines(skip, skip_lines)).measured(
            self.state_file, self.limits, quasi_identifiers, sensitive, entity=entity, where=where
        )

    @one_at_a_time
    def compare(
        self,
        named: str | Path,
        wanted: ComparisonOptions,
        *,
        table: str | None = None,
        where: str | None = None,
        encoding: str = "auto",
        header: bool = False,
    ) -> Comparison:
        """Compares the loss of microaggregation methods at each k. Nothing is released.

        Args:
            named: A table, as for `measure`.
            wanted: The attributes, the methods and each k.
            table: Of a database with several tables, the one.
            where: A row filter.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line of CSV files has names, where nothing shows it.

        Returns:
            The loss of each method at each k.

        Raises:
            InputError: There is no such table or column.
            SourceFault: The table cannot be read.
            StateFault: The state cannot be read.

        Example:
            >>> wanted = ComparisonOptions(attributes=["age"], ks=[5], algorithms=["mdav"])
            >>> [each.k for each in engine.compare("patients.csv", wanted).of("mdav")]
            [5]
        """
        from ordermade.methods.microaggregation.compare import compared

        source_table = _table(named, table, encoding, header)
        return compared(source_table, self.state_file, self.limits, wanted, where=where, progress=self.progress)

    @one_at_a_time
    def judge_history(
        self,
        original: str | Path,
        release: str | Path,
        wanted: JudgementOptions,
        *,
        table: str | None = None,
        release_table: str | None = None,
        where: str | None = None,
        encoding: str = "auto",
        header: bool = False,
    ) -> Judgement:
        """Compares a release of purchase histories, by any tool, with its original: usefulness and safety.

        Nothing is registered, and paths need no state.

        Args:
            original: A table, as for `measure`.
            release: The release, likewise.
            wanted: The roles of the columns, and the attacks.
            table: Of a database with several tables, that of the original.
            release_table: The same of the release.
            where: A row filter of the original.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line of CSV files has names, where nothing shows it.

        Returns:
            The judgement.

        Raises:
            InputError: There is no such table or column.
            SourceFault: The original cannot be read.
            StateFault: The state cannot be read.
            ReleaseFault: The release cannot be read.
        """
        from ordermade.evaluation.judge import judged

        before = _table(original, table, encoding, header)
        after = _table(release, release_table, encoding, header)
        return judged(before, after, wanted, self.state_file, self.limits, where=where, progress=self.progress)

    @one_at_a_time
    def judge_recoding(
        self,
        release: str | Path,
        hierarchies: Mapping[str, str | Path] | None = None,
        *,
        original: str | Path | None = None,
        rounds: str | Path | Sequence[Mapping[str, Any]] | None = None,
        columns: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
        k: int | None = None,
        table: str | None = None,
        original_table: str | None = None,
        where: str | None = None,
        encoding: str = "auto",
        header: bool = False,
    ) -> RecodingJudgement:
        """Runs the attack by elimination on a locally recoded release, by any tool: rows narrowed below their labels.

        Whatever is left out is as in the manifest beside the release. Nothing is registered, and paths need no state.

        Args:
            release: A table, as for `measure`.
            hierarchies: By column, a file or a registered name.
            original: The table of which the release was made, against which the inferred sets are checked.
            rounds: A file that lists the rounds of the recoding, or the list.
            columns: The quasi-identifiers; None: those with a hierarchy.
            sensitive: Columns whose values that remain possible for a person are counted; needs the original.
            k: What the release promises.
            table: Of a database with several tables, that of the release.
            original_table: The same of the original.
            where: A row filter of the original.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line of CSV files has names, where nothing shows it.

        Returns:
            The judgement.

        Raises:
            InputError: There is no such table or column.
            Refused: A class is smaller than k.
            SourceFault: The original cannot be read.
            StateFault: The state cannot be read.
            ReleaseFault: The release cannot be read.
        """
        from ordermade.evaluation import recoding, recoding_options

        return recoding.judged_recoding(
            _table(release, table, encoding, header),
            recoding_options.RecodingOptions(hierarchies or {}, columns, rounds, k, sensitive),
            self.state_file,
            self.limits,
            original=None if original is None else _table(original, original_table, encoding, header),
            where=where,
            progress=self.progress,
        )

    @one_at_a_time
    def judge_table(
        self,
        tables: str | Path | Sequence[str | Path],
        options: TableOptions | None = None,
        *,
        table: str | None = None,
        encoding: str = "auto",
        header: bool = False,
        skipped: Sequence[int] = (),
    ) -> TableJudgement:
        """Judges published tables, by any tool: the interval of each suppressed cell that follows from all others.

        Nothing is registered, and paths need no state.

        Args:
            tables: A table, as for `measure`, or several of one population.
            options: The columns, marks, totals and hierarchies, and the least width that is safe; None: the usual ones.
            table: Of a database with several tables, that to judge.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line of CSV files has names, where nothing shows it.
            skipped: The lines of files, and rows of sheets, that are left out.

        Returns:
            The judgement.

        Raises:
            InputError: There is no such table or column, or a table is none of counts.
            Refused: Fewer rows remain than the least k of a dataset.
            SourceFault: A table cannot be read.
            StateFault: The state cannot be read.
            ReleaseFault: The manifest beside a table cannot be read.
        """
        from ordermade.evaluation import judged_tables

        several = [tables] if isinstance(tables, str | Path) else list(tables)
        return judged_tables.judged_tables(
            [_table(each, table, encoding, header, tuple(skipped)) for each in several],
            options or judged_tables.TableOptions(),
            self.state_file,
            self.limits,
            progress=self.progress,
        )

    @one_at_a_time
    def judge_releases(self, releases: Sequence[int], *, k: int | None = None) -> ReleasesTogether:
        """Judges releases of one dataset beside each other: what their readers together can work out about few persons.

        The rows are counted once, by the classes of all of them, in one statement. Nothing is released.

        Args:
            releases: The numbers of 2 to 12 releases by generalisation, or of tables with totals.
            k: Groups of fewer persons may not follow from them. None: the least k of the dataset.

        Returns:
            The judgement: `safe`, `breach` or `undecided`, and what is not safe.

        Raises:
            UnknownName: There is no such release.
            InputError: Releases of several datasets, or of a kind that is not judged.
            Refused: The data or a hierarchy is no longer that of a release.
            SourceFault: The source cannot be read.
            StateFault: The state cannot be read.
        """
        from ordermade.evaluation.releases_together import judged_releases

        with self._setting() as context:
            return judged_releases(context, releases, k)

    @one_at_a_time
    def check_rules(self, request: RequestLike) -> CheckedRules:
        """Reports which persons each rule of a request for Mondrian covers, and which rules no release can serve.

        Nothing is released.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.

        Returns:
            The coverage of each rule.

        Raises:
            RequestError: The request has mistakes.
            Refused: No release passes.
            InputError: The request has no rules.
            SourceFault: The source cannot be read.
            StateFault: The state cannot be read.
        """
        from ordermade.methods.mondrian.method import MONDRIAN
        from ordermade.methods.mondrian.rules import rules_checked
        from ordermade.requests.read import of_mondrian

        with self._setting() as context:
            read, progress = of_mondrian(_read(request), "rules check"), context.progress
            with MONDRIAN.opened(read, context, progress.statement) as open_request:
                return rules_checked(open_request, progress)

    @one_at_a_time
    def suggest_rules(self, dataset: str, wanted: RulesOptions, *, where: str | None = None) -> Suggestion:
        """Mines recommendation rules from a registered dataset, k-anonymous themselves; nothing is released.

        Args:
            dataset: The name of the dataset.
            wanted: The columns, and what a rule needs.
            where: A row filter.

        Returns:
            The rules.

        Raises:
            InputError: An option cannot be.
            UnknownName: There is no such dataset or column.
            SourceFault: The source cannot be read.
            StateFault: The state cannot be read.
        """
        from ordermade.methods.mondrian.suggest import suggested

        return suggested(self.state_file, self.limits, dataset, wanted, where=where, progress=self.progress)

    def suggest_taxonomy(
        self,
        named: str | Path,
        wanted: TaxonomyOptions,
        *,
        table: str | None = None,
        where: str | None = None,
        encoding: str = "auto",
        header: bool = False,
    ) -> SuggestedTaxonomy:
        """Drafts categories of the items of a table from their descriptions.

        Args:
            named: A table, as for `measure`.
            wanted: The columns of the items and their descriptions, and the keywords.
            table: Of a database with several tables, the one.
            where: A row filter.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line of CSV files has names, where nothing shows it.

        Returns:
            The draft.

        Raises:
            RequestError: The list of keywords has mistakes.
            InputError: There is no such table or column.
            SourceFault: The table cannot be read.
            StateFault: The state cannot be read.
        """
        from ordermade.methods.histories.taxonomies.suggest import suggested

        return suggested(_table(named, table, encoding, header), self.state_file, self.limits, wanted, where=where)

    def check_taxonomy(
        self,
        taxonomy: Path | str,
        named: str | Path,
        item: str,
        *,
        level: int | str = 1,
        table: str | None = None,
        where: str | None = None,
        encoding: str = "auto",
        header: bool = False,
        show_items: bool = False,
    ) -> CheckedTaxonomy:
        """Checks a taxonomy file against the items of a table: items without a category, items a category.

        Args:
            taxonomy: The file.
            named: A table, as for `measure`.
            item: The column of the items.
            level: The level of the categories, by number or name.
            table: Of a database with several tables, the one.
            where: A row filter.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line of CSV files has names, where nothing shows it.
            show_items: Whether those without a category are listed, for the provider.

        Returns:
            What was found out.

        Raises:
            HierarchyError: The file has mistakes.
            InputError: There is no such table or column.
            SourceFault: The table cannot be read.
        """
        from ordermade.methods.histories.taxonomies.check import checked

        items, path = _table(named, table, encoding, header), Path(taxonomy)
        return checked(path, items, self.state_file, self.limits, item, level=level, where=where, show_items=show_items)

    @one_at_a_time
    def run(
        self,
        request: RequestLike,
        *,
        data: object = None,
        entity: str | None = None,
        roll_up: bool = True,
        distributions: bool = False,
        again: bool = False,
        on_interrupt: OnInterrupt = "raise",
        recipients: Sequence[str] = (),
        reviewed: bool = True,
        lease: Lease | None = None,
    ) -> Result:
        """Answers the request: the most detailed acceptable release that passes, or the reason why there is none.

        Where a release of the same request on the same dataset version stands under its name and still verifies, that
        one is returned (a `ReturnedResult`) and nothing is written.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            data: The frame of pandas, polars or Arrow that its dataset is, or frames by name. Its `dataset` and
                `release` may be left out then; `Result.frame` gives what is released. The frame is read where it is
                and never changed: nobody may change it meanwhile.
            entity: Of a frame, the column of a person with several rows.
            roll_up: Whether k-checks run on one frequency set; False: each in the source, with identical figures.
            distributions: Whether a microaggregation reports the distribution of values before and after, too.
            again: Whether a release that stands is made anew.
            on_interrupt: "raise" lets a KeyboardInterrupt go on up; "answer" ends a search with the best node found so
                far, of which nothing is written, "release" with its release.
            recipients: Who gets the release, by name: where the dataset has a policy, it is judged beside all that they
                have, and those who may join with them. Left out: anyone.
            reviewed: Whether what that leaves undecided may be released all the same, where the policy allows it.
            lease: That of the submitted request which it answers: once another process has taken it nothing is
                released. Left out: it answers none.

        Returns:
            The result of the method; `released` says whether there is a release.

        Raises:
            InputError: The request is malformed, or the name of the release is taken.
            SourceFault: The source cannot be read.
            StateFault: The state cannot be read or written.
            ReleaseFault: The release cannot be written; nothing is left half written.
            NeedsReview: Not `reviewed`, and what the recipients could work out beside earlier releases is undecided.

        Example:
            >>> result = engine.run(request)
            >>> result.released, result.k >= 5
            (True, True)
            >>> in_memory = {name: each for name, each in request.items() if name not in ("dataset", "release")}
            >>> len(engine.run(in_memory, data=df).frame())
            600
        """
        if data is None:
            read, limits = _read(request), self.limits
        else:
            from ordermade.catalogue.frames import on_frames

            read, limits = on_frames(request, data, self.limits, entity)
        options: dict[str, Any] = {"roll_up": roll_up, "distributions": distributions, "again": again}
        options |= {"on_interrupt": on_interrupt, "is_reviewed": reviewed, "lease": lease}
        options |= {"recipients": tuple(dict.fromkeys(recipients)) or (ANYONE,)}
        with self._setting(**options) as context:
            if (path := read.request.release.path) is not None:
                from ordermade.methods.shared.existing_release import refuse_foreign

                release = read.request.release
                refuse_foreign(context.state, path, kind=release.kind, replaces=release.replace)
            if distributions:
                from ordermade.requests.read import of_microaggregation

                read = of_microaggregation(read, "request run --plot")
            return _method(read).answer(read, replace(context, limits=limits))

    @one_at_a_time
    def judge_request(self, request: RequestLike, recipients: Sequence[str] = ()) -> RequestBeside:
        """What a request would tell beside all that its recipients, and who may join with them, have already.

        The request is run up to its release, which is not written; the state notes it as one that released nothing.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            recipients: Who would get the release. Left out: anyone.

        Returns:
            The judgement; `answer` is None where the request would be refused anyway.

        Raises:
            InputError: The request is malformed.
            SourceFault: The source cannot be read.
            StateFault: The state or the ledger cannot be read or written.

        Example:
            >>> engine.judge_request(request).answer
            'safe'
        """
        from ordermade.methods.shared.judged import JudgedOnly, RequestBeside

        read, names = _read(request), tuple(dict.fromkeys(recipients)) or (ANYONE,)
        with self._setting(recipients=names, only_judged=True, again=True) as context:
            try:
                result = _method(read).answer(read, context)
            except JudgedOnly as judged:
                return judged.beside
            return RequestBeside(None, names, refused=result.reason)

    @one_at_a_time
    def import_release(
        self,
        file: str | Path,
        dataset: str,
        recipients: Sequence[str] = (),
        options: ImportOptions | None = None,
        *,
        table: str | None = None,
        encoding: str = "auto",
        header: bool = False,
    ) -> ImportedRelease:
        """Takes a release that was made elsewhere into the ledger: later ones are judged beside it.

        One that is not k-anonymous is taken in, too, for its recipients have it, and is never called safe.

        Args:
            file: Microdata at levels of hierarchies, or a table of counts with its totals: a table, as for `measure`.
            dataset: The dataset that it is of. Its columns are called as those of the dataset.
            recipients: Who has it. Left out: anyone.
            options: Its hierarchies and levels, its k and row filter, the column of counts; None: as in its manifest.
            table: Of a database with several tables, that to take in.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line of CSV files has names, where nothing shows it.

        Returns:
            Its entry in the ledger, and the judgement on it beside what its recipients have.

        Raises:
            UnknownName: There is no such dataset, column, level or hierarchy.
            InputError: The labels of a column are of no level, or of several.
            Refused: The file is not that of its manifest, or its sums do not add up.
            SourceFault: The file or the source cannot be read.
            StateFault: The state or the ledger cannot be read or written.
        """
        from ordermade.evaluation.imported_release import imported_release
        from ordermade.evaluation.shown_file import ImportOptions

        names = tuple(dict.fromkeys(recipients)) or (ANYONE,)
        with self._setting(recipients=names) as context:
            return imported_release(context, _table(file, table, encoding, header), dataset, options or ImportOptions())

    @one_at_a_time
    def offers(
        self,
        request: RequestLike,
        *,
        roll_up: bool = True,
        under_refusal: bool = False,
        recipients: Sequence[str] = (),
    ) -> Offers:
        """The passing alternatives nearest to a refused request for generalisation or for tables, with their figures.

        The state notes that the request was refused, so that an offer can be accepted (`offered`).

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            roll_up: As for `run`.
            under_refusal: Whether a `run` has noted the refusal; fewer nodes are measured at most then, and Mondrian is
                tried on fewer rows.
            recipients: Who would get the release, beside what they have: of tables only what is safe so is offered.
                Left out: anyone.

        Returns:
            The offers, or that the request passes.

        Raises:
            InputError: The request is malformed, or of another method.
            SourceFault: The source cannot be read.
            StateFault: The state cannot be read or written.

        Example:
            >>> fine = request | {"k": 100, "quasi_identifiers": {"age": {"hierarchy": "age", "to": 0}}}
            >>> engine.offers(fine).status
            'refused'
        """
        from ordermade.offers.answer import offers_of

        read, names = _read(request), tuple(dict.fromkeys(recipients)) or (ANYONE,)
        with self._setting(roll_up=roll_up, recipients=names) as context:
            return offers_of(read, context, under_refusal=under_refusal)

    def offered(self, request: RequestLike, number: int, recipients: Sequence[str] = ()) -> Offer:
        """The offer of that number as it was made; `run` answers its request, `offer.read`, with the promised figures.

        Args:
            request: The refused request.
            number: The number of the offer.
            recipients: Those whom it was made for.

        Returns:
            The offer.

        Raises:
            OffersChanged: The data, a hierarchy, the terms or the kind of release changed since; it has those of now.
            InputError: There is no such offer.
        """
        from ordermade.offers.answer import promised_offer

        with self._setting(recipients=tuple(dict.fromkeys(recipients)) or (ANYONE,)) as context:
            return promised_offer(_read(request), number, context)

    def require_live(self, request: RequestLike, *, create: bool = False) -> None:
        """Checks that a live view can be made of the request.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            create: Whether it is made in the source.

        Raises:
            InputError: It cannot.
        """
        from ordermade.methods.generalization.live_view import require_live

        with self._setting() as context:
            require_live(_for_generalization(request, "request run --as-view"), context, create=create)

    def live_view(self, request: RequestLike, result: Result, name: str, *, create: bool = False) -> LiveView:
        """The view of the request's table at the levels of its `result`: every class has k rows at any time.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            result: Its result.
            name: The name of the view.
            create: Whether it is made in the source, which must be writable.

        Returns:
            The view, with its SQL.

        Raises:
            InputError: No view keeps to the request.
            SourceFault: The source cannot be read or written.
            ReleaseFault: The view does not pass.
        """
        from ordermade.methods.generalization.live_view import live_view

        read = _for_generalization(request, "request run --as-view")
        with self._setting() as context:
            return live_view(read, context, result, name, create=create)

    def require_certifiable(self, request: RequestLike, path: Path | str) -> None:
        """Checks that a request can have a certificate.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            path: The file of the certificate.

        Raises:
            InputError: It can have none, or a file of that name is there.
        """
        from ordermade.certificates.certify import CERTIFY, require_certifiable

        read = _read(request)
        if (tables := _of_tables(read)) is not None:
            from ordermade.certificates.tables import require_certifiable_tables

            require_certifiable_tables(tables, Path(path))
            return
        with self._setting() as context:
            require_certifiable(_for_generalization(read, CERTIFY), context, Path(path))

    @one_at_a_time
    def certify(self, request: RequestLike, result: Result, path: Path | str) -> WrittenCertificate:
        """Writes why nothing better than the `result` of the request passes into a new file, for the provider.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            result: Its result.
            path: The file.

        Returns:
            What was written.

        Raises:
            Unproved: The optimum of the result was not proved.
            InputError: The request can have no certificate, or the file exists.
            SourceFault: The source cannot be read.

        Example:
            >>> written = engine.certify(request, engine.run(request), "optimum.json")
            >>> engine.verify_certificate("optimum.json", request).nodes > 0
            True
        """
        from ordermade.certificates.certify import CERTIFY, certify

        read = _read(request)
        with self._setting() as context:
            if (tables := _of_tables(read)) is not None:
                from ordermade.certificates.tables import certify_tables

                return certify_tables(tables, context, result, Path(path))
            return certify(_for_generalization(read, CERTIFY), context, result, Path(path))

    def verify_certificate(
        self, path: Path | str, request: RequestLike | None = None
    ) -> VerifiedCertificate | VerifiedTables:
        """Verifies a certificate against its dataset by plain counts.

        Args:
            path: The certificate.
            request: The one that it must be of.

        Returns:
            What was verified.

        Raises:
            Unproved: It does not hold.
            InputError: The file is no certificate.
            SourceFault: The source cannot be read.
        """
        from ordermade.certificates.certify import verify
        from ordermade.certificates.tables import is_of_tables, verify_tables

        read = None if request is None else _read(request)
        with self._setting() as context:
            if is_of_tables(Path(path)):
                from ordermade.requests.read import of_table

                return verify_tables(Path(path), context, None if read is None else of_table(read))
            of = None if read is None else _for_generalization(read, "certificate verify")
            return verify(Path(path), context, of)

    @one_at_a_time
    def sweep(self, request: RequestLike, ks: Iterable[int]) -> Sweep:
        """Computes the loss and the risk of the request for each k of `ks` in place of its own.

        The source is read once for all of them. Nothing is released, and no request is recorded.

        Args:
            request: The path of a request file, a mapping with its keys, or a request as read.
            ks: Each k.

        Returns:
            A point for each k; that of a k that is refused holds the reason. `plot()` draws them.

        Raises:
            InputError: The request or a k is malformed.
            SourceFault: The source cannot be read.
            StateFault: The state cannot be read.

        Example:
            >>> [each.k for each in engine.sweep(request, [20, 5]).points]
            [5, 20]
        """
        from ordermade.methods.shared.sweep import MAX_KS, each_k

        read, wanted = _read(request), each_k(ks, MAX_KS)
        with self._setting() as context:
            return _method(read).sweep(read, wanted, context)

    @property
    def releases(self) -> ServiceReleases:
        """The releases written so far."""
        from ordermade.service.published_releases import ServiceReleases

        return ServiceReleases(self.state_file, self.limits, self._recounted, credential_of(self), self.progress)

    def _recounted(self, release: ReleaseRecord, request: RequestRecord) -> RecountedCells:
        """The cells of released tables, counted again."""
        from ordermade.methods.tables.verify import recounted

        with self._setting() as context:
            return recounted(release, request, context)

    @contextmanager
    def _setting(self, **options: Any) -> Iterator[RunContext]:
        """What a request runs with; its transactions on the state share one connection until the end of the block."""
        from ordermade.methods.shared.open_request import RunContext

        with self.state_file.sharing() as state:
            cache = self._cache_of(state) if self.use_cache else None
            yield RunContext(state, cache, self.limits, self.progress, notice=self.notice, **options)


def initialise(path: Path, *, wait_seconds: float = DEFAULT_WAIT, notice: Notice | None = None) -> Initialised:
    """Makes a state, for its owner alone, or says that it is there already; for the provider.

    No process ever sees half a state. One that exists must be current.

    Args:
        path: The file.
        wait_seconds: How long to wait for another process that makes it.
        notice: Receives a message when that wait is long.

    Returns:
        The path, and whether the state is new.

    Raises:
        StateOlder: The state is of an earlier version.
        StateNewer: It is of a later one.
        StateDamaged: It cannot be read.
        StateFault: It cannot be written.

    Example:
        >>> initialise(Path("new.sqlite")).path.name
        'new.sqlite'
    """
    return database.initialise(path, SHELL, wait_seconds=wait_seconds, notice=notice)


# The modules behind these are slow to import, and many commands need none of them.


def _beneath_a_cell() -> Progress:
    return ProgressLine() if in_notebook() else Silent()


def _twins_beside(state: Path | str | None, notice: Notice | None, *, used: bool) -> Twins | None:
    from ordermade.state.cache import cache_beside

    return cache_beside(state, notice, used=used)


def _read(request: RequestLike) -> ReadRequest[Request]:
    from ordermade.requests.read import read_like

    return read_like(request)


def _for_generalization(request: RequestLike, command: str) -> ReadRequest[GeneralizationRequest]:
    from ordermade.requests.read import of_generalization

    return of_generalization(_read(request), command)


def _of_tables(read: ReadRequest[Request]) -> ReadRequest[TableRequest] | None:
    """The request, if it is for tables with totals."""
    from ordermade.requests.read import of_table

    return of_table(read) if read.request.method == "table" else None


def _method(read: ReadRequest[Request]) -> Method[Any]:
    return METHOD_OF[read.request.method]


def _table(
    named: str | Path, table: str | None, encoding: str, header: bool, skipped: tuple[int, ...] = ()
) -> AnyTable:
    from ordermade.catalogue.any_table import AnyTable

    return AnyTable(str(named), table, encoding, header, skipped)
