"""Every importer keeps the promises of an importer."""

from __future__ import annotations

import json

from longpole.exchange.chrome import CHROME
from longpole.exchange.kineto import KINETO
from longpole.exchange.sacct import SACCT
from longpole.exchange.wfformat import WFFORMAT
from tests.contracts.importers import ImporterContract
from tests.exchange.events import small, trace
from tests.exchange.foreign import given
from tests.exchange.wfformat_instances import document


class TestSacct(ImporterContract):
    importer = SACCT
    good = given("JobID|JobName|State|Submit|Start|End\n7|train|COMPLETED|1000|1003|1008\n")


class TestWfFormat(ImporterContract):
    importer = WFFORMAT
    good = given(json.dumps(document({"a": [], "b": ["a"], "c": ["a", "b"]})))


class TestKineto(ImporterContract):
    importer = KINETO
    good = trace(*small(), distributedInfo={"rank": 0, "world_size": 2})


class TestChrome(ImporterContract):
    importer = CHROME
    good = given(
        '[{"ph": "B", "ts": 1, "pid": 1, "tid": 2, "name": "load"}, {"ph": "E", "ts": 5, "pid": 1, "tid": 2},'
        ' {"ph": "X", "ts": 2, "dur": 1, "pid": 1, "tid": 2, "name": "parse", "cat": "xml"}]'
    )
