"""What a run was asked for, as it is written down and read again."""

from __future__ import annotations

import pytest

from longpole.errors import UsageError
from longpole.run.request import Request, as_request, as_text


def test_what_was_asked_for_is_read_as_it_was_written() -> None:
    request = Request("/here/tiles.yaml", chosen={"parts": "[aa, \u00e9]"}, cores=2, reuse=False)

    assert as_request(as_text(request)) == request


@pytest.mark.parametrize(
    "asked",
    [
        Request("/here/caf\udce9/tiles.yaml"),
        Request("w", chosen={"a": "caf\udce9"}),
        Request("w", name="caf\udce9"),
    ],
)
def test_what_is_no_utf_8_is_refused_with_its_name(asked: Request) -> None:
    with pytest.raises(UsageError, match="is not UTF-8"):
        as_text(asked)


def test_what_cannot_be_understood_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be understood"):
        as_request("{}")
