"""Model specs, the strings that choose a model, and the models made from them."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lucca_core.errors import ConfigError
from lucca_core.laboratory import required_instrument
from lucca_llm.model import ChatModel

if TYPE_CHECKING:
    from lucca_llm.rules.rule_based_model import RuleBasedModel

FORMS = {
    'embedded[:CONTEXT]': 'the built-in reasoner, with a context of CONTEXT tokens; no language model, no network',
    'embedded+SPEC': 'the built-in reasoner; the model SPEC writes small talk and proposals for unclear requests',
    'openai:MODEL[@URL]': 'any OpenAI-compatible server; the key from LUCCA_OPENAI_API_KEY or OPENAI_API_KEY',
    'ollama:MODEL[@URL]': 'an Ollama server',
    'local:NAME': 'a model that `lucca models get NAME` brought, or a file NAME.gguf, run by llama.cpp on this machine',
    'local:NAME+ADAPTER': 'the same with an adapter, `tasks`, `talk` or a file NAME.gguf; asked with short prompts',
    'local:NAME+tasks+talk': 'the same, with one adapter for tasks and another one for talk; two processes',
    'replay:FILE': 'the answers recorded in FILE (laboratory)',
    'record:FILE:SPEC': 'the model SPEC, with its calls recorded in FILE (laboratory)',
    'faulty:PROFILE[#SEED]:SPEC': 'the model SPEC, with the failures of a profile in config/faults.yaml (laboratory)',
}
"""The forms of a model spec and their meanings."""

RECORD_VARIABLE = 'LUCCA_RECORD'
_EMBEDDED = re.compile(r'^((?:(?:record|faulty):[^:]*:)*)embedded((?::\d+)?)(\+.+)?$')
_RULES = re.compile(r'embedded(:[^:]*)?')
_SMALL = re.compile(r'(^|:)local:smollm2(\+talk)?$')
_ADAPTED = re.compile(r'(^|:)local:[^+]+(\+[^+]+)+$')
_TALK = '+talk'
"""The adapter with which SmolLM2 talks."""
_OF_TALK = re.compile(r'(^|:)local:[^+]+\+talk$')
_OF_TASKS_AND_TALK = re.compile(r'^(?P<model>.*local:[^+]+)(?P<tasks>\+[^+]+)\+talk$')

AUTO, LONG, SHORT = 'auto', 'long', 'short'
PROMPTS = (AUTO, LONG, SHORT)
"""How a model is asked: in long prompts with everything that is known, or in short ones with one decision each."""


def make_model(spec: str) -> ChatModel:
    """The model that a spec names; see FORMS. No request is made.

    If the environment variable `LUCCA_RECORD` names a folder, calls are recorded there, in one file per spec.

    Raises:
        ConfigError: the spec has none of these forms, names a file or profile that is missing or wrong, or needs the
            laboratory, which is not installed.
        ModelUnusable: the key in the environment is malformed.
    """
    model = _make(spec)
    folder = os.environ.get(RECORD_VARIABLE)
    if folder and not spec.startswith(('replay:', 'record:')):
        name = re.sub(r'[^A-Za-z0-9._-]+', '_', model.spec)
        return _make_recording(RECORD_VARIABLE, model, Path(folder) / f'{name}.jsonl')
    return model


def is_language_model(spec: str) -> bool:
    """False for the embedded reasoner (also when recorded or made faulty, or with a model behind it)."""
    return _EMBEDDED.search(spec) is None


def takes_short_prompts(spec: str, prompts: str) -> bool:
    """Whether a model gets short prompts, by the setting `prompts`: auto means models with an adapter for tasks.

    Raises:
        ValueError: short prompts are requested for the embedded reasoner, which reads long ones only.
    """
    if prompts == SHORT and not is_language_model(spec):
        raise ValueError(f'prompts = short is for language models; {spec} reads the long ones only')
    return prompts == SHORT or (prompts == AUTO and _ADAPTED.search(deciding_spec(spec)) is not None)


def talks_in_short(spec: str, talk_prompts: str) -> bool:
    """Whether a model is asked with short prompts in conversation, by the setting `talk_prompts`.

    auto means SmolLM2, as it is or with its adapter for talk. The embedded reasoner reads long prompts only.
    """
    if not is_language_model(spec):
        return False
    return talk_prompts == SHORT or (talk_prompts == AUTO and _SMALL.search(spec) is not None)


def talking_spec(llm: str, talk_llm: str, prompts: str) -> str:
    """The spec of the model that talks with people: `talk_llm`, or `llm` if that is empty.

    SmolLM2 talks with its adapter for that. Any other model that is asked with short prompts can decide but not talk;
    the embedded reasoner talks in its place.
    """
    if talk_llm:
        return talk_llm
    if (both := _OF_TASKS_AND_TALK.match(llm)) is not None:
        return both['model'] + _TALK
    if _SMALL.search(llm) is not None and prompts != SHORT:
        return llm.removesuffix(_TALK) + _TALK
    return 'embedded' if is_language_model(llm) and takes_short_prompts(llm, prompts) else llm


def deciding_spec(llm: str) -> str:
    """The spec of the model that decides tasks: `llm` without an adapter for talk, which learned no such decisions."""
    return llm.removesuffix(_TALK) if _OF_TALK.search(llm) is not None else llm


def working_spec(llm: str) -> str:
    """The spec of a worker beside a coordinator with the spec `llm`; a worker talks with nobody."""
    return _EMBEDDED.sub(r'\1embedded\2', deciding_spec(llm))


def _make(spec: str) -> ChatModel:
    rules, plus, talker = spec.partition('+')
    if plus and _RULES.fullmatch(rules):
        return _make_assisted(_make_embedded(spec, rules.partition(':')[2]), spec, talker)
    kind, separator, rest = spec.partition(':')
    if kind == 'embedded' and (rest or not separator):
        return _make_embedded(spec, rest)
    if kind in ('openai', 'ollama') and rest:
        return _make_client(kind, spec, rest)
    if kind == 'local' and rest:
        # The adapter for talk, if there is one for tasks, belongs to another process; see `talking_spec`.
        both = _OF_TASKS_AND_TALK.match(spec)
        rest = rest.removesuffix(_TALK) if both is not None else rest
        from lucca_llm.local.local_model import LocalModel

        return LocalModel(rest)
    if kind == 'replay' and rest:
        replayed: ChatModel = required_instrument('replay_model', 'replay:…')(Path(rest))
        return replayed
    first, separator, inner = rest.partition(':')
    if first and inner:
        if kind == 'record':
            return _make_recording('record:…', _make(inner), Path(first))
        if kind == 'faulty':
            faulty: ChatModel = required_instrument('faulty_model', 'faulty:…')(first, _make(inner))
            return faulty
    raise _bad(spec, 'is no model spec')


def _make_assisted(rules: 'RuleBasedModel', spec: str, talker: str) -> ChatModel:
    from lucca_llm.assisted_rules import AssistedRules

    model = _make(talker)
    if not is_language_model(talker):
        raise _bad(spec, 'needs a language model after the +')
    return AssistedRules(rules, model)


def _make_embedded(spec: str, context: str) -> 'RuleBasedModel':
    if context and (not context.isdecimal() or int(context) < 1):
        raise _bad(spec, f'asks for a context of {context!r} tokens, which is no whole number above 0')
    from lucca_llm.rules.rule_based_model import RuleBasedModel

    return RuleBasedModel(context_tokens=int(context)) if context else RuleBasedModel()


def _make_client(kind: str, spec: str, rest: str) -> ChatModel:
    # Model names may hold colons (`llama3:8b`), so the URL begins at the first `@http`.
    model, separator, url = rest.partition('@http')
    if not model or (not separator and '@' in model):
        raise _bad(spec, 'does not name a model and an http or https URL')
    arguments = (model, 'http' + url) if separator else (model,)
    try:
        # Imported here because the embedded reasoner needs neither client.
        if kind == 'openai':
            from lucca_llm.servers.openai_model import OpenAIModel

            return OpenAIModel(*arguments)
        from lucca_llm.servers.ollama_model import OllamaModel

        return OllamaModel(*arguments)
    except ImportError as error:
        raise ConfigError(f'{kind}:… needs the Python package {kind}, which cannot be imported: {error}') from error


def _make_recording(what: str, model: ChatModel, file: Path) -> ChatModel:
    recording: ChatModel = required_instrument('recording_model', what)(model, file)
    return recording


def _bad(spec: str, reason: str) -> ConfigError:
    forms = '\n'.join(f'  {form:<28}{meaning}' for form, meaning in FORMS.items())
    # The user part and the query of a URL may hold a key.
    shown = re.sub(r'\?.*', '?…', re.sub(r'(://)[^/\s]*@', r'\1…@', spec))
    return ConfigError(f'{shown!r} {reason}; the forms are\n{forms}')
