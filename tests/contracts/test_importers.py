"""Every importer keeps the promises of an importer."""

from __future__ import annotations

from longpole.exchange.chrome import CHROME
from longpole.exchange.kineto import KINETO
from longpole.exchange.sacct import SACCT
from tests.contracts.importers import ImporterContract
from tests.exchange.events import small, trace
from tests.exchange.foreign import given


class TestSacct(ImporterContract):
    importer = SACCT
    good = given("JobID|JobName|State|Submit|Start|End\n7|train|COMPLETED|1000|1003|1008\n")


class TestKineto(ImporterContract):
    importer = KINETO
    good = trace(*small(), distributedInfo={"rank": 0, "world_size": 2})


class TestChrome(ImporterContract):
    importer = CHROME
    good = given(
        '[{"ph": "B", "ts": 1, "pid": 1, "tid": 2, "name": "load"}, {"ph": "E", "ts": 5, "pid": 1, "tid": 2},'
        ' {"ph": "X", "ts": 2, "dur": 1, "pid": 1, "tid": 2, "name": "parse", "cat": "xml"}]'
    )
