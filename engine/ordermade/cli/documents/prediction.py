"""The document of `ordermade request predict`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT

if TYPE_CHECKING:
    from ordermade.cli.documents.types.prediction import Prediction
    from ordermade.methods.generalization.predicted import Predicted


def prediction(found: Predicted) -> Prediction:
    """The document of `request predict`."""
    return cast("Prediction", {"format": FORMAT, "command": "request predict", **found.as_dict()})
