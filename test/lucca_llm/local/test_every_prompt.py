"""Every prompt template of the stack goes through the chat template of SmolLM2, where `lucca models get` brought it.

TRAINED_MODELS_DIR names the folder of models, otherwise `.venv/models`. Nothing is downloaded here.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import jinja2
import pytest

from coordinator_node.persona import load_persona
from coordinator_node.prompts import CoordinatorPrompts, StepView, TurnView
from coordinator_node.talk.tools import IN_TEXT
from lucca_core.paths import config_dir
from lucca_core.protocol.snapshots import Container, Snapshot, TableObject
from lucca_core.protocol.tasks import TaskState
from lucca_core.trained_models import MODELS_VARIABLE, TRAINED_MODELS, llama_cpp_dir
from lucca_llm.local.local_model import LocalModel
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_memory.people.values import Line, Person
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.semantic.language.extraction import make_extractor
from worker_node.network.concepts import ModelExtractor, WeighedConcepts, WrittenConcepts
from worker_node.network.model_compressor import ModelCompressor
from worker_node.people.config import DeskConfig
from worker_node.people.model_summarizer import ModelSummarizer
from worker_node.prompts import WorkerPrompts

MODELS = Path(os.environ.get('TRAINED_MODELS_DIR', Path(__file__).parents[3] / '.venv' / 'models'))
APPLE = TableObject(object_id='1', name='apple', label='apple', attributes=('red',))
SNAPSHOT = Snapshot(objects=(APPLE,), containers=(Container(name='box 1'),))
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)

pytestmark = pytest.mark.slow


class Listening:
    """SmolLM2 with short answers, and the prompts that reached it."""

    def __init__(self, model: LocalModel) -> None:
        self._model = model
        self.spec = model.spec
        self.prompts: list[str] = []

    def chat(self, messages, options, *, on_text=None, cancelled=None) -> ChatReply:
        reply = self._model.chat(messages, ChatOptions(max_tokens=4, deadline_s=600.0, grammar=options.grammar))
        self.prompts.append(messages[-1].content)
        return reply


@pytest.fixture
def smollm2(monkeypatch) -> Iterator[Listening]:
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))
    if not (llama_cpp_dir() / 'llama_cpp').is_dir() or not TRAINED_MODELS['smollm2'].is_there:
        pytest.skip('SmolLM2 is not there: lucca models get smollm2')
    model = LocalModel('smollm2')
    yield Listening(model)
    model.close()


def test_every_prompt_template_is_answered_through_the_chat_template(smollm2, monkeypatch):
    rendered: dict[str, str] = {}
    render = jinja2.Template.render

    def noting(template, **values):
        rendered[template.name] = render(template, **values)
        return rendered[template.name]

    monkeypatch.setattr(jinja2.Template, 'render', noting)
    _render_for_a_task()
    _render_for_a_conversation()
    for text in list(rendered.values()):
        smollm2.chat([Message('user', text)], ChatOptions())
    _say_something_about(smollm2)
    assert set(rendered) == {file.name for file in (config_dir() / 'prompts').glob('*.j2')}
    assert set(rendered.values()) <= set(smollm2.prompts)


def _render_for_a_task() -> None:
    actions = load_actions()
    task, listed = load_tasks(actions=actions)['sorting'], list(actions.values())
    view = StepView(task='sorting', snapshot=SNAPSHOT, working='apple: move_to_box_1', correction='it is empty')
    prompts, worker = CoordinatorPrompts(), WorkerPrompts()
    prompts.base([task], listed, memory=True)
    prompts.short_base()
    prompts.short_step(view)
    prompts.step(view, memory=True)
    prompts.by_action(task, listed, 'move_to_box_1', ['apple'], SNAPSHOT)
    prompts.restate(task.description, SNAPSHOT, said='and the pear', speaker='Ana')
    worker.declarative('sorting', [], 'What was done?', 'done')
    worker.working(task, listed, ['apple'], SNAPSHOT)
    worker.object(task, listed, APPLE)
    worker.review(task, listed, [], SNAPSHOT, '<move_to_box_1(apple)>', finish=False)


def _render_for_a_conversation() -> None:
    prompts = CoordinatorPrompts()
    tidy = TaskState(task='tidy', description='Tidy up.', status='new')
    view = TurnView(text='What is my sister called?', now='noon', person='Ana', tasks=[tidy], table=SNAPSHOT)
    prompts.talk_base(load_persona(), 'Ana', ['Earlier today Ana said: the pear is ripe'])
    prompts.talk_kind(['Ana said: hello'], 'Ana', 'the pear is ripe')
    prompts.talk_task([{'name': 'sorting', 'description': 'sort'}], 'Ana', 'sort it all')
    prompts.talk_line('Earlier today Ana said: the pear is ripe', 'Ana', 'Is the pear ripe?')
    prompts.talk_recall('Ana', 'Is the pear ripe?')
    prompts.conversation_base(load_persona(), IN_TEXT, native=False, step_by_step=True)
    prompts.conversation_turn(view, 600, native=False)
    prompts.conversation_result(['m1: My sister is called Mara.'], 600, call='<recall(sister)>', native=False)


def _say_something_about(model: Listening) -> None:
    """Summaries, concepts and general texts have no class of prompts: they are rendered where the model is asked."""
    ana = Person(person_id=1, name='Ana', since=NOON)
    said = Line(line_id=1, person_id=1, conversation='c1', time=NOON, speaker='Ana', text='My sister is called Mara.')
    ModelSummarizer(model, DeskConfig(), cancelled=lambda: False).summarize(ana, [said])
    for source in (WrittenConcepts, WeighedConcepts):
        ModelExtractor(source(model, 600.0), make_extractor('words')).extract([said.text])
    ModelCompressor(model, 600.0).compress([said.text])
