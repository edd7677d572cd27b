"""Answers to texts with typing mistakes: what may be meant is asked about, and nothing moves before a yes."""

from lucca_core.english import and_list
from lucca_language.reading.noun_parser import GENERIC
from lucca_language.words.lexicon import lexicon
from lucca_language.words.mistypings import corrections, slips
from lucca_llm.rules.answers.place_answers import Instead
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.prompts.prompt_reader import call_text
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.space.told_by_place import BEGINS
from lucca_llm.rules.utterances.descriptions import read_description
from lucca_llm.rules.utterances.fluency import names_on
from lucca_llm.rules.utterances.own_names import TO_KEEP

_DO, _STOP, _PROHIBIT = '<do(', '<stop_task(', '<prohibit('
_TAKES_EFFECT = (*BEGINS, _STOP, _PROHIBIT, '<allow(', '<teach_task(', '<remember(', '<forget')


def with_slips_corrected(turn: ConversationTurn, table: TableView, answer: str, instead: Instead) -> str:
    """The answer to what was typed, or the question whether something else was meant.

    Args:
        turn: the turn.
        table: what is seen.
        answer: the answer to the text as it is.
        instead: answers another text in place of it.
    """
    names = [*names_on(table), *words_for(table)]
    unknown = slips(turn.said, names)
    if not unknown or not table.seen or TO_KEEP.search(turn.said) or _stands(answer, table):
        return answer
    found = {text: instead(text) for text in corrections(turn.said, names)}
    meant = {text: other for text, other in found.items() if other.startswith(_TAKES_EFFECT) and _stands(other, table)}
    if len(meant) != 1:
        return answer
    [(text, other)] = meant.items()
    if other.startswith(_STOP):
        return other  # in doubt, what runs is stopped
    if other.startswith(_PROHIBIT):
        again = f'Do you mean “{text}”? Then please say it in these words. I keep no prohibition'
        return call_text('cannot_do', again)
    if not other.startswith(BEGINS):
        return answer
    words = and_list([f'“{word}”' for word in unknown])
    request = other.removeprefix(_DO).removesuffix(')>').rstrip(' .!?') if other.startswith(_DO) else text.rstrip(' .')
    return call_text(
        'cannot_do', f'I do not know the word{"s" * (len(unknown) > 1)} {words}. Shall I do it: “{request}”?'
    )


def words_for(table: TableView) -> list[str]:
    """Words for the things on the table: for any of them, for their colours, and for the kinds that they belong to."""
    words = lexicon()
    found = {'table', 'rest', *GENERIC}
    for thing in table.objects:
        noun = words.singular(thing.label.lower().split()[-1])
        kinds = words.above(noun) | words.same.get(noun, frozenset())
        found |= {*kinds, *(attribute.lower() for attribute in thing.attributes)}
    return sorted(found)


def _stands(answer: str, table: TableView) -> bool:
    """Whether an answer takes effect, and each word of what is to be done was understood, the place as well."""
    if answer.startswith(_DO):
        described = answer.removeprefix(_DO).removesuffix(')>')
        if slips(described, [*names_on(table), *words_for(table)]):
            return False
        return read_description(described, '', table.objects, [name.lower() for name in table.places]).is_understood
    return answer.startswith(_TAKES_EFFECT)
