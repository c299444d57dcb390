"""Calls a quick estimator very often, and one with a phase of its own inside."""

import sys
from pathlib import Path

import numpy as np

import longpole

folder = Path(sys.argv[1])
(folder / "quick.py").write_text(
    "from sklearn.base import BaseEstimator\n"
    "import longpole\n"
    "class Quick(BaseEstimator):\n"
    "    def predict(self, X): return X\n"
    "class Marked(BaseEstimator):\n"
    "    def transform(self, X):\n"
    "        with longpole.phase('inside'): return X\n"
)
sys.path.insert(0, str(folder))
from quick import Marked, Quick  # noqa: E402

X = np.zeros((4, 2))
with longpole.phase("loop"):
    for _ in range(1000):
        Quick().predict(X)
    for _ in range(150):
        Marked().transform(X)
