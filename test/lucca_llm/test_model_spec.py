"""Model specs."""

import subprocess
import sys

import pytest

from lucca_core.errors import ConfigError, ModelUnusable
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.model_spec import (
    FORMS,
    deciding_spec,
    make_model,
    takes_short_prompts,
    talking_spec,
    talks_in_short,
    working_spec,
)
from lucca_llm.servers import server_address

CHAT = [Message('user', 'hi')]


@pytest.mark.parametrize(
    ('spec', 'shown'),
    [
        ('openai:m@http://127.0.0.1:1', 'openai:m@http://127.0.0.1:1/v1'),
        ('openai:org/m:q4@http://127.0.0.1:1/api/v1/', 'openai:org/m:q4@http://127.0.0.1:1/api/v1'),
        ('openai:gpt-x', 'openai:gpt-x@https://api.openai.com/v1'),
        ('ollama:m:8b@http://[::1]:1', 'ollama:m:8b@http://[::1]:1'),
        ('ollama:m:8b', 'ollama:m:8b@http://127.0.0.1:11434'),
        ('faulty:all:ollama:m', 'faulty:all#0:ollama:m@http://127.0.0.1:11434'),
        ('faulty:all#7:faulty:none:ollama:m', 'faulty:all#7:faulty:none#0:ollama:m@http://127.0.0.1:11434'),
        ('record:a.jsonl:ollama:m', 'record:a.jsonl:ollama:m@http://127.0.0.1:11434'),
    ],
)
def test_a_spec_makes_the_model_that_shows_it_again(monkeypatch, spec, shown):
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-0123456789')
    model: ChatModel = make_model(spec)
    assert model.spec == shown
    assert make_model(model.spec).spec == shown


@pytest.mark.parametrize(
    'spec',
    [
        *(
            '',
            'gpt',
            'openai',
            'openai:',
            'openai:m@ftp://x',
            'openai:@http://x',
            'embedded:',
            'embedded:0',
            'embedded:x',
        ),
        *('replay:', 'record:x', 'record::embedded'),
        *('faulty:all', 'faulty:all:', 'faulty::embedded', 'faulty:all:nothing'),
    ],
)
def test_a_bad_spec_lists_every_form(spec):
    with pytest.raises(ConfigError) as caught:
        make_model(spec)
    assert all(form in str(caught.value) for form in FORMS)


def test_an_unknown_profile_lists_those_there_are():
    with pytest.raises(ConfigError, match="no fault profile 'worst'; there are none, reported"):
        make_model('faulty:worst:ollama:m')
    with pytest.raises(ConfigError, match='must be a whole number'):
        make_model('faulty:all#x:ollama:m')


@pytest.mark.parametrize('spec', ['faulty:all:embedded', 'record:calls.jsonl:embedded', 'replay:calls.jsonl'])
def test_without_the_laboratory_its_models_say_what_to_install(monkeypatch, spec):
    monkeypatch.setattr('lucca_core.laboratory.instruments', dict)
    with pytest.raises(ConfigError, match='needs the laboratory: pip install'):
        make_model(spec)


@pytest.mark.parametrize(
    'url', ['http://user:hunter2@x', 'http://hunter2@x', 'http://x/v1?api_key=hunter2', 'http://x:hunter2/', 'http://']
)
@pytest.mark.parametrize('kind', ['openai', 'ollama'])
def test_a_key_in_a_url_is_refused_and_not_repeated(kind, url):
    with pytest.raises(ConfigError) as caught:
        make_model(f'{kind}:m@{url}')
    assert 'hunter2' not in str(caught.value)


def test_a_bad_spec_does_not_repeat_a_key_in_its_url():
    with pytest.raises(ConfigError) as caught:
        make_model('opnai:m@http://user:hunter2@x?key=hunter2')
    assert 'hunter2' not in str(caught.value)


def test_real_requests_can_be_turned_off(monkeypatch):
    monkeypatch.setenv(server_address.ALLOW_VARIABLE, '0')
    with pytest.raises(ModelUnusable, match='turned off'):
        make_model('openai:m@http://192.0.2.1/v1').chat(CHAT, ChatOptions())
    monkeypatch.delenv(server_address.ALLOW_VARIABLE)
    monkeypatch.setattr(server_address, 'ALLOW_MODEL_REQUESTS', False)
    with pytest.raises(ModelUnusable, match='turned off'):
        make_model('ollama:m@http://models.example').chat(CHAT, ChatOptions())


def test_servers_on_this_machine_may_be_asked_all_the_same(server, monkeypatch):
    monkeypatch.setenv(server_address.ALLOW_VARIABLE, '0')
    model = make_model(f'openai:m@{server.url}')
    assert model.chat(CHAT, ChatOptions()).text == 'ok'
    model.close()


def test_a_switch_in_the_environment_records_any_model(server, monkeypatch, tmp_path):
    monkeypatch.setenv('LUCCA_RECORD', str(tmp_path))
    make_model(f'faulty:none:openai:m@{server.url}').chat(CHAT, ChatOptions())
    monkeypatch.delenv('LUCCA_RECORD')
    (file,) = tmp_path.iterdir()
    assert make_model(f'replay:{file}').chat(CHAT, ChatOptions()).text == 'ok'


@pytest.mark.parametrize(
    ('llm', 'decides'),
    [
        ('local:smollm2+talk', 'local:smollm2'),
        ('record:a.jsonl:local:smollm2+talk', 'record:a.jsonl:local:smollm2'),
        ('local:smollm2+tasks+talk', 'local:smollm2+tasks+talk'),
        ('local:smollm2+tasks', 'local:smollm2+tasks'),
    ],
)
def test_an_adapter_for_talk_decides_no_tasks(llm, decides):
    assert deciding_spec(llm) == working_spec(llm) == decides
    assert takes_short_prompts(llm, 'auto') is ('+tasks' in llm)


def test_specs_that_need_no_client_import_none():
    code = (
        'import sys; from lucca_llm.model_spec import make_model; make_model("embedded"); '
        'sys.exit(any(name in sys.modules for name in ("openai", "ollama", "httpx", "httpx2")))'
    )
    assert subprocess.run([sys.executable, '-c', code], check=False, timeout=60).returncode == 0


@pytest.mark.parametrize('spec', ['openai:gpt-x', 'ollama:big@https://ollama.com'])
def test_a_key_that_is_missing_is_called_missing(spec):
    with pytest.raises(ModelUnusable, match=r'needs a key, and the environment has none: set .*_API_KEY'):
        make_model(spec)


@pytest.mark.parametrize(
    ('llm', 'talk_llm', 'prompts', 'talks'),
    [
        ('local:smollm2+tasks', '', 'auto', 'embedded'),
        ('local:smollm2+tasks', '', 'long', 'local:smollm2+tasks'),
        ('local:smollm2+tasks', 'ollama:llama3', 'auto', 'ollama:llama3'),
        ('local:smollm2', '', 'short', 'embedded'),
        ('openai:gpt-4o', '', 'auto', 'openai:gpt-4o'),
        ('embedded', '', 'auto', 'embedded'),
        ('embedded', '', 'short', 'embedded'),
    ],
)
def test_the_embedded_reasoner_talks_for_a_model_with_short_prompts(llm, talk_llm, prompts, talks):
    assert talking_spec(llm, talk_llm, prompts) == talks


@pytest.mark.parametrize(
    ('llm', 'talks'),
    [
        ('local:smollm2', 'local:smollm2+talk'),
        ('record:a.jsonl:local:smollm2', 'record:a.jsonl:local:smollm2+talk'),
        ('local:smollm2+talk', 'local:smollm2+talk'),
        ('local:smollm2+tasks+talk', 'local:smollm2+talk'),
        ('local:smollm2+tasks', 'embedded'),
        ('local:/models/any.gguf', 'local:/models/any.gguf'),
    ],
)
def test_smollm2_talks_with_its_adapter_for_talk(llm, talks):
    assert talking_spec(llm, '', 'auto') == talks


def test_short_prompts_in_conversation_are_for_smollm2_unless_they_are_chosen():
    assert talks_in_short('local:smollm2', 'auto')
    assert talks_in_short('faulty:mild:local:smollm2+talk', 'auto')
    assert not talks_in_short('local:smollm2', 'long')
    assert not talks_in_short('local:qwen2.5-coder', 'auto')
    assert talks_in_short('local:qwen2.5-coder', 'short')
    assert not talks_in_short('embedded', 'short')
