"""Ways are found by their names."""

from __future__ import annotations

import pytest

from longpole.errors import UsageError
from longpole.run.staging.ways import WAYS, Settings, way_named

_ALL = Settings(url="http://127.0.0.1:1", token="t", host="submit")


@pytest.mark.parametrize("name", WAYS)
def test_a_way_has_the_name_it_is_found_by(name: str) -> None:
    assert way_named(name, _ALL).name == name


def test_an_unknown_way_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="link, hardlink, copy, http, ssh"):
        way_named("pigeon", _ALL)


@pytest.mark.parametrize(("name", "lacks"), [("http", "token"), ("ssh", "host")])
def test_what_a_way_lacks_is_told(name: str, lacks: str) -> None:
    with pytest.raises(UsageError, match=lacks):
        way_named(name, Settings())
