"""Lists of object names in a model's answer, parsed strictly, and calls as the model sees them."""

from collections.abc import Iterable
from dataclasses import dataclass

from lucca_core.protocol.snapshots import TableObject
from lucca_llm.answer_grammar import NOTHING
from lucca_llm.prompt_text import shown_name, unnamed_attributes

_LONGEST = 8000


@dataclass(frozen=True, slots=True)
class ReadList:
    """The names in an answer, each once, in order. `unknown` are names that the model was not shown."""

    names: tuple[str, ...]
    unknown: tuple[str, ...]


class NoList(Exception):
    """The answer is not one line of names. The message says what is wrong and is shown back to the model."""


def called(action: str, item: TableObject) -> str:
    """A call as the model sees it, with the attributes that are not in the object's name: `<point(apple)> (red)`."""
    return f'<{action}({shown_name(item.name)})>{unnamed_attributes(item)}'


def listed(text: str, longest: int) -> list[str]:
    """The items between the commas of a one-line answer; empty if the answer says that there are none.

    Raises:
        NoList: the answer is empty, longer than `longest` characters, or has several lines.
    """
    answer = text.strip()
    if not answer:
        raise NoList('it was empty')
    if len(answer) > longest:
        raise NoList(f'it was longer than {longest} characters')
    if '\n' in answer:
        raise NoList('it had several lines; answer with one')
    return [] if answer.rstrip('.').casefold() == NOTHING else [' '.join(part.split()) for part in answer.split(',')]


def read_list(text: str, names: Iterable[str]) -> ReadList:
    """The names in an answer, matched with the names that it may contain.

    Raises:
        NoList: the answer is empty, longer than any list, has several lines, or has nothing between two commas.
    """
    known = {shown_name(name): name for name in names}
    folded = {key.casefold(): name for key, name in known.items()}
    found: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for word in listed(text, _LONGEST):
        if not word:
            raise NoList('it had a comma without a name')
        name = known.get(word) or folded.get(word.casefold()) or folded.get(word.rstrip('.').casefold())
        if name is None:
            unknown[word] = None
        else:
            found[name] = None
    return ReadList(tuple(found), tuple(unknown))
