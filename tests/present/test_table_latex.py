"""Tables in LaTeX: the lines of booktabs, names that any TeX can set; compiled where there is one."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.present.table_latex import latex_table
from tests.parts import need
from tests.present.result_tables import TABLE

_ESCAPE = re.compile(r"\\[&%$#_{}]|\\text\w+\{\}|\$\\pm\$|\{\[\}|\{\*\}")
_SPECIAL = set('&%$#_{}~^\\<>|"')
ODD = 'a_b & 50 % of $x^2$ #1 {y} ~/z \\w <"q"> |'


def test_a_table_in_latex_is_a_tabular_with_rules():
    lines = latex_table(TABLE).splitlines()

    assert lines[1] == r"\begin{table}"
    assert r"\begin{tabular}{lrlrrrr}" in lines
    assert r"task & n & in & read MB & CPU \% & time & GPU \% \\" in lines
    assert r"\multicolumn{7}{l}{\emph{galaxy, baseline}} \\" in lines
    assert (
        r"hpo \& train\_1 & 2 & node 1 & 435 $\pm$ 12 & 1,426 $\pm$ 9 & 1 min 15 s $\pm$ 250 ms & -- \\"
    ) in lines
    assert [line for line in lines if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]


@given(st.text(max_size=40))
def test_no_letter_of_a_name_means_something_to_tex(name: str):
    rows = (replace(TABLE.rows[1], name=name, section=""),)
    line = latex_table(replace(TABLE, rows=rows)).splitlines()[9]

    assert not _SPECIAL & set(_ESCAPE.sub("", line.partition(" & 2 & ")[0]))


@pytest.mark.parametrize(("name", "begin"), [("[ -f x", "{[} -f x & "), ("*x", "{*}x & ")])
def test_a_name_is_no_option_of_the_line_before(name: str, begin: str):
    rows = (TABLE.rows[0], replace(TABLE.rows[0], name=name))

    assert latex_table(replace(TABLE, rows=rows)).splitlines()[11].startswith(begin)


def test_a_table_with_odd_names_can_be_set(tmp_path: Path):
    need("latex")
    rows = (replace(TABLE.rows[0], name=ODD, section=ODD),)
    body = latex_table(replace(TABLE, title=ODD, rows=rows))
    packages = "\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}"
    page = f"\\documentclass{{article}}\n{packages}\n\\begin{{document}}\n{body}\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")

    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)

    assert done.returncode == 0, done.stdout.decode(errors="replace")
