"""Facts in JSON: what attributes and resources of a run say, whoever wrote them."""

from __future__ import annotations

import json


def facts_in(text: str) -> dict[str, object]:
    """Return the values of a JSON object; none of a text that is no such object.

    Examples:
        >>> facts_in('{"flops": 7}')
        {'flops': 7}
        >>> facts_in("[7]"), facts_in(""), facts_in("{"), facts_in("[" * 100_000)
        ({}, {}, {}, {})
    """
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
