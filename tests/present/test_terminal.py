from __future__ import annotations

import io

from longpole.present.terminal import terminal, write_text


def test_streams_that_take_ascii_alone_are_given_nothing_else():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors="strict", write_through=True)

    write_text(terminal(stream), "3 × a long na…\ngröße  \n")

    assert raw.getvalue() == b"\n3 x a long na~\ngr??e\n\n"
