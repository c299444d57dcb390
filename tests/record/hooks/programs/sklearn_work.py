"""Fits and predicts with estimators of many kinds, and says what came out, to the last bit."""

# ruff: noqa: N803  data is X to scikit-learn

import hashlib
import inspect
import io
import pickle
import re
import warnings

import joblib
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import set_config
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC


def digest(value):
    """Return what tells arrays that differ in one bit apart."""
    return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()


class Ours(ClassifierMixin, TransformerMixin, BaseEstimator):
    """An estimator of the program's own."""

    def __init__(self, inner=None):
        self.inner = inner

    def fit(self, X, y):
        self.inner_ = clone(self.inner).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def transform(self, X):
        return X


np.random.seed(0)
X = np.random.normal(size=(120, 6))
y = (X[:, 0] + 0.1 * X[:, 1] > 0).astype(int)
frame = pd.DataFrame(X, columns=list("abcdef"))

pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
print(pipeline.score(X, y), digest(pipeline.predict_proba(X)), digest(pipeline.decision_function(X)))
print(hasattr(pipeline, "transform"), hasattr(make_pipeline(StandardScaler()), "transform"))
print(inspect.signature(type(pipeline).predict), inspect.signature(pipeline.fit))

forest = RandomForestClassifier(8, n_jobs=2).fit(frame, y)
print(digest(forest.predict_proba(frame)), forest.get_params(), forest)

search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1.0]}, cv=2, n_jobs=2)
search.fit(X, y)
print(search.best_params_, digest(search.cv_results_["mean_test_score"]), digest(search.predict(X)))

sgd = SGDClassifier(max_iter=2).fit(sparse.csr_matrix(X), y)  # warns: it has not converged
sgd.partial_fit(X[:5], y[:5])
print(digest(sgd.coef_), cross_val_score(sgd, X, y, cv=2))

counts = CountVectorizer().fit_transform(["one two", "two three", "three"])
print(counts.shape, digest(counts.toarray()))

scaler = StandardScaler().set_output(transform="pandas")
print(type(scaler.fit_transform(frame)).__name__, digest(scaler.transform(frame).to_numpy()))
print(digest(StandardScaler().fit([[1.0, 2.0], [3.0, 5.0]]).transform([[1.0, 2.0]])))

ours = Ours(LogisticRegression()).fit(X, y)
print(ours.score(X, y), digest(ours.transform(X)), clone(ours), joblib.hash(ours))

file = io.BytesIO()
joblib.dump(pipeline, file)
print(
    hashlib.sha256(file.getvalue()).hexdigest(),
    hashlib.sha256(pickle.dumps(search.best_estimator_)).hexdigest(),
)
print(digest(pickle.loads(pickle.dumps(forest)).predict(frame)))
print(pickle.loads(pickle.dumps(pipeline.predict))(X[:3]), pickle.loads(pickle.dumps(SVC.fit)) is SVC.fit)
print(hashlib.sha256(re.sub(r"sk-[\w-]*\d+", "", pipeline._repr_html_()).encode()).hexdigest())
print([name for name in dir(search) if not name.startswith("_")])
print(sorted(vars(SVC)), inspect.getsource(SVC.fit) == inspect.getsource(inspect.unwrap(SVC.fit)))

set_config(enable_metadata_routing=True)
print(LogisticRegression().set_fit_request(sample_weight=True).get_metadata_routing())
set_config(enable_metadata_routing=False)

for failing in (lambda: SVC().predict(X), lambda: SVC().fit(), lambda: SVC(C=-1).fit(X, y)):
    try:
        failing()
    except (NotFittedError, TypeError, ValueError) as error:
        print(type(error).__name__, error)

warnings.warn("the last word", stacklevel=1)
state = np.random.get_state()
print(digest(state[1]), state[2:])
