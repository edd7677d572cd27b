"""Turns without disfluencies: what was said, as the rules read it. What is remembered of it is what was said."""

import re
from dataclasses import replace

from lucca_language.words.disfluencies import fluent
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.prompts.table_view import TableView, read_table_lines
from lucca_llm.rules.utterances.own_names import TO_KEEP

_HESITATES_FIRST = re.compile(r'^\W*(?:(?:uh+m*|um+|erm*|hm+)\b\W*)+(?=\w)', re.IGNORECASE)


def names_on(table: TableView) -> list[str]:
    """The names of things and places, in lower case."""
    return [name.lower() for name in (*(thing.name for thing in table.objects), *table.places)]


def said_fluently(turn: ConversationTurn) -> ConversationTurn:
    """The turn without the disfluencies of what was said, and of what was said before it.

    What is said to be kept stays word by word; only a hesitation before it is left out.
    """
    names = [*names_on(read_table_lines(turn.table)), *(task.name.lower() for task in turn.tasks)]

    def read(text: str) -> str:
        return _HESITATES_FIRST.sub('', text) if TO_KEEP.search(text) else fluent(text, names)

    return replace(turn, said=read(turn.said), before=tuple(map(read, turn.before)))
