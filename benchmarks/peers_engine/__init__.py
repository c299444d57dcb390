"""Peers of ``benchmarks/engine.py``, each a program of its own: it needs its library, and nothing of ours.

    python benchmarks/peers_engine/NAME.py SHAPE TASKS CORES FOLDER

A program runs so many tasks, so many at once, and writes one line of JSON: ``{"seconds": 1.2}``, from handing
the first task over to knowing that the last has ended. Pools and clusters are warm by then: some tasks have
run there. A shape is ``fan-out`` (a process ``true`` each), ``sh`` (the same through a shell), ``outputs``
(``cp /dev/null`` to a file of its own in FOLDER), ``chain`` (one after the other) or ``functions``.
"""
