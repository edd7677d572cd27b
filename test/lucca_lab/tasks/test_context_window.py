import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ModelUnusable
from lucca_lab.tasks.context_window import Overflow, WindowedModel, truncated
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatOptions, ChatReply, Message

CHATS = st.lists(
    st.builds(Message, st.sampled_from(['user', 'assistant']), st.text('ab \n', max_size=80)), min_size=1, max_size=12
)


class Heard:
    """A model that keeps what it was sent."""

    spec = 'heard'

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.messages = tuple(messages)
        return ChatReply(text='yes', prompt_tokens=1, completion_tokens=1, model_s=0.0)

    def check(self, deadline_s):
        self.checked = deadline_s


@given(CHATS, st.integers(1, 200))
def test_the_oldest_whole_messages_go_and_no_more_than_have_to(chat, tokens):
    kept = truncated(chat, tokens)
    assert kept == tuple(chat[len(chat) - len(kept) :])
    assert kept
    if len(kept) > 1:
        assert estimate_prompt_tokens(kept) <= tokens
    if len(kept) < len(chat):
        assert estimate_prompt_tokens(chat[len(chat) - len(kept) - 1 :]) > tokens


@given(CHATS, st.integers(1, 200))
def test_the_system_message_and_the_last_one_always_stay(chat, tokens):
    system = Message('system', 'rules ' * 20)
    kept = truncated([system, *chat], tokens)
    assert (kept[0], kept[-1]) == (system, chat[-1])


@given(CHATS, st.integers(1, 100), st.integers(0, 100))
def test_a_wider_window_shows_no_less(chat, tokens, more):
    assert len(truncated(chat, tokens)) <= len(truncated(chat, tokens + more))


def test_a_first_message_of_a_person_is_dropped_like_any_other():
    chat = [Message('user', 'the instructions ' * 30), Message('assistant', 'so be it'), Message('user', 'and now?')]
    model = Heard()
    WindowedModel(model, 40).chat(chat, ChatOptions())
    assert model.messages == tuple(chat[1:])


def test_overflow_as_an_error_refuses_and_says_by_how_much():
    model = Heard()
    windowed = WindowedModel(model, 40, Overflow.ERROR)
    windowed.chat([Message('user', 'short')], ChatOptions())
    chat = [Message('user', 'word ' * 100), Message('user', 'and now?')]
    with pytest.raises(ModelUnusable, match=r'the prompt has \d+ tokens; the context window has 40'):
        windowed.chat(chat, ChatOptions())
    with pytest.raises(ModelUnusable):
        windowed.chat(chat[:1], ChatOptions())


def test_a_window_shows_the_model_inside():
    model = Heard()
    windowed = WindowedModel(model, 10)
    windowed.check(3.0)
    assert (windowed.spec, model.checked) == ('heard', 3.0)
    with pytest.raises(ValueError, match='context_tokens must be positive'):
        WindowedModel(model, 0)
