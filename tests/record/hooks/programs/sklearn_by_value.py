"""Pickles estimators by value, into the folder given, and loads them again."""

# ruff: noqa: N803  data is X to scikit-learn

import sys
from pathlib import Path

import cloudpickle
import numpy as np
from sklearn.base import BaseEstimator

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
import by_value  # noqa: E402

cloudpickle.register_pickle_by_value(by_value)


class Main(BaseEstimator):
    def fit(self, X):
        return self

    def predict(self, X):
        return X + 1


def make():
    class Local(Main):
        def predict(self, X):
            return X + 2

    return Local()


for number, estimator in enumerate((Main(), make(), by_value.Module())):
    (folder / f"{number}.pickle").write_bytes(cloudpickle.dumps(estimator.fit(np.zeros(3))))
