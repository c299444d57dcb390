"""Every importer keeps the promises of an importer."""

from __future__ import annotations

import json

from longpole.exchange.chrome import CHROME
from longpole.exchange.kineto import KINETO
from longpole.exchange.nextflow import NEXTFLOW
from longpole.exchange.pegasus import PEGASUS
from longpole.exchange.sacct import SACCT
from longpole.exchange.spark import SPARK
from longpole.exchange.wfformat import WFFORMAT
from tests.contracts.importers import ImporterContract
from tests.exchange import sparklog, stampede
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


class TestNextflow(ImporterContract):
    importer = NEXTFLOW
    good = given(
        "task_id\thash\tname\tstatus\texit\tsubmit\tduration\trealtime\t%cpu\tpeak_rss\n"
        "1\t09/f496c9\talign (a)\tFAILED\t137\t2026-03-04 21:06:07.625\t13.9s\t2.5s\t97.8%\t218 MB\n"
        "2\t44/790da5\talign (a)\tCOMPLETED\t0\t2026-03-04 21:06:30.020\t1m 3s\t41s\t120.1%\t1.2 GB\n"
    )


class TestPegasus(ImporterContract):
    importer = PEGASUS
    good = given(stampede.database())


class TestSpark(ImporterContract):
    importer = SPARK
    good = given(sparklog.log())
