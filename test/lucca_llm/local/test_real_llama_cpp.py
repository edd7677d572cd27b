"""llama.cpp itself: with a tiny model of random weights that the test writes, and with SmolLM2 where it is there.

`lucca models get smollm2` compiles llama.cpp (docs/models.md); TRAINED_MODELS_DIR names the folder, otherwise
`.venv/models`. Nothing is downloaded here.
"""

import itertools
import json
import math
import os
import runpy
import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import pytest

from coordinator_node.tasks.restatement import restatement_grammar
from lucca_core.errors import ModelRetryable, ModelTimeout, ModelUnusable
from lucca_core.trained_models import MODELS_VARIABLE, TRAINED_MODELS, llama_cpp_dir
from lucca_llm import answer_grammar
from lucca_llm.local.config import LocalConfig
from lucca_llm.local.local_model import LocalModel
from lucca_llm.model import ChatOptions, Message

ROOT = Path(__file__).parents[3]
MODELS = Path(os.environ.get('TRAINED_MODELS_DIR', ROOT / '.venv' / 'models'))
OPTIONS = ChatOptions(deadline_s=120.0, max_tokens=20, seed=2)
QUESTION = [Message('system', 'You sort fruit. ' * 30), Message('user', 'Which call comes next?')]


@pytest.fixture(scope='module', autouse=True)
def compiled():
    """The folder of models with llama.cpp in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODELS_VARIABLE, str(MODELS))
        if not (llama_cpp_dir() / 'llama_cpp').is_dir():
            pytest.skip('llama.cpp is not compiled')
        yield


@pytest.fixture(scope='module')
def noise_file(tmp_path_factory):
    """A model that was never trained: one layer, 260 tokens of one byte each."""
    file = tmp_path_factory.mktemp('gguf') / 'noise.gguf'
    runpy.run_path(str(ROOT / 'laboratory' / 'scripts' / 'random_gguf.py'))['write_model'](file, 0)
    return file


@pytest.fixture(scope='module')
def noise(noise_file):
    model = LocalModel(str(noise_file), LocalConfig(context_tokens=2048, threads=1))
    yield model
    model.close()


@pytest.fixture(scope='module')
def smollm2():
    if not TRAINED_MODELS['smollm2'].is_there:
        pytest.skip('SmolLM2 is not there')
    model = LocalModel('smollm2')
    yield model
    model.close()


def test_noise_answers_with_real_counts(noise):
    heard = []
    reply = noise.chat(QUESTION, OPTIONS, on_text=heard.append)
    assert ''.join(heard) == reply.text
    assert 1 <= reply.completion_tokens <= 20
    # A byte a token, and the template's words around them.
    assert reply.prompt_tokens >= sum(len(message.content) for message in QUESTION)


def test_marks_of_the_template_in_a_message_are_plain_text(noise):
    """A mark is one token; a message that contains one must cost more tokens than the mark itself."""
    plain, marked = (
        noise.chat([Message('user', text)], OPTIONS).prompt_tokens for text in ('', '<|im_end|><|im_start|>')
    )
    assert marked - plain == len('< |im_end|>< |im_start|>')


def test_the_same_seed_gives_the_same_answer_and_another_one_another(noise):
    texts = [noise.chat(QUESTION, ChatOptions(seed=seed, max_tokens=20)).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_an_answer_keeps_to_its_grammar(noise):
    grammar = answer_grammar.calls({'move_to_box_1': ['apple', 'pear']}, in_words=['cannot_do'])
    reply = noise.chat(QUESTION, ChatOptions(grammar=grammar, max_tokens=200, seed=3))
    assert reply.text.startswith(('<move_to_box_1(apple)>', '<move_to_box_1(pear)>', '<cannot_do('))


def test_an_answer_is_one_of_the_choices_and_all_come_up(noise):
    choices = tuple(f'<point_at({one}{other})>' for one, other in itertools.product('abcdefgh', repeat=2))
    assert len(choices) > 63
    found = {noise.chat(QUESTION, ChatOptions(choices=choices, seed=n, temperature=2.0)).text for n in range(30)}
    assert found <= set(choices)
    assert len(found) > 10


def test_a_wrong_grammar_is_refused_with_the_grammar(noise):
    with pytest.raises(ModelUnusable, match='refuses the grammar'):
        noise.chat(QUESTION, ChatOptions(grammar='root ::= undefined'))


def test_a_chat_that_does_not_fit_is_refused_with_the_numbers(noise):
    with pytest.raises(ModelUnusable, match=r'the prompt has \d+ tokens .* the context of the model has 2048'):
        noise.chat([Message('user', 'word ' * 1000)], OPTIONS)
    assert noise.chat(QUESTION, OPTIONS).text


def test_a_deadline_ends_the_call_and_not_the_model(noise):
    pid = noise._process.pid
    with pytest.raises(ModelTimeout):
        noise.chat(QUESTION, ChatOptions(deadline_s=0.001))
    with pytest.raises(ModelRetryable, match='cancelled'):
        noise.chat(QUESTION, OPTIONS, cancelled=lambda: True)
    assert noise.chat(QUESTION, OPTIONS).text
    assert noise._process.pid == pid


@pytest.mark.parametrize('damage', ['cut', 'turned', 'random'])
def test_a_damaged_file_is_unusable_and_harms_nothing_else(noise_file, tmp_path, damage):
    data = bytearray(noise_file.read_bytes())
    if damage == 'cut':
        data = data[: len(data) // 2]
    elif damage == 'turned':
        data[24:400] = bytes(byte ^ 0x5A for byte in data[24:400])
    else:
        data[24:] = np.random.default_rng(0).bytes(len(data) - 24)
    file = tmp_path / 'damaged.gguf'
    file.write_bytes(data)
    model = LocalModel(str(file))
    with pytest.raises(ModelUnusable, match=r'damaged\.gguf'):
        model.check(60)
    model.close()


def write_adapter(file, width=64):
    """A LoRA adapter of random matrices for the model of noise, or for one of another width."""
    chance = np.random.default_rng(1)
    writer = gguf.GGUFWriter(str(file), 'llama')
    writer.add_string('general.type', 'adapter')
    writer.add_string('adapter.type', 'lora')
    writer.add_float32('adapter.lora.alpha', 64.0)
    for name, shape in (('a', (4, width)), ('b', (width, 4))):
        matrix = chance.normal(size=shape).astype(np.float32)
        writer.add_tensor(f'blk.0.attn_output.weight.lora_{name}', matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def likeliest(spec):
    model = LocalModel(spec, LocalConfig(context_tokens=2048, threads=1))
    try:
        options = ChatOptions(deadline_s=120.0, max_tokens=20, temperature=0)
        return model.chat(QUESTION, options).text
    finally:
        model.close()


def test_an_adapter_changes_what_the_model_says(noise_file, tmp_path):
    write_adapter(tmp_path / 'some.gguf')
    assert likeliest(f'{noise_file}+{tmp_path / "some.gguf"}') != likeliest(str(noise_file))


@pytest.mark.parametrize('wrong', ['another width', 'cut', 'a model'])
def test_an_adapter_that_does_not_fit_is_refused_and_nothing_answers_without_it(noise_file, tmp_path, wrong):
    file = tmp_path / 'wrong.gguf'
    write_adapter(file, width=32 if wrong == 'another width' else 64)
    if wrong == 'cut':
        file.write_bytes(file.read_bytes()[:-600])
    if wrong == 'a model':
        file.write_bytes(noise_file.read_bytes())
    with pytest.raises(ModelUnusable, match=r'the adapter .*wrong\.gguf cannot be put on .*noise\.gguf'):
        likeliest(f'{noise_file}+{file}')


def test_one_choice_is_no_question_and_a_question_is_weighed_once(noise_file):
    model = LocalModel(str(noise_file), LocalConfig(context_tokens=2048, threads=1))
    only = model.chat(QUESTION, ChatOptions(deadline_s=120.0, choices=('<stop(now)>',)))
    assert (only.text, only.prompt_tokens) == ('<stop(now)>', 0)
    drawn = [
        model.chat(QUESTION, ChatOptions(deadline_s=120.0, seed=seed, choices=('ab', 'ba'))) for seed in (1, 2, 3, 1)
    ]
    assert drawn[0].text == drawn[3].text
    assert {reply.text for reply in drawn} <= {'ab', 'ba'}
    model.close()


def test_a_process_without_enough_memory_says_so_and_is_no_crash_of_the_caller(noise_file):
    model = LocalModel(str(noise_file), LocalConfig(context_tokens=65536, memory_mb=64))
    with pytest.raises(ModelUnusable, match=r'noise\.gguf'):
        model.check(60)
    model.close()


def test_likelihoods_are_those_of_one_token_after_the_other(noise_file):
    """The tree against the plain way, in a process of its own, as llama.cpp is not for this one."""
    code = f"""
import itertools
from pathlib import Path
from lucca_llm.local.config import LocalConfig
from lucca_llm.local.engine import Engine, _log_softmax
from lucca_llm.local.llama_context import LlamaContext
from lucca_llm.local.llama_library import load_llama_cpp
context = LlamaContext(load_llama_cpp(), Path({str(noise_file)!r}), LocalConfig(context_tokens=512, threads=1))
engine = Engine(context, 0)
answers = [context.tokenized(text, special=False) for text in ('abc', 'abd', 'a', 'zz', 'abcd')]
prompt = context.tokenized('What is next?', special=False)
context.evaluate(prompt, lambda: False)
found = engine.log_likelihoods(answers)
for answer, score in zip(answers, found):
    context.cut(len(prompt) - 1)
    context.evaluate(prompt[-1:], lambda: False)
    total = 0.0
    for token in answer:
        total += _log_softmax(context.logits())[token]
        context.evaluate([token], lambda: False)
    import numpy
    last = _log_softmax(context.logits())
    total += numpy.logaddexp.reduce([last[token] for token in range(context.size) if context.ends(token)])
    print(total, score)
"""
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True, cwd=ROOT)
    pairs = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    assert len(pairs) == 5
    assert all(math.isclose(plain, tree, abs_tol=1e-3) for plain, tree in pairs), pairs


def test_smollm2_answers_in_english_by_its_own_template(smollm2):
    chat = [Message('system', 'You are a helpful assistant.'), Message('user', 'What is the capital of France?')]
    reply = smollm2.chat(chat, ChatOptions(temperature=0, max_tokens=20))
    assert 'Paris' in reply.text
    assert '<|im_' not in reply.text


def test_smollm2_continues_from_a_known_beginning(smollm2):
    """By what is counted: the second prompt of the same beginning has few tokens that are new."""
    chat = {'messages': [{'role': 'user', 'content': f'{"You sort fruit. " * 40}{end}'} for end in ('One?', 'Two?')]}
    more = {'temperature': 0.0, 'max_tokens': 1, 'choices': []}
    asked = [{'messages': [message], **more} for message in chat['messages']]
    smollm2._process.call(asked[0], math.inf, None, None)
    done = smollm2._process.call(asked[1], math.inf, None, None)
    assert done['prompt_tokens'] - done['known_tokens'] < 20


@pytest.mark.parametrize('described', [False, True])
def test_a_restatement_under_its_grammar_is_read(noise, described):
    actions, names = ('move_to_box_1', 'point_at'), ('pear', 'red "big" cup')
    grammar = restatement_grammar(actions, names, described=described)
    for seed in range(3):
        reply = noise.chat(QUESTION, ChatOptions(grammar=grammar, max_tokens=1500, seed=seed, deadline_s=120.0))
        if reply.finish_reason == 'stop':
            assert set(json.loads(reply.text)) >= {'understood', 'not_understood', 'question', 'calls'}
