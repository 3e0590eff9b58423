"""YAML nodes: what they hold, as it was written, and where."""

from __future__ import annotations

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..goal import Place

_SCALARS = {"int": "number", "float": "number", "bool": "boolean", "null": "null"}


def place_of(node: Node) -> Place:
    return Place(node.start_mark.line + 1, node.start_mark.column + 1)


def text_place_of(node: Node) -> Place:
    """Where the text begins: after the quote, where there is one."""
    place = place_of(node)
    quoted = isinstance(node, ScalarNode) and node.style in ("'", '"')
    return Place(place.line, place.column + 1) if quoted else place


def type_of(node: Node) -> str:
    """The JSON type of a node; what JSON has no type for (a date) is text."""
    if isinstance(node, MappingNode):
        return "object"
    if isinstance(node, SequenceNode):
        return "array"
    return _SCALARS.get(str(node.tag).rpartition(":")[2], "string")


def is_text(node: Node) -> bool:
    return isinstance(node, ScalarNode) and type_of(node) == "string"


def fields_of(node: Node | None) -> dict[str, Node]:
    return {key.value: value for key, value in node.value} if isinstance(node, MappingNode) else {}


def items_of(node: Node | None) -> list[Node]:
    return node.value if isinstance(node, SequenceNode) else []


def text_of(node: Node | None) -> str:
    """A value as it was written: `1.10` is not 1.1, and `yes` is not True."""
    return str(node.value) if isinstance(node, ScalarNode) else ""
