"""The host, once a second: what it did beyond the command is interference, and is shown.

Reads /proc/stat, meminfo, net/dev, diskstats, mountstats (NFS) and pressure with kept descriptors. Network
interfaces other than loopback and whole disks are summed over the host; each is one resource of its own.
"""

from __future__ import annotations

import os
from time import monotonic_ns

from longpole.log.slots import GAUGE, GAUGE_LAYOUT
from longpole.record.proc import TICK_NS, count_forks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from longpole.record.journal import Journal

_NAN = float("nan")
_SECTOR_BYTES = 512

# What the four values of each kind of gauge mean, with their units; counters become rates per second.
FIELDS = {
    "cpu": (("user", "cores"), ("system", "cores"), ("waiting for I/O", "cores"), ("stolen", "cores")),
    "memory": (("used", "bytes"), ("available", "bytes"), ("cached", "bytes"), ("swap used", "bytes")),
    "network": (
        ("received", "bytes/s"),
        ("sent", "bytes/s"),
        ("received", "packets/s"),
        ("sent", "packets/s"),
    ),
    "disk": (("read", "bytes/s"), ("written", "bytes/s"), ("operations", "1/s"), ("busy", "fraction")),
    "nfs": (("read", "bytes/s"), ("written", "bytes/s"), ("reads", "1/s"), ("writes", "1/s")),
    "pressure": (
        ("cpu some", "fraction"),
        ("memory some", "fraction"),
        ("io some", "fraction"),
        ("io full", "fraction"),
    ),
}
_RATES = {"cpu", "network", "disk", "nfs", "pressure"}


class HostSampler:
    """Samples the host as a whole."""

    name = "host"
    period_s = 1.0

    def __init__(self, journal: Journal, forks_before: int = 0) -> None:
        """Open what there is; a kernel without one of the files is a host without that resource.

        ``forks_before`` is how many processes the host had started when the command began; 0 if not known.
        """
        self._journal = journal
        self._files: dict[str, int] = {}
        self._resources: dict[tuple[str, str], int] = {}
        self._counters: dict[int, tuple[float, ...]] = {}
        self._at_ns = 0
        self._waits = 0
        self._forks_before = forks_before or count_forks()

    def sample(self, now_ns: int) -> None:
        """Read everything once, unless the bound on disk use asks for patience."""
        self._waits += 1
        if self._waits < self._journal.stretch:
            return
        self._waits = 0
        for kind, name, values in self._readings():
            self._write(kind, name, values, now_ns)
        self._at_ns = now_ns

    def finish(self) -> None:
        """Take a last reading, so that the end of the run is covered."""
        self._waits = self._journal.stretch
        self.sample(monotonic_ns())
        self._journal.note("forks", count=max(0, count_forks() - self._forks_before))

    def _readings(self) -> Iterator[tuple[str, str, tuple[float, ...]]]:
        yield "cpu", "all cores", parse_cpu(self._read("/proc/stat", 512))
        yield "memory", "memory", parse_memory(self._read("/proc/meminfo", 2048))
        yield from (("network", *found) for found in parse_network(self._read("/proc/net/dev", 65536)))
        yield from (("disk", *found) for found in parse_disks(self._read("/proc/diskstats", 65536)))
        if b" nfs" in self._read("/proc/self/mounts", 262144):
            yield from (("nfs", *found) for found in parse_nfs(self._read("/proc/self/mountstats", 1 << 20)))
        pressure = [self._read(f"/proc/pressure/{what}", 256) for what in ("cpu", "memory", "io")]
        if any(pressure):
            yield "pressure", "pressure", parse_pressure(*pressure)

    def _read(self, path: str, size: int) -> bytes:
        if path not in self._files:
            try:
                self._files[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                self._files[path] = -1
        try:
            return os.pread(self._files[path], size, 0) if self._files[path] >= 0 else b""
        except OSError:
            return b""

    def _write(self, kind: str, name: str, values: tuple[float, ...], now_ns: int) -> None:
        resource = self._resource(kind, name)
        if kind in _RATES:
            before = self._counters.get(resource)
            self._counters[resource] = values
            if before is None or now_ns <= self._at_ns:
                return
            seconds = (now_ns - self._at_ns) / 1e9
            values = tuple(max(0.0, new - old) / seconds for new, old in zip(values, before, strict=True))
            if kind in ("network", "disk", "nfs") and not any(values):
                return
        start = self._at_ns or now_ns
        self._journal.slot(GAUGE_LAYOUT.pack(GAUGE, 0, 0, resource, start, now_ns, *values, 0))

    def _resource(self, kind: str, name: str) -> int:
        known = self._resources.get((kind, name))
        if known is not None:
            return known
        number = self._resources[kind, name] = len(self._resources) + 1
        fields = [list(field) for field in FIELDS[kind]]
        self._journal.note(
            "resource", number=number, kind=kind, name=name, fields=fields, capacity=_capacity(kind)
        )
        return number


def parse_cpu(text: bytes) -> tuple[float, ...]:
    """Return seconds of all cores in user code, in the kernel, waiting for I/O, and stolen."""
    fields = [int(field) for field in text.split(b"\n", 1)[0].split()[1:9]]
    user, nice, system, _, waiting, interrupts, soft, stolen = fields
    ticks = (user + nice, system + interrupts + soft, waiting, stolen)
    return tuple(count * TICK_NS / 1e9 for count in ticks)


def parse_memory(text: bytes) -> tuple[float, ...]:
    """Return bytes used (not available to programs), available, cached, and swapped out."""
    fields = dict(line.split(b":", 1) for line in text.split(b"\n") if b":" in line)
    size = {name: int(fields[name].split()[0]) * 1024 if name in fields else 0 for name in _MEMORY_FIELDS}
    total, available, cached, swap_total, swap_free = (size[name] for name in _MEMORY_FIELDS)
    return total - available, available, cached, swap_total - swap_free


_MEMORY_FIELDS = (b"MemTotal", b"MemAvailable", b"Cached", b"SwapTotal", b"SwapFree")


def parse_network(text: bytes) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each interface with bytes and packets received and sent; loopback is not a network."""
    for line in text.split(b"\n")[2:]:
        name, colon, rest = line.partition(b":")
        fields = rest.split()
        if colon and name.strip() != b"lo" and len(fields) >= 10:
            received, packets, sent, sent_packets = (float(fields[at]) for at in (0, 1, 8, 9))
            yield name.strip().decode(), (received, sent, packets, sent_packets)


def parse_disks(text: bytes) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each whole disk with bytes read and written, operations, and seconds busy.

    Partitions, loop devices and RAM disks would count the same bytes again.
    """
    disks = [line.split() for line in text.split(b"\n") if len(line.split()) >= 14]
    names = [fields[2].decode() for fields in disks]
    for name, fields in zip(names, disks, strict=True):
        part = any(
            name != other and name.startswith(other) and _is_part(name[len(other) :]) for other in names
        )
        if part or name.startswith(("loop", "ram", "dm-", "md", "zram")):
            continue
        reads, read, writes, written, busy_ms = (int(fields[at]) for at in (3, 5, 7, 9, 12))
        yield name, (read * _SECTOR_BYTES, written * _SECTOR_BYTES, reads + writes, busy_ms / 1000)


def parse_nfs(text: bytes) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each NFS mount with bytes and operations read and written over the network."""
    for block in text.split(b"\ndevice ")[0:]:
        first, _, rest = block.partition(b"\n")
        if b" fstype nfs" not in first:
            continue
        bytes_line = next(
            (line.split()[1:] for line in rest.split(b"\n") if line.strip().startswith(b"bytes:")), None
        )
        operations = {}
        for line in rest.split(b"\n"):
            key, _, values = line.strip().partition(b": ")
            if key in (b"READ", b"WRITE"):
                operations[key] = float(values.split()[0])
        if bytes_line and len(bytes_line) >= 6:
            name = first.split(b" mounted on ")[-1].split(b" with ")[0].decode("utf-8", "replace")
            counts = operations.get(b"READ", 0.0), operations.get(b"WRITE", 0.0)
            yield name, (float(bytes_line[4]), float(bytes_line[5]), *counts)


def parse_pressure(cpu: bytes, memory: bytes, disk: bytes) -> tuple[float, ...]:
    """Return seconds in which some task waited for a core, for memory, for I/O; and all did for I/O."""
    some = [_stalled_seconds(text, b"some") for text in (cpu, memory, disk)]
    return (*some, _stalled_seconds(disk, b"full"))


def _stalled_seconds(text: bytes, which: bytes) -> float:
    for line in text.split(b"\n"):
        if line.startswith(which):
            return int(line.rpartition(b"total=")[2]) / 1e6
    return _NAN


def _is_part(rest: str) -> bool:
    return rest.lstrip("p").isdigit()


def _capacity(kind: str) -> float | None:
    if kind == "cpu":
        return float(os.cpu_count() or 1)
    if kind == "memory":
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return 1.0 if kind == "pressure" else None
