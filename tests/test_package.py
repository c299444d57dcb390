"""The root module: what users import, and what that costs their programs."""

from __future__ import annotations

import pytest

import longpole


def test_public_names_are_there():
    assert all(hasattr(longpole, name) for name in longpole.__all__)
    assert callable(longpole.record)
    assert longpole.load.__module__ == longpole.Run.__module__ == "longpole.app.run"


def test_a_name_that_is_not_there_is_missed_as_usual():
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        getattr(longpole, "nosuch")  # noqa: B009  a plain access is refused by the type checker already


def test_record_stays_a_function_whatever_is_imported_later():
    import longpole.record.options

    assert callable(longpole.record)
