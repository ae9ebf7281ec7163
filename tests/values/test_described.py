"""The strings under fields become descriptions of the schema, when it is asked for."""

from pydantic import Field

from workflow_agent.values.described import Described, field_texts


class Base(Described):
    """Something."""

    shared: int = 0
    """What all of them have."""


class Part(Described):
    """A part of something."""

    size_chars: int = 0
    """How long it is."""


class Whole(Base):
    """Something whole."""

    name: str = Field(alias="title")
    """What it is called,
    in one line."""
    bare: str = ""
    said: str = Field(default="", description="In its own words.")
    """Not this."""
    parts: list[Part] = Field(default_factory=list[Part])


def test_texts_are_those_under_the_fields_of_the_class_itself() -> None:
    assert field_texts(Whole) == {"name": "What it is called,\nin one line.", "said": "Not this."}


def test_the_schema_describes_own_and_inherited_fields() -> None:
    properties = Whole.model_json_schema()["properties"]

    described = {name: one.get("description") for name, one in properties.items()}
    assert described == {
        "title": "What it is called,\nin one line.",
        "shared": "What all of them have.",
        "said": "In its own words.",
        "bare": None,
        "parts": None,
    }


def test_the_schema_describes_the_fields_of_a_model_inside_another() -> None:
    (part,) = Whole.model_json_schema()["$defs"].values()

    assert part["properties"]["size_chars"]["description"] == "How long it is."
