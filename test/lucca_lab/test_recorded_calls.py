"""Recordings of model calls and their replay."""

import errno
import json
import os
import threading

import pytest
from odd_files import ODD, make_odd

from lucca_core.errors import ConfigError, ModelRetryable, ModelTimeout, ModelUnusable
from lucca_lab.recorded_calls import RecordingModel, ReplayModel
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_llm.model_spec import make_model

OPTIONS = ChatOptions(seed=1, json_schema={'type': 'object'})


class Counting:
    """Answers with the number of the call, or raises a given error."""

    spec = 'counting'

    def __init__(self, *errors):
        self.calls = 0
        self.errors = list(errors)

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return ChatReply(text=f'ünd {self.calls}', prompt_tokens=5, completion_tokens=2, model_s=0.25)

    def check(self, deadline_s):
        pass


def _ask(text):
    return [Message('system', 'rules'), Message('user', text)]


def test_what_was_recorded_is_played_back(tmp_path):
    file = tmp_path / 'new' / 'run.jsonl'
    recording = RecordingModel(Counting(), file)
    replies = [recording.chat(_ask(text), OPTIONS) for text in ('a', 'b')]
    replay = ReplayModel(file)
    heard = []
    assert replay.chat(_ask('b'), OPTIONS, on_text=heard.append) == replies[1]
    assert replay.chat(_ask('a'), OPTIONS) == replies[0]
    assert heard == ['ünd 2']


@pytest.mark.parametrize('kind', ODD)
def test_what_is_no_regular_file_is_neither_a_recording_nor_written_to(tmp_path, kind):
    odd = tmp_path / 'run.jsonl'
    make_odd(kind, odd)
    with pytest.raises(ConfigError, match='recording cannot be read') as caught:
        make_model(f'replay:{odd}')
    assert caught.value.file == str(odd)
    with pytest.raises(ModelUnusable, match='could not be recorded in'):
        RecordingModel(Counting(), odd).chat(_ask('a'), OPTIONS)


def test_a_request_asked_twice_gets_its_answers_in_order_and_then_the_last(tmp_path):
    recording = RecordingModel(Counting(), tmp_path / 'run.jsonl')
    for _ in range(2):
        recording.chat(_ask('a'), OPTIONS)
    replay = ReplayModel(tmp_path / 'run.jsonl')
    assert [replay.chat(_ask('a'), OPTIONS).text for _ in range(3)] == ['ünd 1', 'ünd 2', 'ünd 2']


@pytest.mark.parametrize('error', [ModelTimeout('slow'), ModelRetryable('busy'), ModelUnusable('no key')])
def test_a_recorded_failure_fails_again(tmp_path, error):
    recording = RecordingModel(Counting(error), tmp_path / 'run.jsonl')
    with pytest.raises(type(error)):
        recording.chat(_ask('a'), OPTIONS)
    with pytest.raises(type(error), match=str(error)):
        ReplayModel(tmp_path / 'run.jsonl').chat(_ask('a'), OPTIONS)


def test_a_cancelled_call_is_not_recorded(tmp_path):
    recording = RecordingModel(Counting(ModelRetryable('cancelled')), tmp_path / 'run.jsonl')
    with pytest.raises(ModelRetryable):
        recording.chat(_ask('a'), OPTIONS, cancelled=lambda: True)
    assert not (tmp_path / 'run.jsonl').exists()


def test_neither_the_deadline_nor_the_time_of_day_is_part_of_the_request(tmp_path):
    recording = RecordingModel(Counting(), tmp_path / 'run.jsonl')
    recording.chat(_ask('log of 2026-11-21T08:06:46.123Z'), ChatOptions(deadline_s=1))
    ReplayModel(tmp_path / 'run.jsonl').chat(_ask('log of 2027-01-02T18:30:01Z'), ChatOptions(deadline_s=2))


@pytest.mark.parametrize(
    ('messages', 'options', 'match'),
    [
        (_ask('the pear is ripe'), OPTIONS, r"message 2 \(user\), character 9.*'the pear is ripe'.*'the pear has"),
        (_ask('the pear has gone'), ChatOptions(seed=2, json_schema={'type': 'object'}), 'option seed'),
        ([Message('system', 'other rules')], OPTIONS, r'message 1 \(system\), character 0'),
    ],
)
def test_a_request_that_was_not_recorded_names_the_first_difference(tmp_path, messages, options, match):
    recording = RecordingModel(Counting(), tmp_path / 'run.jsonl')
    recording.chat(_ask('something else'), OPTIONS)
    recording.chat(_ask('the pear has gone'), OPTIONS)
    with pytest.raises(ModelUnusable, match=match):
        ReplayModel(tmp_path / 'run.jsonl').chat(messages, options)


def test_a_torn_last_line_is_ignored_and_a_broken_line_is_named(tmp_path):
    file = tmp_path / 'run.jsonl'
    RecordingModel(Counting(), file).chat(_ask('a'), OPTIONS)
    whole = file.read_text()
    file.write_text(whole + whole[:30])
    ReplayModel(file).chat(_ask('a'), OPTIONS)
    file.write_text(whole[:30] + '\n' + whole)
    with pytest.raises(ConfigError, match=r'run\.jsonl:1: not a recorded call'):
        ReplayModel(file)
    file.write_text(json.dumps({'request': {'messages': []}}) + '\n')
    with pytest.raises(ConfigError, match=r'run\.jsonl:1: '):
        ReplayModel(file)


@pytest.mark.parametrize(('content', 'match'), [(None, 'cannot be read'), ('', 'holds no call')])
def test_a_missing_or_empty_recording_is_refused(tmp_path, content, match):
    file = tmp_path / 'run.jsonl'
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError, match=match):
        ReplayModel(file)


def test_a_recording_is_readable_by_its_owner_only(tmp_path):
    RecordingModel(Counting(), tmp_path / 'run.jsonl').chat(_ask('a'), OPTIONS)
    assert (tmp_path / 'run.jsonl').stat().st_mode & 0o077 == 0


def test_threads_that_record_at_once_write_whole_lines(tmp_path):
    recordings = [RecordingModel(Counting(), tmp_path / 'run.jsonl') for _ in range(4)]

    def work(recording):
        for index in range(10):
            recording.chat(_ask(f'{index} ' + 'long ' * 3000), OPTIONS)

    threads = [threading.Thread(target=work, args=(recording,)) for recording in recordings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len((tmp_path / 'run.jsonl').read_text().splitlines()) == 40
    ReplayModel(tmp_path / 'run.jsonl')


def test_a_cancelled_replay_says_so(tmp_path):
    RecordingModel(Counting(), tmp_path / 'run.jsonl').chat(_ask('a'), OPTIONS)
    with pytest.raises(ModelRetryable, match='cancelled'):
        ReplayModel(tmp_path / 'run.jsonl').chat(_ask('a'), OPTIONS, cancelled=lambda: True)


@pytest.mark.parametrize(
    ('old', 'new', 'match'),
    [
        ('"prompt_tokens": 5', '"prompt_tokens": -5', 'tokens should be a whole number from 0'),
        ('"prompt_tokens": 5', '"prompt_tokens": 1180591620717411303424', 'tokens should be'),
        ('"prompt_tokens": 5', '"prompt_tokens": 1.5', 'tokens should be'),
        ('"model_s": 0.25', '"model_s": NaN', 'model_s should be'),
        ('"text": "ünd 1"', '"text": 3', 'should be text, is 3'),
        ('"text": "ünd 1"', r'"text": "\ud800"', 'surrogates not allowed'),
        ('"tool_calls": []', '"tool_calls": [3]', 'should be an object, is 3'),
        ('"tools": []', '"tools": ["ab"]', 'should be an object'),
        ('"content": "a"', '"content": null', 'should be text, is None'),
        ('"messages": [', '"messages": 3, "x": [', 'should be a list, is 3'),
        ('{', '[' * 100_000, 'nests too deeply'),
        ('{', '3 {', 'Extra data'),
    ],
)
def test_a_recorded_call_of_odd_values_is_refused_by_file_and_line(tmp_path, old, new, match):
    file = tmp_path / 'run.jsonl'
    RecordingModel(Counting(), file).chat(_ask('a'), OPTIONS)
    text = file.read_text()
    assert old in text
    changed = text.replace(old, new, 1)
    file.write_text(text + changed)
    with pytest.raises(ConfigError, match=rf'run\.jsonl:2: not a recorded call .*{match}'):
        ReplayModel(file)


def test_what_a_crash_left_of_a_recorded_call_spoils_no_later_one(tmp_path):
    file = tmp_path / 'run.jsonl'
    RecordingModel(Counting(), file).chat(_ask('a'), OPTIONS)
    whole = file.read_bytes()
    file.write_bytes(whole + whole[: len(whole) // 2])
    RecordingModel(Counting(), file).chat(_ask('b'), OPTIONS)
    replay = ReplayModel(file)
    assert [replay.chat(_ask(text), OPTIONS).text for text in 'ab'] == ['ünd 1', 'ünd 1']


def test_a_call_that_cannot_be_recorded_leaves_nothing_of_it_and_says_so(tmp_path, monkeypatch):
    file = tmp_path / 'run.jsonl'
    recording = RecordingModel(Counting(), file)
    recording.chat(_ask('a'), OPTIONS)
    before = file.read_bytes()
    write = os.write

    def full(handle, data):
        if len(data) < 50:
            raise OSError(errno.ENOSPC, 'No space left on device')
        return write(handle, data[: len(data) // 2])

    monkeypatch.setattr(os, 'write', full)
    with pytest.raises(ModelUnusable, match=r'could not be recorded in .*run\.jsonl: .*No space left'):
        recording.chat(_ask('b'), OPTIONS)
    assert file.read_bytes() == before


def test_half_a_pair_of_surrogates_in_a_request_can_be_recorded_and_played_back(tmp_path):
    RecordingModel(Counting(), tmp_path / 'run.jsonl').chat(_ask('\ud800'), OPTIONS)
    assert ReplayModel(tmp_path / 'run.jsonl').chat(_ask('\ud800'), OPTIONS).text == 'ünd 1'
