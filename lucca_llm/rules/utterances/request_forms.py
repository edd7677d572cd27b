"""Forms of requests as patterns: how people ask, wish and are polite, and what they say around it."""

import re

from lucca_llm.rules.utterances.openings import CALLED_KINDLY

REPORTS = (
    r'sa(?:y|ys|id|ying)|t(?:ell|ells|old|elling|alk|alking)|ask(?:s|ed|ing)?|th(?:ink|inks|ought)|hear[ds]?|'
    r'dream(?:s|ed|t)?|wonder(?:s|ed|ing)?|curious|writ(?:e|es|ing)|wrote|notes?|list|plan|line|job|joke|message|'
    r'translat\w+|quot(?:e|es|ing)|example|pretend|imagine|theory'
)
"""Words by which what is said may be somebody else's, or not be meant."""
CLOSING = re.compile(
    r"(?:[,\s]+(?:(?:will|would|could|can|won't) you(?: please)?|shall we|if you (?:could|can|don't mind|do not mind)|"
    r'when you (?:can|get a (?:chance|moment|minute|second)|have (?:a|the) (?:chance|moment|minute|second|time)))|'
    rf',\s*{CALLED_KINDLY}|,?\s+(?:ok|okay|alright))+[?.!]*$',
    re.IGNORECASE,
)
POLITE = re.compile(
    r'^(?:(?:could|can|would) you (?:possibly )?find it in your heart to|'
    r"(?:would|will) you (?:please )?be (?:so kind as|able|willing) to|(?:could|can|would|will|won't|"
    r"can't) you(?: (?:please|possibly|kindly|maybe|perhaps|just|now|quickly))*|"
    r'(?:may|might|can|could) i (?:please )?ask you to|'
    r'(?:would|is) it (?:be )?(?:possible|(?:\w+ )?inconvenient|too much trouble) '
    r'(?:for you )?to|'
    r'are you able to|any chance (?:that )?you (?:could|can)|do you think you (?:could|can)|i wonder(?:ed)? (?:if|'
    r'whether) you (?:could|can|would|might)|'
    r"(?:i would|i'd) (?:really )?(?:like|love|want|prefer|need) (?:for )?you to|i (?:really )?(?:want|"
    r'need|beg|ask) you to|'
    r"i(?:'m| am) (?:gonna|going to) need you to|"
    r"i (?:would|'d) like to ask you to|i(?:'m| am) (?:asking|ordering|telling) you to|i (?:order|command|tell) you to|"
    r"(?:i would|i should|i'd) "
    r'(?:be (?:very |ever so |so |most |really )?(?:grateful|glad|happy|thankful|pleased|obliged)|'
    r'appreciate it) if you (?:could|would|can)|i would like to have you|'
    r"(?:it|that)(?: would|'d) be (?:very |really |so )?(?:nice|great|good|lovely|kind|helpful|wonderful|perfect|"
    r"cool|awesome) (?:of you )?(?:if you(?: could| would| can|'d)?|to)|i (?:was|am) hoping (?:that )?you (?:could|"
    r"would|can)|it(?: would|'d) (?:really )?(?:help(?: me| us)?|make (?:me|us) (?:happy|glad)|make my day) if you"
    r"(?:'d| could| would)?|"
    r'(?:i )?hope you (?:could|can|will)|be so (?:kind|good) (?:as to|and)|make sure (?:to|that you|you)|'
    r"(?:you (?:should|must|may|can|could|have to|need to|ought to|shall|might want to)|you'd better|you had better)"
    r'(?: please| now| just)?|your (?:job|task|goal|assignment) (?:now )?is (?:now )?to|'
    r"(?:it is|it's) (?:time|your job|your task) (?:for you )?to|(?:why don't|why do not) you|feel free to|"
    r"(?:go ahead|please) and|try to|let us|let's|i (?:would|'d) have you|time to|don't forget to|do not forget to|"
    r'remember to|be sure to|i (?:would|\'d) (?:like|love) it if you (?:could|would)|(?:please )?help me(?: to)?)\s+'
    r'(?:please )?(?P<asked>.+)$',
    re.IGNORECASE | re.DOTALL,
)
GERUND = re.compile(
    r'^(?:(?:would|do) you (?:please )?mind(?: terribly| awfully| very much)?|'
    r'how about|what about|mind|(?:do you )?fancy(?=[^?]*\?)|'
    r'could i trouble you (?:with|for)|'
    r'i would appreciate you|(?:would|could) you consider)\s+(?P<asked>(?:first )?(?!\w*thing\b)\w+ing\b.+)$',
    re.IGNORECASE | re.DOTALL,
)
WANTED = re.compile(
    r'^(?:(?:can|could|may|might) i (?:please |now )?(?:have|get|take|see)|'
    r"(?:i would|i should|i'd)(?: really| very much| also)? (?:like|love)(?: to have)?|"
    r"(?:i|we) (?:want|need)(?: to have)?|i(?:'m| am) (?:wanting|needing)|"
    r'i could (?:really )?(?:use|do with)|'
    r'let me (?:have|get)|(?:can|could|may|might) i (?:trouble|bother) you for)(?: now|'
    r' please)?\s+(?!(?:any|some|all|two|three|four|five|six) '
    r'(?:things?|objects?|items?|favou?rs?|tasks?|jobs?|requests?)\b)'
    r'(?P<asked>(?:the|a|an|some|that|this|all|every|both|my|any|two|three|four|five|six|'
    r'something|everything|\w+ of|\w+s(?= (?:in|into|on|onto) (?:box|the)\b))\b.+)$',
    re.IGNORECASE | re.DOTALL,
)
WISHED = re.compile(
    r"^(?:(?:i|we)(?: would|'d) (?:really )?(?:like|love|prefer) it if (?P<what>{what}) (?:ended up|went|were|was)|"
    r"(?:(?:i|we)(?: would|'d) (?:really )?(?:like|love|prefer)(?: to (?:see|have))?|(?:i|we) (?:want|need)) "
    r'(?P<what2>{what}) (?:to (?:be|go|end up|move)|moved|placed|put)|'
    r"(?:i|we)(?: would|'d) (?:rather|prefer to) (?:have|see) (?P<what3>{what}))(?: (?:placed|put|moved))? "
    r'(?P<where>(?:in|into|inside|on|onto)\b.+)$'.replace(
        '{what}',
        r'(?:the|all|every|my|our|both)\b(?:(?!\b(?:that|which|who|where|when|if)\b)[^,.;])*?',
    ),
    re.IGNORECASE,
)
AIM = re.compile(
    r'^to (?P<asked>(?P<verb>[a-z]+) (?:the|a|an|my|all|both|every|two|three|four)\b[^,;?]*?'
    r' (?:in|into|inside|on|onto|to) (?:(?:the|a|an|my) )?[a-z]+(?: [a-z]*[a-rt-z])?(?: \d+)?(?: (?:under|below|'
    r'beneath|beside|next to|near|by|of|above|behind|on) the [a-z]+(?: [a-z]*[a-rt-z])?){0,2}[.! ]*)$',
    re.IGNORECASE,
)
"""The aim of a task and where that is: `To put the bat on the bed.` Beside others, it may be somebody else's."""
CHALLENGE = r"i bet (?:that )?you (?:can|can't|cannot|could|couldn't)(?: do (?:it|that))?"
EXCLAMATION = re.compile(
    r'^\W*(?:(?:ok|okay|all right|alright|great|good|perfect|nice|super|wonderful|excellent|thanks|thank you|hello|'
    r'hi|hey|yes|yeah|well done|good job|there|oh|ah|wow|ouch|hmm|good (?:morning|afternoon|evening|day)|'
    r"right then|let me (?:think|see)|let(?:'s| us) (?:see|go)|here we go|prove it|go ahead|come on|watch this|"
    r'now|listen(?: carefully| up)?|i (?:need|want|have) (?:two|three|four|a few|some|several|a couple of) '
    rf'(?:things|favou?rs|tasks|jobs|requests) (?:from|for) you|{CHALLENGE}|{CALLED_KINDLY})\W*)+$',
    re.IGNORECASE,
)
