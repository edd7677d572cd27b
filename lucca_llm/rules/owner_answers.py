"""What is said of somebody's things: said again with the things themselves, looked up, or asked about."""

from collections.abc import Sequence

from lucca_llm.rules.conversation_prompt import ConversationTurn
from lucca_llm.rules.owned_things import OwnedThing, owned_things, told_things, with_named_things
from lucca_llm.rules.prompt_reader import call_text
from lucca_llm.rules.said_sentence import Mood, SaidSentence
from lucca_llm.rules.table_view import TableView


def with_owned_things(
    turn: ConversationTurn, sentences: Sequence[SaidSentence], table: TableView
) -> ConversationTurn | str | None:
    """The turn with `the blue cube` for `Mira's cube`, or the call that looks up or tells what is not known.

    None if nothing is said of somebody's things, or only told, or if a question has to be answered in another way.
    """
    moods = {sentence.mood for sentence in sentences}
    if not table.seen or moods <= {Mood.STATEMENT}:
        return None
    named: list[tuple[OwnedThing, str]] = []
    for owned in owned_things(turn.said, table):
        told = told_things(owned, turn.memories, turn.person, table)
        if not told:
            return None if moods <= {Mood.STATEMENT, Mood.QUESTION} else _whose(owned, turn, table)
        if len(told) > 1 and owned.is_one:
            return call_text('cannot_do', f'{" and ".join(told)} may be meant by “{owned.text}”. Which one?')
        named.append((owned, ' and '.join(told)))
    return with_named_things(turn, named) if named else None


def _whose(owned: OwnedThing, turn: ConversationTurn, table: TableView) -> str | None:
    """Looks up what is somebody's; where that is not known, says so. None for one's own: it is asked about."""
    looked_up = turn.step('recall')
    if turn.reachable and (looked_up is None or looked_up.argument != owned.query):
        return call_text('recall', owned.query)
    if not owned.owner:
        return None
    things = table.fitting(owned.noun) or table.objects
    of_kind = f'which {owned.noun or "things"} {"is" if owned.is_one else "are"}'
    such_as = f' Tell me, such as: “the {things[0].name} belongs to {owned.owner}”' if things else ''
    return call_text('cannot_do', f'I do not know {of_kind} {owned.owner}’s.{such_as}')
