"""The nouns of the service, as an engine has them: each is imported when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.service.acting import Credential
    from ordermade.service.retention import Retention
    from ordermade.service.submissions import Submissions
    from ordermade.service.users import Users


class Serving:
    """The nouns of the service, as `Engine` has them."""

    _by_token: str | None = None
    """The hash of the token for whose user an engine without one works; None: for the provider at the shell."""

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
        return Submissions(_state(self), _without_token(engine), _credential(self))

    @property
    def retention(self) -> Retention:
        """The erasure of what policies keep for a time alone."""
        from ordermade.service.retention import Retention

        engine: Any = self
        return Retention(engine.state_file, engine.cache, engine.submissions)


def _state(engine: Any) -> Any:
    return _without_token(engine).state_file


def _credential(engine: Any) -> Credential:
    from ordermade.service.acting import Credential, hash_of

    token = object.__getattribute__(engine, "token")
    return Credential(engine._by_token if token is None else hash_of(token))


def _without_token(engine: Any) -> Any:
    if object.__getattribute__(engine, "token") is None:
        return engine
    return object.__getattribute__(engine, "_of_provider")
