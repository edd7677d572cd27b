"""Answers from general knowledge are kept as such."""

import pytest

from coordinator_node.persona import Persona
from coordinator_node.prompts import CoordinatorPrompts
from coordinator_node.talk.general_knowledge import as_kept
from lucca_llm.rules.answers.open_talk import GENERAL_KNOWLEDGE


def test_what_no_memory_tells_is_kept_with_a_mark_and_marked_once():
    kept = as_kept('As far as I know, the falls are 51 m high.')
    assert kept == '(general knowledge) As far as I know, the falls are 51 m high.'
    assert as_kept(kept) == kept


@pytest.mark.parametrize('answer', ['On 20 November 2026 you told me: “I sail to Vrango”.', ''])
def test_what_memory_tells_has_no_mark(answer):
    assert as_kept(answer) == answer


@pytest.mark.parametrize('native', [True, False])
def test_the_prompt_asks_for_the_mark(native):
    assert f'"{GENERAL_KNOWLEDGE}"' in CoordinatorPrompts().conversation_base(Persona(), (), native=native)
