"""Every importer keeps the promises of an importer."""

from __future__ import annotations

import json

from longpole.exchange.sacct import SACCT
from longpole.exchange.wfformat import WFFORMAT
from tests.contracts.importers import ImporterContract
from tests.exchange.foreign import given
from tests.exchange.wfformat_instances import document


class TestSacct(ImporterContract):
    importer = SACCT
    good = given("JobID|JobName|State|Submit|Start|End\n7|train|COMPLETED|1000|1003|1008\n")


class TestWfFormat(ImporterContract):
    importer = WFFORMAT
    good = given(json.dumps(document({"a": [], "b": ["a"], "c": ["a", "b"]})))
