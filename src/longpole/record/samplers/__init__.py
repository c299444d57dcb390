"""The sources of an agent, one file each: what is read, how often, and what it cannot see.

A source has a ``period_s`` and a ``sample(now_ns)``; one that raises is stopped and named in the run, and
the others go on.
"""
