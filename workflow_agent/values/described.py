"""What the fields of a model mean, from the strings under them, read when somebody asks."""

import ast
import inspect
import textwrap
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import override


@cache
def field_texts(model: type[object]) -> Mapping[str, str]:
    """Return the string under each field of a class, by the field's name; its own ones, not inherited."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    (defined,) = tree.body
    assert isinstance(defined, ast.ClassDef)  # noqa: S101 - it is the source of a class
    return {
        field.target.id: inspect.cleandoc(under.value.value)
        for field, under in pairwise(defined.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(under, ast.Expr)
        and isinstance(under.value, ast.Constant)
        and isinstance(under.value.value, str)
    }


class Described(BaseModel):
    """A model whose JSON Schema says of each field what the string under it says.

    Pydantic's `use_attribute_docstrings` gives the same, but reads the sources while a class is made: at
    every start, for a schema that most servers are never asked for.
    """

    @classmethod
    @override
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        made = handler(core_schema)
        properties: dict[str, Any] = handler.resolve_ref_schema(made).get("properties", {})
        for base in cls.__mro__:
            if issubclass(base, Described) and base is not Described:
                for name, text in field_texts(base).items():
                    properties[cls.model_fields[name].alias or name].setdefault("description", text)
        return made
