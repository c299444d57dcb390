"""Fails deep inside estimators, after a fit that failed and was caught."""

# ruff: noqa: N803  data is X to scikit-learn

import traceback

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler


def break_down(X):
    raise RuntimeError("as meant")


X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
try:
    LogisticRegression().fit(X, y[:3])
except ValueError:
    traceback.print_exc()
try:

    class Odd(BaseEstimator, colour="red"):
        pass
except TypeError:
    traceback.print_exc()
pipeline = make_pipeline(StandardScaler(), FunctionTransformer(break_down), LogisticRegression())
GridSearchCV(pipeline, {"logisticregression__C": [1.0]}, cv=2, error_score="raise").fit(X, y)
