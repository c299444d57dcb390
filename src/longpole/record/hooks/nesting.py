"""Which threads are inside an estimator: what that calls in turn is no phase of its own."""

from __future__ import annotations

import os

INSIDE: set[int] = set()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=INSIDE.clear)
