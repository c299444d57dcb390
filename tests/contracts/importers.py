"""What every importer must do, whatever form it reads: one class, run over all of them."""

from __future__ import annotations

import random

import pytest

from longpole.errors import LongpoleError
from longpole.model.execution import TABLES, Type
from longpole.model.ports import Importer
from longpole.model.told import Told, Wishes
from tests.exchange.foreign import Given, given

NOT_ITS_OWN = (
    b"",
    b"\x00\xff" * 50,
    b"[]",
    b"{}",
    b"null",
    b"hello\n",
    b'{"a": [1, {"b": null}]}',
    b"a\tb\n1\t2\n",
)


class ImporterContract:
    """The promises of ``model.ports.Importer``; a subclass gives an importer and a file that it reads."""

    importer: Importer
    good: Given

    def told(self) -> Told:
        return self.importer.read([self.good], Wishes())

    def test_it_has_a_name_and_a_title(self) -> None:
        assert self.importer.name.isidentifier()
        assert self.importer.title

    def test_it_recognises_its_own_and_nothing_else(self) -> None:
        assert self.importer.recognises(self.good)
        assert not any(self.importer.recognises(given(content)) for content in NOT_ITS_OWN)

    @pytest.mark.parametrize("content", NOT_ITS_OWN)
    def test_what_it_cannot_read_is_one_sentence_that_names_the_file(self, content: bytes) -> None:
        with pytest.raises(LongpoleError, match=r"some\.file") as caught:
            self.importer.read([given(content, "some.file")], Wishes())

        assert str(caught.value).endswith(".")
        assert "\n" not in str(caught.value)

    def test_a_file_cut_anywhere_is_read_or_refused(self) -> None:
        whole = self.good.content
        for at in range(0, len(whole), max(1, len(whole) // 97)):
            try:
                self.importer.read([given(whole[:at], "cut")], Wishes())
            except LongpoleError:
                pass

    def test_a_file_with_wrong_bytes_anywhere_is_read_or_refused(self) -> None:
        whole, chance = self.good.content, random.Random(7)
        for _ in range(200):
            at, noise = chance.randrange(len(whole)), chance.randbytes(chance.choice((1, 4, 50)))
            said = ""
            try:
                self.importer.read([given(whole[:at] + noise + whole[at + len(noise) :], "odd")], Wishes())
            except LongpoleError as error:
                said = str(error)
            assert not said or "odd" in said

    def test_its_tables_are_those_of_a_run(self) -> None:
        for name, columns in self.told().tables.items():
            fields = {field.name: field.type for field in TABLES[name].fields}
            assert set(columns) <= set(fields)
            for column in columns:
                assert (columns[column].words is not None) == (fields[column] is Type.TEXT)

    def test_the_run_is_called_as_wished(self) -> None:
        assert self.importer.read([self.good], Wishes(name="mine")).name == "mine"
        assert self.told().name

    def test_reading_twice_tells_the_same(self) -> None:
        first, again = self.told(), self.told()

        assert {name: list(rows.records()) for name, rows in first.tables.items()} == {
            name: list(rows.records()) for name, rows in again.tables.items()
        }
