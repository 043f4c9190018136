"""The evidence of a dataset version that grows while several requests are answered from it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ordermade.answering.book import forget_version, noted_version
from ordermade.answering.question import require_unchanged
from ordermade.answering.setting import Setting
from ordermade.errors import SourceChanged, StateFault
from ordermade.generalization.foreknowledge import remembered
from ordermade.generalization.goal import models_hash_of
from ordermade.generalization.measurement import current_cache
from ordermade.generalization.question import Question
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.measuring.dataset import Version
from ordermade.state import observations, versions


class Memory:
    """Table C's nodes of the request's dataset version (`known`), with those measured since.

    The version is noted in the state, no request is: an observation made for one k answers
    every other. `cache`: the frequency sets that may be used.
    """

    def __init__(self, question: Question, version: Version, persons: int | None, setting: Setting) -> None:
        """Notes the version; `persons` of the dataset, where it has an entity column. Raises StateFault."""
        self._question = question
        self._state = setting.state
        self._cache = setting.cache
        self._measured: dict[Node, Observation] = {}
        with setting.state.writing() as connection:
            seen = noted_version(connection, question, version, persons)
            self._version_id = seen.id
            self.known = remembered(connection, seen.id, question.resolved)
            current = versions.current(connection) if seen.first_seen_at == seen.last_seen_at else None
        self.cache = current_cache(setting.cache, current)

    def learn(self, measured: Mapping[Node, Observation]) -> None:
        """Takes up what was measured now."""
        self._measured |= measured
        by_key = {self._question.key(node): observation for node, observation in measured.items()}
        self.known = replace(self.known, observations={**self.known.observations, **by_key})

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Keeps in table C what was learned, also if the block raises; nothing of files that changed meanwhile.

        Raises SourceChanged where they did.
        """
        try:
            yield
            require_unchanged(self._question)
        except BaseException as error:
            try:
                if isinstance(error, SourceChanged) or self._question.opened.backend.changed():
                    forget_version(self._state, self._cache, self._version_id)
                else:
                    self._keep()
            except StateFault as fault:
                error.add_note(f"The measured nodes could not be kept: {fault.message}")
            raise
        self._keep()

    def _keep(self) -> None:
        models = models_hash_of(self._question.resolved)
        with self._state.writing() as connection:
            observations.record(connection, self._version_id, None, self._question.for_table_c(self._measured), models)
