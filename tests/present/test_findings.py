from __future__ import annotations

from dataclasses import replace

from longpole.present.findings import conclusion
from tests.present.explained import ALONE, FULL, WAITING, explained


def section(text: str) -> list[str]:
    lines = text.splitlines()
    first = lines.index(" Findings")
    return lines[
        first : next(at for at, line in enumerate(lines) if "makespan went" in line or line == " Makespan")
    ]


def test_findings_are_numbered_with_saving_evidence_and_change():
    lines = section(explained())

    assert " ".join(lines[1].split()) == (
        "1 Training waits for its data saves 41.2 s of 2 min 21 s (33.0 to 46.5 s)"
    )
    assert lines[2] == "    where   train (epoch), process 4021"
    assert lines[3].startswith("    seen    49 % of the time of 500 training steps")
    assert any(line.startswith("    change  Give the DataLoader") for line in lines)
    assert any(line.startswith("    replay  the wait for data") for line in lines)
    assert any(line.startswith(" 2  One of 12 trials") for line in lines)


def test_saving_stands_below_the_title_where_there_is_no_room_beside_it():
    lines = section(explained(findings=(replace(WAITING, title="A title that is " + "very " * 8 + "long"),)))

    assert "    saves 41.2 s of 2 min 21 s (33.0 to 46.5 s)" in lines


def test_nothing_found_is_said():
    assert "Nothing found that would gain 1 % or more." in explained(findings=())
    assert conclusion(replace(FULL, findings=())) == "Nothing found that would gain 1 % or more."


def test_findings_that_are_not_shown_are_counted():
    text = explained(findings=(ALONE,) * 7)

    assert "5 of 7 findings shown; --all lists every one" in text
    assert " 6  One of" not in text


def test_what_a_finding_does_not_tell_has_no_line():
    lines = section(explained(findings=(replace(ALONE, phase="", evidence=(), change=""),)))

    assert not any(line.split()[:1] in (["where"], ["seen"], ["replay"]) for line in lines)


def test_conclusion_is_the_first_finding():
    assert conclusion(FULL) == (
        "Training waits for its data: changing that saves 41.2 s of 2 min 21 s (33.0 to 46.5 s)."
    )


def test_without_times_no_saving_can_be_predicted():
    assert "No saving can be predicted: the run has no times." in explained(findings=(), makespan_s=None)
