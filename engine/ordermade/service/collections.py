"""The nouns of the service, as an engine has them: each is imported when it is first used."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ordermade.service.authentication import Credential
from ordermade.service.users import Users
from ordermade.state.authority import Authority, authority_of

if TYPE_CHECKING:
    from ordermade.service.retention import ServiceRetention
    from ordermade.service.submissions import Submissions
    from ordermade.service.submitted import SubmittedRequests
    from ordermade.service.user_catalogue import UserCatalogue


class ServiceCollections:
    """The nouns of the service, as `Engine` has them."""

    _granted: Authority | None = None
    """What `service/` lets an engine open the state by that works for the user of a token."""

    @property
    def users(self) -> Users:
        """The users, who act by tokens."""
        engine: Any = self
        if engine.token is not None:
            found: Users = engine.users
            return found
        return Users(_state(engine), credential_of(engine))

    @property
    def catalogue(self) -> UserCatalogue:
        """What users may ask of: datasets with their columns, hierarchies and policies, without a label."""
        engine: Any = self
        if engine.token is not None:
            found: UserCatalogue = engine.catalogue
            return found
        from ordermade.service.user_catalogue import UserCatalogue

        return UserCatalogue(_state(engine), credential_of(engine))

    @property
    def submissions(self) -> Submissions:
        """The requests that users submitted, and every step of their lifecycle."""
        engine: Any = self
        if engine.token is not None:  # also where a program takes the property of the class
            found: Submissions = engine.submissions
            return found
        return submissions_of(engine)

    @property
    def retention(self) -> ServiceRetention:
        """The erasure of what policies keep for a time alone."""
        from ordermade.service.retention import ServiceRetention

        engine: Any = self
        return ServiceRetention(engine.state_file, engine.cache, engine.submissions)


def submissions_of(engine: Any) -> Submissions:
    """The noun of the submitted requests itself, whole: of an engine with a token `Served` decides who has it."""
    from ordermade.service.submissions import Submissions

    return Submissions(_state(engine), _for_user(_without_token(engine)), credential_of(engine))


def submitted_of(engine: Any) -> SubmittedRequests:
    """The same to read: nothing that moves a request is imported. Of an engine with a token it is the noun itself."""
    if engine.token is not None:
        found: SubmittedRequests = engine.submissions
        return found
    from ordermade.service.submitted import SubmittedRequests

    return SubmittedRequests(_state(engine), engine, credential_of(engine))


def _state(engine: Any) -> Any:
    return _without_token(engine).state_file


def credential_of(engine: Any) -> Credential:
    """What the calls of an engine act by."""
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
