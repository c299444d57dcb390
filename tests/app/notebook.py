"""Executes a notebook of the cells it is given as JSON, and writes their outputs as JSON.

A process of its own, as executing a notebook leaves threads and handlers of signals behind.
"""

from __future__ import annotations

import json
import sys


def execute() -> None:
    """Execute what standard input holds."""
    import nbclient
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    notebook = new_notebook(cells=[new_code_cell(cell) for cell in json.load(sys.stdin)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True).execute()
    nbformat.validate(notebook)
    json.dump([cell.outputs for cell in notebook.cells], sys.stdout)


if __name__ == "__main__":
    execute()
