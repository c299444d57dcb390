"""Arguments of calls: results are found and put wherever they stand."""

from __future__ import annotations

from longpole.model.call_arguments import arguments_for, results_in
from longpole.model.workflow import Call, Result


def test_results_are_found_at_any_depth_in_their_order():
    call = Call(print, (Result("b"), [1, (Result("a"), {"x": Result("c")})]), {"sep": Result("b")})

    assert results_in(call) == ("b", "a", "c")


def test_arguments_become_what_they_stand_for():
    call = Call(
        print, ([Result("a"), (2, "{n} of {png}")], "{png}", "{several}", "{other}"), {"end": {"k": "{n}"}}
    )
    values = {"png": "x.png", "n": "7", "several": ("a", "b")}

    arguments, keywords = arguments_for(call, {"a": 1.5}.__getitem__, values)

    assert arguments == ([1.5, (2, "7 of x.png")], "x.png", ["a", "b"], "{other}")
    assert keywords == {"end": {"k": "7"}}


def test_objects_of_a_users_own_pass_untouched():
    own = object()

    assert arguments_for(Call(print, (own, None, 1)), len, {}) == ((own, None, 1), {})
