"""Tidying as somebody does it: what they told of it becomes the description of a task, with who said so and when."""

import pytest

from lucca_llm.rules.plans.habits import asks_to_do_as_told, described, examples_told
from lucca_llm.rules.prompts.conversation_prompt import PromptMemory


def told(text: str, date: str = '2026-11-20', speaker: str = 'Ana', **more: str) -> PromptMemory:
    return PromptMemory('m1', 'said', f'{speaker}, {date}', text, speaker, date, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    'text',
    ['Tidy up the way I do.', 'Clean up like I always do', 'Sort these as I told you', 'put things away how I like it'],
)
def test_asking_for_ones_own_way(text: str) -> None:
    assert asks_to_do_as_told(text)


@pytest.mark.parametrize(
    'text', ['Tidy up.', 'I tidy up the way I like.', 'Do you tidy up as I do?', 'Put the cup where I can see it']
)
def test_asking_for_something_else(text: str) -> None:
    assert not asks_to_do_as_told(text)


def test_the_newest_word_of_this_person_about_these_places_counts() -> None:
    memories = [
        told('I always put the banana in the bowl.'),
        told('I put the banana on the shelf.', '2026-11-22'),
        told('I keep my drill in the bowl.'),
        told('I always put the fork in the bowl.', speaker='Ben'),
        told('I always put the fork in the attic.'),
        told('I always put the wok in the bowl.', outdated='all'),
        told('I put the apple in the bowl of my sister, who laughed.'),
    ]
    found, days = examples_told(memories, 'Ana', ('bowl', 'shelf'))
    assert found == {'in the bowl': ['drill'], 'on the shelf': ['banana']}
    assert days == ['2026-11-20', '2026-11-22']
    assert described(found, 'Ana', days) == (
        'As Ana told me on 2026-11-20 and 2026-11-22: '
        'put things like “drill” in the bowl, put things like “banana” on the shelf.'
    )
