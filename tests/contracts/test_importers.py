"""Every importer keeps the promises of an importer."""

from __future__ import annotations

from longpole.exchange.sacct import SACCT
from tests.contracts.importers import ImporterContract
from tests.exchange.foreign import given


class TestSacct(ImporterContract):
    importer = SACCT
    good = given("JobID|JobName|State|Submit|Start|End\n7|train|COMPLETED|1000|1003|1008\n")
