from __future__ import annotations

from tests.present.explained import explained


def test_no_line_ends_between_a_number_and_its_unit():
    for width in range(40, 100, 3):
        text = explained(width)

        firsts = [line.split()[0].rstrip(".,;)") for line in text.splitlines() if line.strip()]
        assert not {"s", "%", "min", "GB", "MB"} & set(firsts)
        assert "\ue000" not in text
