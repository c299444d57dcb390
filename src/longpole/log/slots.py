"""The 64-byte slot, the one shape of a fixed record in rings and in the log alike.

A ring is a file in node-local memory: a header page, then slots. A slot becomes visible when its last
word holds its own number plus one, so a process killed half-way leaves no torn record behind. This
module is loaded into users' interpreters: standard library only, Python 3.8 and later.
"""

from __future__ import annotations

import struct

SLOT_BYTES = 64

PHASE = 1
TEXT = 2
PROCESS_SAMPLE = 3
GAUGE = 4
EXIT_BYTES = 5
EXIT_TIMES = 6
FINISH = 7
COST = 8

OK = 0
FAILED = 1
UNFINISHED = 2

# type, status, lane, id, parent, name, kind, attributes, start, end, device, spare, value, number
PHASE_LAYOUT = struct.Struct("<BBHIIIIIqqIIqQ")
# type, last part?, part, id, length, bytes, number
TEXT_LAYOUT = struct.Struct("<BBHII44sQ")
TEXT_PART_BYTES = 44
# type, -, threads, process, start, end, user us, system us, resident KiB, proportional KiB,
# read, written, storage read, storage written (bytes in the interval), -
PROCESS_SAMPLE_LAYOUT = struct.Struct("<BBHIqqIIIIIIIIQ")
# type, -, -, resource, start, end, four values (NaN: not known), -
GAUGE_LAYOUT = struct.Struct("<BBHIqqddddQ")
# type, -, -, pid, start, end, read, written, storage read, storage written, number
EXIT_BYTES_LAYOUT = struct.Struct("<BBHIqqQQQQQ")
# type, readable?, -, pid, start, end, user us, system us, wait status, spare, spare, number
EXIT_TIMES_LAYOUT = struct.Struct("<BBHIqqQQiIQQ")
# type, -, -, root pid, start, end, wait status, 28 spare bytes, number
FINISH_LAYOUT = struct.Struct("<BBHIqqi28sQ")
# type, -, -, pid, start, end, user us, system us, read, written, number
COST_LAYOUT = struct.Struct("<BBHIqqQQQQQ")

RING_MAGIC = b"LPRING01"
RING_HEADER_BYTES = 4096
# magic, version, slots, pid, spare, pid namespace, start ticks, tag, parent tag, parent phase
RING_HEADER_LAYOUT = struct.Struct("<8sIIIIQQQQQ")
RING_VERSION = 1

# Eight-byte words of the header page that change while the ring lives.
TAIL_WORD = 16
LOST_WORD = 17
CLOSED_WORD = 18

# The rest of the header page holds the phases that are open now, so that a kill shows what was going on.
OPEN_OFFSET = 256
OPEN_SLOTS = (RING_HEADER_BYTES - OPEN_OFFSET) // SLOT_BYTES

RING_SUFFIX = ".ring"
LOST_SUFFIX = ".lost"

# Text 1 of a ring is JSON about the process that writes it.
HELLO_TEXT = 1


def text_parts(text: bytes) -> list[bytes]:
    """Return the pieces of a text, each short enough for one slot; at least one."""
    return [text[at : at + TEXT_PART_BYTES] for at in range(0, len(text), TEXT_PART_BYTES)] or [b""]
