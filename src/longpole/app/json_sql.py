"""A value within a column of JSON, in SQL: a text that is no JSON has none, where DuckDB would stop."""

from __future__ import annotations


def json_text(column: str, name: str) -> str:
    """Return SQL for the text of a value of a JSON object.

    Examples:
        >>> json_text("resources", "cores")
        "if(json_valid(resources), json_extract_string(resources, '$.cores'), NULL)"
    """
    return f"if(json_valid({column}), json_extract_string({column}, '$.{name}'), NULL)"


def json_number(column: str, name: str) -> str:
    """Return SQL for a number of a JSON object; what is none is empty."""
    return f"try_cast({json_text(column, name)} AS DOUBLE)"
