"""Taking back what was done: `undo that` and `put it back` behind a request."""

import re

from lucca_core.english import and_list
from lucca_llm.rules.prompts.table_view import ON_TABLE, TableView

_LEADING = (
    r'(?:(?:please|no|oh|oops|sorry|wait|now|and|actually|robot|ok|okay|(?:can|could|would) you(?: please)?),? )*'
)
_IT = r'(?:it|that|this|them|those|these)'
_UNDO = re.compile(
    rf'^{_LEADING}(?:(?:undo|revert|reverse|take back) (?:{_IT}|the last (?:action|step|thing|move|one)|'
    r'(?:what|everything) you(?: have)?(?: just)? (?:did|done))|'
    rf'(?:put|move|place|bring|get|take) {_IT} back(?: out)?'
    r'(?: where (?:it|they) (?:was|were|came from|belongs?|stood))?(?: (?:again|there))?|'
    rf'(?:put|move|place) {_IT} (?:back )?(?:on|onto|to) the table|'
    rf'(?:take|get|bring) {_IT} (?:back )?out(?: of (?:it|there|that|(?:the )?(?:bowl|tower|box(?: \w+)?)))?|'
    r'undo|(?:go )?back)(?: again)?(?:,? please)?[.!?]*$',
    re.IGNORECASE,
)


def asks_to_undo(said: str) -> bool:
    """Whether a text asks to take back what was done last."""
    return _UNDO.match(' '.join(said.split())) is not None


def undone(what: str, place: str, table: TableView) -> str:
    """The request that takes back what was done with things, as `put the apple on the table`.

    Empty if nothing that fits is where it was to be. Without a place, that is anywhere but on the table.
    """
    fitting = table.fitting(what)
    moved = [thing for thing in fitting if (thing.place == place if place else thing.place != ON_TABLE)]
    return f'put {and_list([f"the {thing.name}" for thing in moved])} on the table' if moved else ''
