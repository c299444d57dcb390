"""Texts of rings: put together from their slots, and looked up by key.

A ring numbers its texts from 1; the key of a text is its ring and that number. A text longer than one slot
lies in several, numbered parts; one that misses a part is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from longpole.log.slots import TEXT_PART_BYTES
from longpole.store.derive.arrays import Objects, places
from longpole.store.derive.records import Records

Keys = NDArray[np.uint64]
_MOST_PARTS = 4096 // TEXT_PART_BYTES + 1


def keys_of(rings: NDArray[Any], numbers: NDArray[Any]) -> Keys:
    """Return one key for each pair of a ring and a number within it."""
    return (rings.astype(np.uint64) << np.uint64(32)) | numbers.astype(np.uint64)


class Texts:
    """The texts of all rings of a run."""

    def __init__(self) -> None:
        """Start with none."""
        self._texts: dict[int, str] = {}
        self._parts: dict[int, dict[int, tuple[bytes, bool]]] = {}
        self._sorted: tuple[Keys, Objects] | None = None

    def take(self, slots: Records, rings: NDArray[Any]) -> None:
        """Add the texts of these slots, each of the ring beside it."""
        keys = keys_of(rings, slots["id"])
        whole = (slots["part"] == 0) & (slots["last"] != 0)
        self._take_whole(slots[whole], keys[whole])
        self._take_parts(slots[~whole], keys[~whole])
        self._sorted = None

    def get(self, ring: int, number: int, missing: str = "") -> str:
        """Return one text."""
        return self._texts.get(ring << 32 | number, missing)

    def lookup(self, rings: NDArray[Any], numbers: NDArray[Any], missing: str | None) -> Objects:
        """Return the text of each number in the ring beside it; ``missing`` where there is none."""
        known, words = self._by_key()
        found = places(known, keys_of(rings, numbers))
        return np.append(words, np.array([missing], object))[found]

    def _take_whole(self, slots: Records, keys: Keys) -> None:
        """Add texts of one slot each, which nearly all are."""
        for key, length, data in zip(keys.tolist(), *_lists(slots, "length", "bytes"), strict=True):
            self._texts[key] = data[:length].decode("utf-8", "replace")

    def _take_parts(self, slots: Records, keys: Keys) -> None:
        fields = _lists(slots, "part", "last", "length", "bytes")
        for key, part, last, length, data in zip(keys.tolist(), *fields, strict=True):
            if part < _MOST_PARTS:
                self._parts.setdefault(key, {})[part] = (data[:length], bool(last))
        for key, parts in list(self._parts.items()):
            end = max(parts)
            if parts[end][1] and len(parts) == end + 1:
                whole = b"".join(parts[part][0] for part in range(end + 1))
                self._texts[key] = whole.decode("utf-8", "replace")
                del self._parts[key]

    def _by_key(self) -> tuple[Keys, Objects]:
        if self._sorted is None:
            keys = np.fromiter(self._texts.keys(), np.uint64, len(self._texts))
            words = np.empty(len(keys), object)
            words[:] = list(self._texts.values())
            order = np.argsort(keys)
            self._sorted = keys[order], words[order]
        return self._sorted


def _lists(slots: Records, *names: str) -> list[list[Any]]:
    return [slots[name].tolist() for name in names]
