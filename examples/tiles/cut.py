"""Cut a text into tiles: a file for each line."""

import sys
from pathlib import Path

source, folder = map(Path, sys.argv[1:])
folder.mkdir(exist_ok=True)
for number, line in enumerate(source.read_text().splitlines(), 1):
    (folder / f"{number:02}.txt").write_text(f"{line}\n")
