"""Packed files that are not read here: known by their first bytes, refused with a way on.

Only gzip is unpacked (``opening``). zstd, which Spark 4 uses by itself, is in Python's own library from 3.14
on only, and what unpacks it is at hand wherever it is used. What Spark writes as lz4 or snappy is of Java's
own form: the usual programs cannot unpack it.
"""

from __future__ import annotations

from longpole.exchange.unreadable import UnreadableFileError

_PROGRAMS = {
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"),
    b"\x04\x22\x4d\x18": ("lz4", "lz4 -dc"),
    b"BZh": ("bzip2", "bzip2 -dc"),
    b"\xfd7zXZ\x00": ("xz", "xz -dc"),
    b"PK\x03\x04": ("zip", "unzip -p"),
}
_OF_JAVA = {b"LZ4Block": "lz4", b"\x82SNAPPY\x00": "snappy", b"\xff\x06\x00\x00sNaPpY": "snappy"}


def refuse_packed(name: str, head: bytes) -> None:
    """Refuse a file that begins as a packed one does.

    Raises:
        UnreadableFileError: It does; the sentence says how to unpack it.
    """
    for magic, (packer, command) in _PROGRAMS.items():
        if head.startswith(magic):
            raise UnreadableFileError(
                f"{name} is packed with {packer}, which is not unpacked here; unpack it on the way: "
                f"'{command} FILE | longpole import -'."
            )
    for magic, packer in _OF_JAVA.items():
        if head.startswith(magic):
            raise UnreadableFileError(
                f"{name} is packed with {packer} as Java programs do, which cannot be unpacked here; have "
                "Spark write its log with spark.eventLog.compress=false, or spark.io.compression.codec=zstd."
            )
