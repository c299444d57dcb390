"""Texts of posts that a model can learn from, but not by counting words; and vectors of their words.

A clear text names one hazard and one place. It informs if the hazard comes first ("flood reaches old
bridge"), and does not if the place does ("bridge band plays flood"): both kinds are made of the same words,
equally often, so only their order tells. An unclear text has one of the two words only.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

DIMENSIONS = 200
HAZARDS = """flood wildfire earthquake hurricane storm tornado landslide explosion aftershock surge blaze
cyclone mudslide tsunami gale debris quake fire lightning avalanche""".split()  # noqa: SIM905  read as a text
PLACES = """bridge road school hospital house village town station airport harbor church market street highway
tower dam farm factory roof library""".split()  # noqa: SIM905
JOINTS = "hits reaches meets takes faces passes holds shows".split()  # noqa: SIM905
# What posts talk about besides; each row is one topic, whose words have vectors near each other.
TOPICS = [
    row.split()
    for row in """
    morning evening night today tomorrow week friday sunday hour minute season autumn
    family friends mother brother children neighbor people crowd team fans guests kids
    music song band concert album guitar drums radio stage tour dance chorus
    coffee dinner bread soup pizza lunch cake kitchen recipe sugar orange apple
    game score coach league player match season goal win final cup ticket
    photo video camera picture story article post channel stream report page link
    love happy hope sad tired proud calm funny lovely quiet strange brave
    blue green old new big small long young early late bright open
    """.strip().splitlines()
]
EVENTS = (
    "california_wildfires", "hurricane_harvey", "hurricane_irma", "hurricane_maria", "iraq_iran_earthquake",
    "mexico_earthquake", "srilanka_floods",
)  # fmt: skip
RARE_WORDS = 2000
SYLLABLES = "ba do fe gi ka lo mu ne pi ra so tu va we xo zi".split()  # noqa: SIM905


def rare_word(number: int) -> str:
    """Return a word that means nothing; no two are alike.

    Examples:
        >>> rare_word(0), rare_word(4095)
        ('bababa', 'zizizi')
    """
    return "".join(SYLLABLES[number // 16**place % 16] for place in (2, 1, 0))


@cache
def fillers() -> tuple[list[str], np.ndarray]:
    """Return words that tell nothing about the class, and how often each is used: most are rare."""
    words = [word for topic in TOPICS for word in topic] + [rare_word(n) for n in range(RARE_WORDS)]
    often = 1.0 / np.arange(5, 5 + len(words))
    return words, np.cumsum(often / often.sum())


def text_of(chance: np.random.Generator, label: str, event: str, *, clear: bool) -> str:
    """Return the text of a post.

    Args:
        chance: Where all that varies comes from.
        label: What its words say: informative or not_informative.
        event: What happened; it is named whatever the label.
        clear: Whether its words say anything at all.
    """
    pair = [str(chance.choice(HAZARDS)), str(chance.choice(PLACES))]
    if label != "informative":
        pair.reverse()
    if not clear:
        del pair[chance.integers(2)]
    middle = [*some(chance, 0, 2), str(chance.choice(JOINTS)), *some(chance, 0, 2)]
    words = [*some(chance, 1, 5), pair[0], *middle, *pair[1:], *some(chance, 1, 5)]
    words[0] = words[0].capitalize()
    opening = f"RT @{rare_word(int(chance.integers(4096)))}: " if chance.random() < 0.4 else ""
    tag = f" #{event.replace('_', '')}" if chance.random() < 0.7 else ""
    return f"{opening}{' '.join(words)}{chance.choice(['.', '!', '...', ' -'])}{tag} https://t.co/{chance.integers(10**9):09d}"


def some(chance: np.random.Generator, fewest: int, most: int) -> list[str]:
    """Return words that tell nothing, between so many and so many."""
    words, until = fillers()
    picks = np.searchsorted(until, chance.random(int(chance.integers(fewest, most + 1))))
    return [words[min(pick, len(words) - 1)] for pick in picks]


def known_words(chance: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the words of all texts with their vectors: words of one meaning lie near each other."""
    tags = [event.replace("_", "") for event in EVENTS]
    seen: set[str] = set()
    for meaning in (HAZARDS, PLACES, JOINTS, *TOPICS, tags):
        centre = chance.normal(0, 0.25, DIMENSIONS)
        for word in meaning:
            if word not in seen:
                seen.add(word)
                yield word, centre + chance.normal(0, 0.15, DIMENSIONS)
    for number in range(RARE_WORDS):
        yield rare_word(number), chance.normal(0, 0.3, DIMENSIONS)
