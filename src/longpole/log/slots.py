"""The 64-byte slot, the one shape of a fixed record in rings and in the log alike.

A ring is a file in node-local memory: a header, then slots. A slot becomes visible when its last word
holds its own number plus one, so a process killed half-way leaves no torn record behind. The header also
holds tallies: counts and histograms of what is too frequent to be kept one by one, exact at any moment. This
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
STEP = 9
REMARK = 10

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
# type, -, processes left behind, root pid, start, end, wait status, 28 spare bytes, number
FINISH_LAYOUT = struct.Struct("<BBHIqqi28sQ")
# type, -, -, pid, start, end, user us, system us, read, written, number
COST_LAYOUT = struct.Struct("<BBHIqqQQQQQ")
# One training step, inference step or batch whose parts came once each, in one slot, as eight words, since a
# cold processor packs plain words several times faster than fields. Low half first in each word:
# type, status, lane, parent (1, 1, 2, 4 bytes) | id, label | start | how long it took, the data wait |
# when forward began, how long it took | the same of backward | the same of the optimizer | number.
# All but the start are 4 bytes, times in ns from the start; STEP_NONE as a duration: there was no such part.
# The data wait begins with the step. The label is the text of the name times 256, plus a place in STEP_KINDS.
STEP_WORDS = struct.Struct("<8Q")
STEP_LAYOUT = struct.Struct("<BBHIIIqIIIIIIIIQ")
STEP_NONE = 0xFFFFFFFF
STEP_KINDS = ("step", "inference", "batch")
STEP_PARTS = ("data", "forward", "backward", "optimizer")
# type, -, -, text, at, 40 spare bytes, number; the text is JSON that says what it is about
REMARK_LAYOUT = struct.Struct("<BBHIq40sQ")

RING_MAGIC = b"LPRING01"
RING_HEADER_BYTES = 16384
# magic, version, slots, pid, spare, pid namespace, start ticks, tag, parent tag, parent phase
RING_HEADER_LAYOUT = struct.Struct("<8sIIIIQQQQQ")
RING_VERSION = 2
# Where the header has the number of slots: a writer that finds no memory for all of them lowers it.
RING_SIZE_OFFSET = 12

# Eight-byte words of the header page that change while the ring lives.
TAIL_WORD = 16
LOST_WORD = 17
CLOSED_WORD = 18
# How many slots have memory behind them: beyond it nobody may read or write.
READY_WORD = 19
# Steps that have ended and are written in a moment, for up to eight threads: 16 bits for each of STEP_KINDS.
OWED_WORDS = range(24, 32)

# The rest of the first page holds the phases that are open now, so that a kill shows what was going on.
OPEN_OFFSET = 256
OPEN_SLOTS = (4096 - OPEN_OFFSET) // SLOT_BYTES

# The other pages hold tallies of 128 words each: name and kind (texts), count, total, first start, last end,
# and from word 16 on the bins of a histogram of durations.
TALLY_OFFSET = 4096
TALLY_WORDS = 128
TALLIES = (RING_HEADER_BYTES - TALLY_OFFSET) // (8 * TALLY_WORDS)
TALLY_NAME, TALLY_KIND, TALLY_COUNT, TALLY_TOTAL, TALLY_START, TALLY_END = range(6)
TALLY_BINS = 16
BINS = TALLY_WORDS - TALLY_BINS

RING_SUFFIX = ".ring"
LOST_SUFFIX = ".lost"

# Text 1 of a ring is JSON about the process that writes it.
HELLO_TEXT = 1


def text_parts(text: bytes) -> list[bytes]:
    """Return the pieces of a text, each short enough for one slot; at least one."""
    return [text[at : at + TEXT_PART_BYTES] for at in range(0, len(text), TEXT_PART_BYTES)] or [b""]


def bin_of(duration_ns: int) -> int:
    """Return the bin of a duration: four to each doubling, from 256 ns to a minute.

    Examples:
        >>> bin_of(0), bin_of(256), bin_of(319), bin_of(320), bin_of(1 << 60)
        (0, 0, 0, 1, 111)
    """
    length = duration_ns.bit_length()
    if length < 9:
        return 0
    return min(((length - 9) << 2) + ((duration_ns >> (length - 3)) & 3), BINS - 1)


def bin_start(index: int) -> int:
    """Return the shortest duration of a bin in ns; the first bin holds shorter ones too.

    Examples:
        >>> [bin_start(index) for index in (0, 1, 4)]
        [256, 320, 512]
    """
    return (4 + index % 4) << (index // 4 + 6)
