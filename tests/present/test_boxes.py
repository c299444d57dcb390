from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.present.boxes import rectangle, stroke

places = st.tuples(st.floats(-100, 100), st.floats(-100, 100))
sizes = st.floats(0.5, 50)
angles = st.floats(-180, 180)


def test_turned_rectangles_touch_where_their_upright_bounds_do_but_not_always() -> None:
    one, beside = rectangle((0, 0), 100, 4, 45), rectangle((10, -10), 100, 4, 45)

    assert not one.touches(beside)
    assert one.touches(rectangle((1, -1), 100, 4, 45))


def test_a_line_through_a_rectangle_touches_it_and_one_beside_does_not() -> None:
    box = rectangle((0, 0), 10, 2)

    assert box.touches(stroke((0, -50), (0, 50)))
    assert not box.touches(stroke((6, -50), (6, 50)))
    assert not box.touches(stroke((0, 2), (0, 50)))


def test_lines_that_follow_each_other_do_not_touch_across_a_gap() -> None:
    assert not stroke((0, 0), (1, 0)).touches(stroke((2, 0), (3, 0)))


@given(places, sizes, sizes, angles, places, sizes, sizes, angles)
def test_touching_is_mutual(one, wide, high, angle, other, wide2, high2, angle2) -> None:
    first, second = rectangle(one, wide, high, angle), rectangle(other, wide2, high2, angle2)

    assert first.touches(second) == second.touches(first)


@given(places, sizes, sizes, angles, st.floats(0, 1), st.floats(0, 1))
def test_what_holds_a_point_of_another_touches_it(middle, wide, high, angle, along, across) -> None:
    box = rectangle(middle, wide, high, angle)
    (x1, y1), (x2, y2), _, (x4, y4) = box.corners
    point = (x1 + along * (x2 - x1) + across * (x4 - x1), y1 + along * (y2 - y1) + across * (y4 - y1))

    assert box.touches(rectangle(point, 0.01, 0.01, angle))
