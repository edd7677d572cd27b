"""A model that writes noise, as one with random weights does: every trial ends, with a reason, and nothing moves."""

import json
import random
import string

import pytest

from lucca_lab.tasks import models
from lucca_lab.tasks.trial_runner import run_one
from lucca_llm.model import ChatReply


class Noise:
    """Answers with random text in which brackets and calls are as likely as letters."""

    spec = 'noise'

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        pieces = [*string.printable, '<', '>', '(', ')', '<point(', ')>', ',', '\n', 'é', '\ud800']
        text = ''.join(self.chance.choices(pieces, k=self.chance.randrange(200)))
        return ChatReply(text=text, prompt_tokens=1, completion_tokens=1, model_s=0.0)

    def check(self, deadline_s):
        pass


@pytest.mark.parametrize('memory', [False, True])
@pytest.mark.parametrize('seed', range(3))
def test_noise_ends_every_task_with_a_reason_and_moves_nothing(make_spec, monkeypatch, memory, seed):
    monkeypatch.setattr(models, 'make_model', lambda name: Noise(seed))
    line = run_one(make_spec('intervened', memory, second_opinion=True))
    assert line.isascii()
    record = json.loads(line)
    assert record['ungated_actions'] == []
    for item in record['tasks']:
        assert (item['status'], item['success'], item['performed']) == ('failed', False, [])
        assert 'wrong answers, the last:' in item['reason']
