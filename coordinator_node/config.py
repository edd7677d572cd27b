"""Settings of the coordinator."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting
from lucca_llm.model import MOST_ANSWER_BYTES
from lucca_llm.model_spec import AUTO, PROMPTS

ALWAYS, UNSURE, NEVER = 'always', 'unsure', 'never'


@dataclass(frozen=True, kw_only=True)
class CoordinatorConfig:
    """Settings of the coordinator; the only home of their defaults."""

    llm: str = setting('embedded', 'Model spec of the coordinator.')
    talk_llm: str = setting(
        '',
        'Model spec for talking with people; empty: llm (SmolLM2 with its adapter for talk), or embedded if llm is '
        'asked with short prompts.',
    )
    tasks_file: str = setting('', 'Task file; empty for config/tasks.yaml. Give the worker the same one.')
    actions_file: str = setting('', 'Action file; empty for config/actions.yaml. Give the worker the same one.')
    memory: bool = setting(True, 'Use working and declarative memory; without it the whole dialogue is sent instead.')
    attend: bool = setting(True, 'Refuse actions on objects, and calls, that the working memory does not list.')
    restate: bool = setting(
        True, 'Have the model say how it understands a task before anything moves, and hold it to that at the end.'
    )
    restate_tokens: int = setting(1024, 'Longest restatement of a task by the model, in tokens.', least=1)
    confirm_understanding: str = setting(
        UNSURE,
        'When a person must first agree to what was understood: always, never, or unsure (if the model asks).',
    )
    base_role: str = setting('system', 'Role of the base prompt: system, or user (as the first message of the chat).')
    context_tokens: int = setting(
        0,
        'With memory on, longest prompt, in tokens; turns that do not fit are left out. 0: no limit.',
        least=0,
    )
    second_opinion: bool = setting(
        False, 'With memory on, ask the worker before each action, and before the task ends, whether it fits the task.'
    )
    deliberate: bool = setting(
        True,
        'With memory on, if the model insists on something that was refused, ask it in other ways and do what two of '
        'three answers agree on.',
    )
    cool_off_s: float = setting(
        2.0, 'Pause before the model is asked once more, with the objects in another order, in s.', least=0
    )
    prompts: str = setting(
        AUTO,
        'With memory on, how the model is asked: long, short (one decision per call, for small models) or auto '
        '(short for a model with an adapter).',
    )
    talk_prompts: str = setting(
        AUTO,
        'How the model is asked in conversation: long, short (one choice a call, then a sentence or two) or auto '
        '(short for a model too small for the long ones).',
    )
    whole_dialogue: bool = setting(
        False, 'With memory on, still send the whole dialogue, including earlier tasks, as the paper does.'
    )
    show_containers: bool = setting(True, 'List the contents of the containers in the prompt of each step.')
    must_retrieve: bool = setting(
        True, 'In each step, refuse actions until both memories have been retrieved; off: the model decides.'
    )
    think_first: bool = setting(
        False, 'Have the model think in words before each call of a task; not for models that think by themselves.'
    )
    seed: int = setting(-1, 'Seed of the answers, increased with each call; -1: the server draws one.', least=-1)
    turns_kept: int = setting(4, 'Turns of the dialogue that stay in the prompt while memory is on.', least=0)
    persona_file: str = setting('', 'Persona file; empty for config/persona.yaml.')
    remember_people: bool = setting(
        True, 'Recall and keep what people say, through the worker; otherwise each turn stands alone.'
    )
    step_by_step: bool = setting(
        False, 'In conversation, ask the model to think step by step before it answers; its thoughts are not spoken.'
    )
    native_tools: bool = setting(True, 'Offer tools natively to models whose server supports them; otherwise as text.')
    conversation_turns: int = setting(6, 'Turns of a conversation that stay in its prompt word for word.', least=0)
    conversation_idle_s: float = setting(
        600.0, 'Silence after which a conversation ends and a guest is forgotten, in s.', above=0
    )
    max_lookups: int = setting(6, 'Lookups that the model may make in one turn of a conversation.', least=0)
    turn_deadline_s: float = setting(120.0, 'Longest time to answer what a person said, in s of wall time.', above=0)
    recall_limit: int = setting(
        10, 'Most memories in the prompt of a turn; 0: none are looked up unless the model asks.', least=0
    )
    people_timeout_s: float = setting(8.0, 'Longest wait for the memory of people, in s of wall time.', above=0)
    temperature: float = setting(0.2, 'Sampling temperature of the coordinator model.', most=2)
    answer_tokens: int = setting(256, 'Longest answer of the model, in tokens.', least=1)
    answer_bytes: int = setting(
        MOST_ANSWER_BYTES, "Longest response that is read from a model's server, in decoded bytes.", least=1
    )
    constrain: bool = setting(
        True, 'Send a grammar or a list of the possible answers with each call, if the server supports it.'
    )
    answer_chars: int = setting(2000, 'Longest answer that is read at all, in characters.', least=1)
    text_chars: int = setting(600, 'Longest text of a person that is passed on to the model, in characters.', least=1)
    model_deadline_s: float = setting(
        60.0, 'Longest wait for one answer of the model, in seconds of wall time.', above=0
    )
    model_retries: int = setting(3, 'Retries of a failed model call before the goal fails.', least=0)
    goal_model_retries: int = setting(30, 'Retries of failed model calls in one goal.', least=0)
    retry_pause_s: float = setting(
        0.25, 'Pause before the first retry of a failed call, in seconds; doubled for each further one.', least=0
    )
    retry_pause_max_s: float = setting(8.0, 'Longest pause before a retry of a failed call, in seconds.')
    ask_back: int = setting(2, 'How often in one step a model that gives up is told what is still to do.', least=0)
    look_again_s: float = setting(
        1.0,
        'Pause, in s, before looking at the table once more if the model gives up before anything moved; 0: never.',
        least=0,
    )
    max_repairs: int = setting(3, 'Wrong answers that are shown back to the model in one step.', least=0)
    max_refusals: int = setting(30, 'Wrong answers in one goal before it fails.', least=1)
    max_exchanges: int = setting(8, 'Answers of the model in one step before the step is restarted.', least=1)
    max_steps: int = setting(200, 'Steps of one goal before it fails.', least=1)
    max_misses: int = setting(
        3,
        'Failures of one action after which the other objects are handled first, unless the task has an order. One '
        'more failure after that, or no other object left, ends the goal.',
        least=1,
    )
    max_faults: int = setting(
        12,
        'Times a part of the stack may fail in one goal before the goal fails. It also fails after seven times in a '
        'row, which take 16 s.',
        least=1,
    )
    max_goal_tokens: int = setting(2_000_000, 'Tokens, prompts and answers together, that one goal may use.', least=1)
    fresh_timeout_s: float = setting(
        10.0, 'Longest wait for a picture newer than the last action, in seconds.', above=0
    )
    stack_wait_s: float = setting(
        30.0, 'Longest wait for a node that has disappeared, in seconds of wall time.', above=0
    )
    retrieve_timeout_s: float = setting(150.0, 'Longest wait for the worker to build a memory, in seconds.', above=0)
    record_timeout_s: float = setting(5.0, 'Longest wait for the worker to acknowledge an entry, in seconds.', above=0)
    action_timeout_s: float = setting(
        300.0, 'Longest wait for the end of one action, in seconds of wall time.', above=0
    )
    cancel_timeout_s: float = setting(
        200.0,
        'Longest wait for a cancelled action to end (held objects are put down first), in seconds.',
        above=0,
    )
    deactivate_timeout_s: float = setting(
        10.0, 'Longest wait for goals to end when the node is deactivated, in seconds.', above=0
    )
    closing_timeout_s: float = setting(2.0, 'Longest wait for memory while a goal is being ended, in seconds.', above=0)
    check_timeout_s: float = setting(20.0, 'Longest wait at activation for a first answer of the model, in s.', above=0)
    result_kept_s: int = setting(
        60, 'How long the result of a finished goal can still be requested, in whole s (ROS).', least=1, most=3600
    )
    max_goals: int = setting(16, 'Most goals that run or wait at a time; more are rejected.', least=1)
    speech_priority: int = setting(
        1,
        'Least priority of spoken goals. A spoken goal always goes before the running one.',
        live=True,
    )

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.base_role not in ('system', 'user'):
            raise ValueError(f'base_role must be system or user, got {self.base_role!r}')
        if self.confirm_understanding not in (ALWAYS, UNSURE, NEVER):
            raise ValueError(
                f'confirm_understanding must be always, unsure or never, got {self.confirm_understanding!r}'
            )
        if self.answer_chars < self.text_chars:
            raise ValueError(
                f'answer_chars must be at least text_chars, so that no request is cut; got {self.answer_chars} and '
                f'{self.text_chars}'
            )
        if self.prompts not in PROMPTS:
            raise ValueError(f'prompts must be one of {", ".join(PROMPTS)}, got {self.prompts!r}')
        if self.talk_prompts not in PROMPTS:
            raise ValueError(f'talk_prompts must be one of {", ".join(PROMPTS)}, got {self.talk_prompts!r}')
        if self.memory and self.max_exchanges < 3:
            raise ValueError(f'max_exchanges must be at least 3 with memory on, got {self.max_exchanges}')
