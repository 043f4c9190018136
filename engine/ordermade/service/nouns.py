"""The nouns of the service, as an engine has them: each is imported when it is first used."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ordermade.state.authority import Authority, authority_of

if TYPE_CHECKING:
    from ordermade.service.acting import Credential
    from ordermade.service.retention import Retention
    from ordermade.service.submissions import Submissions
    from ordermade.service.users import Users


class Serving:
    """The nouns of the service, as `Engine` has them."""

    _granted: Authority | None = None
    """What `service/` lets an engine open the state by that works for the user of a token."""

    @property
    def users(self) -> Users:
        """The users, who act by tokens."""
        from ordermade.service.users import Users

        return Users(_state(self), _credential(self))

    @property
    def submissions(self) -> Submissions:
        """The requests that users submitted, and every step of their lifecycle."""
        from ordermade.service.submissions import Submissions

        engine: Any = self
        return Submissions(_state(self), _for_user(_without_token(engine)), _credential(self))

    @property
    def retention(self) -> Retention:
        """The erasure of what policies keep for a time alone."""
        from ordermade.service.retention import Retention

        engine: Any = self
        return Retention(engine.state_file, engine.cache, engine.submissions)


def _state(engine: Any) -> Any:
    return _without_token(engine).state_file


def _credential(engine: Any) -> Credential:
    from ordermade.service.acting import Credential

    granted: Authority | None = engine._granted
    return Credential((granted or authority_of(object.__getattribute__(engine, "token"))).token_hash)


def _for_user(engine: Any) -> Any:
    """An engine that answers requests of users: where a dataset has no policy, its defaults protect it all the same."""
    made = copy(engine)
    object.__setattr__(made, "limits", replace(made.limits, for_user=True))
    return made


def _without_token(engine: Any) -> Any:
    if object.__getattribute__(engine, "token") is None:
        return engine
    return object.__getattribute__(engine, "_of_provider")
