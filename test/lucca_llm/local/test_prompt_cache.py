"""Prompts with a known beginning are evaluated from there."""

from hypothesis import given
from hypothesis import strategies as st

from lucca_llm.local.prompt_cache import PromptCache, shared_beginning


class Context:
    """A context whose state is its tokens, a byte each."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.evaluated = 0
        self.refuses = False

    def saved(self) -> bytes:
        return bytes(self.tokens)

    def restore(self, tokens, data) -> bool:
        self.tokens = [] if self.refuses else list(data)
        assert self.refuses or self.tokens == list(tokens)
        return not self.refuses

    def cut(self, length) -> None:
        del self.tokens[length:]


def ask(cache, context, prompt):
    """Asks with a prompt; returns how many of its tokens had to be evaluated."""
    known = cache.prepare(prompt)
    assert context.tokens == list(prompt[:known])
    assert known < len(prompt)
    context.tokens = list(prompt)
    return len(prompt) - known


ONE, OTHER = [1] * 300, [2] * 300


def test_a_prompt_that_goes_on_is_evaluated_from_where_it_differs():
    cache = PromptCache(context := Context(), 10_000)
    assert ask(cache, context, [*ONE, 5]) == 301
    assert ask(cache, context, [*ONE, 6, 7]) == 2


def test_the_same_prompt_again_needs_its_last_token():
    cache = PromptCache(context := Context(), 10_000)
    ask(cache, context, ONE)
    assert ask(cache, context, ONE) == 1


def test_two_kinds_of_prompts_in_turn_are_both_kept():
    cache = PromptCache(context := Context(), 10_000)
    costs = [ask(cache, context, [*kind, number]) for number in range(3, 6) for kind in (ONE, OTHER)]
    assert costs == [301, 301, 1, 1, 1, 1]


def test_beyond_its_memory_the_cache_forgets_what_was_used_longest_ago():
    cache = PromptCache(context := Context(), 650)
    for kind in ([1] * 300, [2] * 300, [3] * 300, [4] * 300):
        ask(cache, context, kind)
    assert ask(cache, context, [*[3] * 300, 9]) == 1
    assert ask(cache, context, [*[1] * 300, 9]) == 301


def test_without_memory_nothing_is_kept():
    cache = PromptCache(context := Context(), 0)
    assert [ask(cache, context, kind) for kind in (ONE, OTHER, ONE)] == [300, 300, 300]


def test_a_state_that_is_refused_is_evaluated_anew():
    cache = PromptCache(context := Context(), 10_000)
    ask(cache, context, ONE)
    ask(cache, context, OTHER)
    context.refuses = True
    assert ask(cache, context, [*ONE, 3]) == 301


def test_a_state_that_is_used_may_be_displaced_by_the_one_that_is_saved_first():
    cache = PromptCache(context := Context(), 500)
    ask(cache, context, ONE)
    ask(cache, context, OTHER)
    assert ask(cache, context, [*ONE, *[3] * 20]) == 20


BEGINNINGS = st.sampled_from([[number] * length for number in (1, 2) for length in (100, 200, 300)])


@given(st.lists(st.tuples(BEGINNINGS, st.lists(st.integers(0, 2), max_size=90)), max_size=8), st.integers(0, 1000))
def test_prompts_with_long_beginnings_in_common_are_evaluated_from_there(prompts, most_bytes):
    cache = PromptCache(context := Context(), most_bytes)
    for beginning, rest in prompts:
        ask(cache, context, [*beginning, *rest])


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=400), max_size=8), st.integers(0, 1000))
def test_whatever_is_asked_the_context_holds_a_beginning_of_it(prompts, most_bytes):
    cache = PromptCache(context := Context(), most_bytes)
    for prompt in prompts:
        ask(cache, context, prompt)


@given(st.lists(st.integers(0, 1)), st.lists(st.integers(0, 1)))
def test_a_shared_beginning_is_the_longest_one(one, other):
    length = shared_beginning(one, other)
    assert one[:length] == other[:length]
    assert one[: length + 1] != other[: length + 1] or length == min(len(one), len(other))
