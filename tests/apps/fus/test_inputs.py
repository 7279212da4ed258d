"""What the API takes: a field is sent with a value or left out, never null."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError

from partita.apps.fus import inputs
from partita.apps.fus.inputs import RatingForm, SitesForm
from partita.kit.inputs import Input

MODELS = [
    each
    for each in vars(inputs).values()
    if isinstance(each, type) and issubclass(each, Input) and each.__module__ == inputs.__name__
]
FORMS = (RatingForm, SitesForm)
"""A browser sends an empty field as nothing."""
FIELDS = [
    (model, info.alias or name) for model in MODELS if model not in FORMS for name, info in model.model_fields.items()
]


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_null_is_refused_for_every_field(model: type[BaseModel], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        model.model_validate({field: None})
    assert (field,) in {error["loc"][:1] for error in refused.value.errors()}


@pytest.mark.parametrize("model", MODELS)
def test_the_description_of_the_api_has_no_null_either(model: type[BaseModel]) -> None:
    if model not in FORMS:
        assert "'null'" not in str(model.model_json_schema())
