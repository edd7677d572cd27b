"""The specs `local:NAME` and `local:FILE.gguf`, without llama.cpp."""

import hashlib
import json
from types import SimpleNamespace

import pytest

from lucca_core.errors import ConfigError
from lucca_core.trained_models import MODELS_VARIABLE, TRAINED_MODELS, llama_cpp_dir, models_dir
from lucca_llm.local import llama_library, local_model
from lucca_llm.local.local_model import LocalModel, adapter_of, file_of
from lucca_llm.model_spec import make_model, takes_short_prompts

GGUF = b'GGUF\x03\x00\x00\x00' + (1).to_bytes(8, 'little') + bytes(100)


@pytest.fixture(autouse=True)
def models(tmp_path, monkeypatch):
    """An empty folder of models, and llama.cpp beside it as if it had been compiled."""
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    (llama_cpp_dir() / 'llama_cpp').mkdir(parents=True)
    return tmp_path


def test_a_model_that_was_brought_is_used_in_8_bits_where_it_is_there(models):
    model = TRAINED_MODELS['smollm2']
    model.path.write_bytes(GGUF)
    assert file_of('smollm2') == model.path
    (models_dir() / model.recoded).write_bytes(GGUF)
    assert file_of('smollm2') == models_dir() / model.recoded


def test_a_model_that_was_not_brought_says_how_to_bring_it():
    with pytest.raises(ConfigError, match='run `lucca models get smollm2`'):
        make_model('local:smollm2')


def test_a_name_that_is_no_model_lists_those_there_are():
    with pytest.raises(
        ConfigError, match=r'local:whisper-tiny.en names no model; there are smollm2, qwen2.5-coder, or a file'
    ):
        make_model('local:whisper-tiny.en')


def test_a_file_that_is_no_model_is_refused_when_the_model_is_made(tmp_path):
    file = tmp_path / 'a.gguf'
    file.write_bytes(b'<html>not found</html>')
    with pytest.raises(ConfigError, match='is no model in GGUF'):
        make_model(f'local:{file}')


def test_without_llama_cpp_the_error_says_what_to_install(models, monkeypatch):
    (llama_cpp_dir() / 'llama_cpp').rmdir()
    monkeypatch.setattr(llama_library, 'find_spec', lambda name: None)
    with pytest.raises(ConfigError, match=r"lucca models get smollm2.*pip install 'lucca\[local\]'"):
        make_model('local:smollm2')


def test_the_model_shows_the_spec_that_chose_it(tmp_path):
    file = tmp_path / 'a.gguf'
    file.write_bytes(GGUF)
    model = make_model(f'local:{file}')
    assert model.spec == f'local:{file}'
    assert make_model(model.spec).spec == model.spec
    model.close()


def test_an_adapter_is_a_file(tmp_path):
    file = tmp_path / 'mine.gguf'
    file.write_bytes(GGUF)
    assert adapter_of(str(file), 'smollm2') == file


@pytest.mark.parametrize(('name', 'shared'), [('tasks', 'overlap'), ('talk', 'shared_runs_of_5_words_and_texts')])
def test_an_adapter_that_comes_with_lucca_is_for_its_model_only(models, name, shared):
    file = adapter_of(name, 'smollm2')
    told = json.loads(file.with_suffix('.json').read_text())
    assert told['sha256'] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert told['model_sha256'] == TRAINED_MODELS['smollm2'].main_file.sha256
    assert not any(data[shared] for data in told['data'])
    assert file.stat().st_size <= 12 * 2**20
    with pytest.raises(ConfigError, match=f'the adapter {name} was made for smollm2, not for other'):
        adapter_of(name, 'other')


@pytest.mark.parametrize('told', [None, '{', '[]', '{}'])
def test_an_adapter_that_does_not_say_for_which_model_it_is_is_refused(tmp_path, monkeypatch, told):
    (tmp_path / 'adapters').mkdir()
    (tmp_path / 'adapters' / 'cook.gguf').write_bytes(GGUF)
    if told is not None:
        (tmp_path / 'adapters' / 'cook.json').write_text(told)
    monkeypatch.setenv('LUCCA_CONFIG_DIR', str(tmp_path))
    with pytest.raises(ConfigError, match='does not say for which model the adapter is'):
        adapter_of('cook', 'smollm2')


def test_a_name_that_is_no_file_is_refused(models):
    TRAINED_MODELS['smollm2'].path.write_bytes(GGUF)
    with pytest.raises(ConfigError, match=r'local:smollm2\+cook names no adapter; there are talk, tasks, or a file'):
        make_model('local:smollm2+cook')


def test_a_file_that_is_no_adapter_is_refused_when_the_model_is_made(models, tmp_path):
    TRAINED_MODELS['smollm2'].path.write_bytes(GGUF)
    file = tmp_path / 'page.gguf'
    file.write_bytes(b'<html>')
    with pytest.raises(ConfigError, match='is no model in GGUF'):
        make_model(f'local:smollm2+{file}')


def test_the_spec_of_a_model_with_an_adapter_makes_it_again(models, tmp_path):
    TRAINED_MODELS['smollm2'].path.write_bytes(GGUF)
    file = tmp_path / 'tidy.gguf'
    file.write_bytes(GGUF)
    model = make_model(f'local:smollm2+{file}')
    assert model.spec == f'local:smollm2+{file}'
    assert takes_short_prompts(model.spec, 'auto')
    assert not takes_short_prompts(model.spec, 'long')
    assert not takes_short_prompts('local:smollm2', 'auto')
    model.close()


def test_the_time_to_load_does_not_count_towards_the_first_answer(monkeypatch):
    now_s = [0.0]
    monkeypatch.setattr(local_model, 'time', SimpleNamespace(monotonic=lambda: now_s[0]))
    ends_s = []

    class SlowToLoad:
        def close(self):
            pass

        def load(self):
            now_s[0] += 30.0

        def call(self, chat, end_s, on_text, cancelled):
            ends_s.append(end_s)
            return {'text': 'ok', 'prompt_tokens': 1, 'completion_tokens': 1, 'finish_reason': 'stop'}

    LocalModel('x.gguf', process=SlowToLoad()).check(10.0)
    assert ends_s == [40.0]
