"""Reading files of records: whatever is malformed is named by file, record and field."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, Self, TypeVar, cast

from privity.sdk.errors import InputError, StorageFailedError

MAX_BYTES: Final = 512 * 1024 * 1024
REMEDY: Final = "correct the file and import it again; nothing of it was imported"

KINDS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}

Kind = TypeVar("Kind")


def malformed(problem: str, where: str) -> NoReturn:
    """Refuse a file for what is wrong at one place of it."""
    raise InputError(problem, where=where, remedy=REMEDY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One JSON object, and where it stands: its file and number, then the field it is in."""

    place: str
    path: str
    fields: Mapping[str, object]

    def where(self, name: str) -> str:
        """Return the place of the field `name`, so that a person finds it."""
        return f"{self.place}, field `{self.path}{name}`"

    def text(self, name: str) -> str:
        """Return the text in field `name`, which must be there."""
        return storable(self.value(name, str), self.where(name))

    def text_or(self, name: str, default: str) -> str:
        """Return the text in field `name`, or `default` where it is absent or null."""
        return default if self.fields.get(name) is None else self.text(name)

    def record(self, name: str) -> Self:
        """Return the object in field `name`."""
        fields = cast("Mapping[str, object]", self.value(name, dict))
        return type(self)(place=self.place, path=f"{self.path}{name}.", fields=fields)

    def records(self, name: str) -> tuple[Self, ...]:
        """Return the objects of the list in field `name`."""
        return tuple(self.member(name, number, value) for number, value in enumerate(self.values(name)))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts of the list in field `name`."""
        where = self.where(name)
        return tuple(storable(expected(value, str, where), where) for value in self.values(name))

    def values(self, name: str) -> list[object]:
        """Return the list in field `name`."""
        return cast("list[object]", self.value(name, list))

    def member(self, name: str, number: int, value: object) -> Self:
        """Return the object at place `number` of the list in field `name`."""
        fields = cast("Mapping[str, object]", expected(value, dict, self.where(f"{name}[{number}]")))
        return type(self)(place=self.place, path=f"{self.path}{name}[{number}].", fields=fields)

    def value(self, name: str, kind: type[Kind]) -> Kind:
        """Return the value of field `name`, which must be there and of that kind."""
        if name not in self.fields:
            malformed("the field is missing", self.where(name))
        return expected(self.fields[name], kind, self.where(name))


def expected(value: object, kind: type[Kind], where: str) -> Kind:
    """Return `value`, which must be of that kind."""
    if not isinstance(value, kind):
        found = KINDS.get(type(value), type(value).__name__)
        malformed(f"expected {KINDS[kind]}, found {found}", where)
    return value


def storable(text: str, where: str) -> str:
    """Return `text`, which must be real Unicode without NUL."""
    if "\0" in text:
        malformed("the text holds a NUL character", where)
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        malformed("the text holds half of a surrogate pair", where)
    return text


def file_records(path: Path) -> Iterator[Record]:
    """Yield the records of a file: the objects of a JSON list, or the file's one object."""
    name = f"`{path.name}`"
    found = parsed(file_text(path), name)
    if isinstance(found, dict):
        yield Record(place=name, path="", fields=cast("Mapping[str, object]", found))
        return
    for number, value in enumerate(cast("list[object]", expected(found, list, name)), start=1):
        yield numbered(name, number, value)


def line_records(path: Path) -> Iterator[Record]:
    """Yield the records of a file that holds one JSON object in each line, blank lines left out."""
    name = f"`{path.name}`"
    for number, line in enumerate(file_text(path).split("\n"), start=1):
        if line.strip():
            yield numbered(name, number, parsed(line, f"{name}, record {number}"))


def numbered(name: str, number: int, value: object) -> Record:
    """Return the record with that number of a file."""
    place = f"{name}, record {number}"
    return Record(place=place, path="", fields=cast("Mapping[str, object]", expected(value, dict, place)))


def parsed(text: str, where: str) -> object:
    """Return the JSON value that `text` is."""
    try:
        return cast("object", json.loads(text))
    except json.JSONDecodeError as error:
        malformed(f"no JSON at line {error.lineno}, column {error.colno}: {error.msg.lower()}", where)
    except RecursionError:
        malformed("the JSON is nested too deeply", where)
    except ValueError:
        malformed("a number in the JSON is too long", where)


def file_text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        InputError: there is no such file, or it is no UTF-8, or it is far too large.
        StorageFailedError: the file cannot be read.
    """
    name = f"`{path.name}`"
    try:
        if path.stat().st_size > MAX_BYTES:
            malformed(f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB", name)
        return path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise InputError("there is no such file", where=name, remedy="name a file that exists") from None
    except UnicodeDecodeError as error:
        malformed(f"the file is no UTF-8 at byte {error.start}", name)
    except OSError as error:
        problem = f"{name} cannot be read: {error.strerror}"
        raise StorageFailedError(problem, remedy="look at the file's mode and its disk") from error
