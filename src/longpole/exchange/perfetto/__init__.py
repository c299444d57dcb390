"""Perfetto: a run as a trace for ui.perfetto.dev and Perfetto's trace processor, exact to the nanosecond.

Format: Perfetto's own protobuf (``perfetto/trace/trace_packet.proto`` and what it includes), by the few lines
of encoder in ``protobuf``. A reader sorts events by time, keeps the file's order among equal times, and takes
an end to close what was opened last on its track; so the order of ends and beginnings here is the nesting
there.

Left out: the time of day, and slices whose start is unknown, which have no place on a time line.
"""

from longpole.exchange.perfetto.lanes import Place, Span, lanes_of, places_of
from longpole.exchange.perfetto.rows import rows_of
from longpole.exchange.perfetto.slices import Count, NestedSlice, Slice
from longpole.exchange.perfetto.trace import write_trace
from longpole.exchange.perfetto.tracks import CounterTrack, LaneTrack, ProcessTrack, Track

__all__ = [
    "Count",
    "CounterTrack",
    "LaneTrack",
    "NestedSlice",
    "Place",
    "ProcessTrack",
    "Slice",
    "Span",
    "Track",
    "lanes_of",
    "places_of",
    "rows_of",
    "write_trace",
]
