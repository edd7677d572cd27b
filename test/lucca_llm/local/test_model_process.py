"""The process of a local model: what becomes of a call when it dies, stalls or refuses."""

import sys
import threading
import time
from pathlib import Path

import pytest

from lucca_core.errors import ModelRetryable, ModelTimeout, ModelUnusable, StackError
from lucca_llm.limits.retry import ask as ask_with_retries
from lucca_llm.local.config import LocalConfig
from lucca_llm.local.local_model import LocalModel
from lucca_llm.local.model_process import ModelProcess
from lucca_llm.model import ChatModel, ChatOptions, Message

SERVING = Path(__file__).parent / 'serving.py'
PATIENT = ChatOptions(deadline_s=60.0)


@pytest.fixture
def start():
    """Makes a model whose process is `serving.py`."""
    made = []

    def make(how='ready', **settings) -> LocalModel:
        config = LocalConfig(**{'grace_s': 0.2, **settings})
        process = ModelProcess(Path('a.gguf'), config, lambda file, config: [sys.executable, str(SERVING), how])
        made.append(LocalModel('a.gguf', config, process))
        return made[-1]

    yield make
    for model in made:
        model.close()


def ask(model: ChatModel, wish: str, options: ChatOptions = PATIENT, **more):
    return model.chat([Message('user', wish)], options, **more)


def test_an_answer_is_streamed_and_counted_by_the_model(start):
    heard = []
    reply = ask(start(), 'hello', on_text=heard.append)
    assert heard == ['begun']
    assert reply.text.startswith('hello by')
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish_reason) == (3, 1, 'stop')


def test_the_same_process_answers_until_it_is_closed(start):
    model = start()
    first, second = ask(model, 'a').text.split()[-1], ask(model, 'a').text.split()[-1]
    assert first == second


@pytest.mark.parametrize(
    ('wish', 'how'), [('die', r'signal 9 \(SIGKILL\)'), ('crash', r'signal 6 \(SIGABRT\); it said: GGML_ASSERT failed')]
)
def test_a_process_that_dies_in_the_middle_of_an_answer_may_be_asked_again(start, wish, how):
    model = start()
    with pytest.raises(ModelRetryable, match=how):
        ask(model, wish)
    assert ask(model, 'again').text.startswith('again')


def test_a_process_that_dies_at_every_answer_ends_with_the_reason(start):
    with pytest.raises(ModelRetryable, match='SIGKILL'):
        ask_with_retries(start(), [Message('user', 'die')], PATIENT, sleep=lambda s: None)


def test_all_who_wait_for_a_process_that_dies_are_told(start):
    model, errors = start(), []

    def stall() -> None:
        with pytest.raises(ModelRetryable) as caught:
            ask(model, 'stall')
        errors.append(str(caught.value))

    waiting = [threading.Thread(target=stall) for _ in range(3)]
    for thread in waiting:
        thread.start()
    with pytest.raises(ModelRetryable):
        ask(model, 'die')
    for thread in waiting:
        thread.join(30)
    assert len(errors) == 3


def test_the_deadline_holds_and_the_process_lives_on_if_it_gives_up_the_call(start):
    model = start()
    first = ask(model, 'hello').text.split()[-1]
    with pytest.raises(ModelTimeout):
        ask(model, 'stall', ChatOptions(deadline_s=0.2))
    assert ask(model, 'hello').text.split()[-1] == first


def test_a_process_that_does_not_give_up_a_call_is_ended(start):
    model = start()
    first = ask(model, 'hello').text.split()[-1]
    with pytest.raises(ModelTimeout):
        ask(model, 'hang', ChatOptions(deadline_s=0.2))
    # The next call waits behind the one that hangs, until the process is ended; then it may be asked again.
    reply = ask_with_retries(model, [Message('user', 'hello')], PATIENT, sleep=lambda s: None)
    assert reply.text.split()[-1] != first


def test_a_call_can_be_cancelled(start):
    with pytest.raises(ModelRetryable, match='cancelled'):
        ask(start(), 'stall', cancelled=lambda: True)


@pytest.mark.parametrize(
    ('how', 'reason'), [('refused', 'a.gguf is damaged'), ('crashes', 'said: illegal instruction')]
)
def test_a_model_that_cannot_be_loaded_is_unusable_and_says_why(start, how, reason):
    with pytest.raises(ModelUnusable, match=reason):
        ask(start(how), 'hello')


def test_a_model_that_is_not_loaded_in_time_is_late(start):
    with pytest.raises(ModelTimeout, match='not loaded in time'):
        ask(start('never', start_s=0.2), 'hello')


def test_what_the_model_refuses_is_not_asked_again(start):
    with pytest.raises(ModelUnusable, match='it does not fit'):
        ask(start(), 'refuse')


def test_an_answer_that_is_no_message_ends_the_call_with_an_error(start):
    with pytest.raises(ModelRetryable):
        ask(start(), 'garble', ChatOptions(deadline_s=30))


def test_a_process_that_cannot_be_started_is_named():
    process = ModelProcess(Path('a.gguf'), LocalConfig(), lambda file, config: ['/nowhere/at/all'])
    with pytest.raises(StackError, match=r'a\.gguf cannot be started'):
        ask(LocalModel('a.gguf', process=process), 'hello')


def test_a_closed_model_leaves_no_process(start):
    model = start()
    pid = int(ask(model, 'hello').text.split()[-1])
    model.close()
    assert not Path(f'/proc/{pid}').exists()


def alive(pid: int) -> bool:
    """Whether a process exists; one that is dead and not yet waited for does not count."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


def test_a_process_that_never_gets_ready_is_ended_and_the_next_call_starts_another(start):
    model, pids = start('never', start_s=0.3), []
    for _ in range(2):
        with pytest.raises(ModelTimeout, match='not loaded in time'):
            ask(model, 'hello', on_text=None, cancelled=lambda: pids.append(model._process.pid) or False)
        until(lambda: not alive(pids[-1]))
    assert len(set(pids) - {None}) == 2


def test_a_call_that_gives_up_leaves_the_process_loading_for_the_next(start):
    model = start('never', start_s=60.0)
    for options, more in ((ChatOptions(deadline_s=0.2), {}), (PATIENT, {'cancelled': lambda: True})):
        with pytest.raises((ModelTimeout, ModelRetryable)):
            ask(model, 'hello', options, **more)
    assert alive(model._process.pid)


def test_closing_ends_a_process_that_loads_and_whoever_waits_for_it(start):
    model = start('never', start_s=60.0, grace_s=30.0)
    errors: list[ModelUnusable] = []

    def load() -> None:
        with pytest.raises(ModelUnusable, match='let go of') as caught:
            model.check(60.0)
        errors.append(caught.value)

    waiting = threading.Thread(target=load)
    waiting.start()
    until(lambda: model._process.pid is not None)
    began_s, pid = time.monotonic(), model._process.pid
    model.close()
    waiting.join(20.0)
    assert errors
    assert time.monotonic() - began_s < 20.0
    assert not alive(pid)


def until(happened) -> None:
    end_s = time.monotonic() + 20.0
    while not happened():
        assert time.monotonic() < end_s
        time.sleep(0.02)
