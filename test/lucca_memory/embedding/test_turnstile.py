"""Who waits for the encoder gets it in turn."""

import threading

import pytest

from lucca_memory.embedding.turnstile import Turnstile

DEADLINE_S = 20.0


def _until(condition) -> None:
    pause = threading.Event()
    for _ in range(2000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError('it did not come about')


def test_they_are_let_in_in_the_order_in_which_they_came() -> None:
    turnstile, order, threads = Turnstile(), [], []

    def pass_through(number: int) -> None:
        with turnstile:
            order.append(number)

    with turnstile:
        for number in range(8):
            threads.append(threading.Thread(target=pass_through, args=(number,)))
            threads[-1].start()
            _until(lambda number=number: len(turnstile._waiting) == number + 1)
    for thread in threads:
        thread.join(DEADLINE_S)
    assert order == list(range(8))


def test_one_that_comes_back_at_once_waits_behind_those_who_are_there() -> None:
    turnstile, order = Turnstile(), []

    def asks() -> None:
        with turnstile:
            order.append('question')

    with turnstile:
        question = threading.Thread(target=asks)
        question.start()
        _until(lambda: len(turnstile._waiting) == 1)
    for _ in range(3):
        with turnstile:
            order.append('background')
    question.join(DEADLINE_S)
    assert order == ['question', 'background', 'background', 'background']


def test_never_two_at_once() -> None:
    turnstile, inside, most = Turnstile(), [], []

    def goes_in_and_out() -> None:
        for _ in range(200):
            with turnstile:
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=goes_in_and_out) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE_S)
    assert len(most) == 800
    assert set(most) == {1}


@pytest.mark.parametrize('handed_over', [False, True])
def test_who_gives_up_waiting_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch, handed_over: bool) -> None:
    turnstile = Turnstile()

    class Gate:
        """A lock whose second caller is interrupted by Ctrl-C while it waits."""

        closed = False

        def acquire(self) -> None:
            if self.closed:
                if handed_over:
                    turnstile.__exit__(None, None, None)
                raise KeyboardInterrupt
            self.closed = True

        def release(self) -> None:
            self.closed = False

    turnstile.__enter__()
    with monkeypatch.context() as patch:
        patch.setattr('lucca_memory.embedding.turnstile.threading.Lock', Gate)
        with pytest.raises(KeyboardInterrupt):
            turnstile.__enter__()
    if not handed_over:
        turnstile.__exit__(None, None, None)
    with turnstile:
        assert not turnstile._waiting
