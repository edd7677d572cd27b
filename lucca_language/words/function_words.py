"""Function words: articles, prepositions, and all words that cannot be the noun of a noun phrase."""

from lucca_language.words.word_sets import any_of

ARTICLES = any_of('the a an')
PREPOSITIONS = any_of(
    'in into inside on onto upon at to towards toward over under beneath below behind beside beside '
    'near between against around through from of off with without for by after before until till '
    'above along across among about within'
)
FUNCTION_WORDS = PREPOSITIONS | any_of(
    'and or but nor so then than if when once while whereas unless because as since that which who '
    'whose where what whatever is are was were be been being am do does did not never no nothing '
    'only just should must may might could can shall will would has have had having first next '
    'finally last lastly afterwards afterward also too either neither both each every all any '
    'everything anything something i you we they he she it them its their your my our me us him her '
    'this these those there here please except excluding besides the a an yet still otherwise '
    'instead else again now one two three four five six seven eight nine ten how why until let '
    'rather until before after away back up down out together until later firstly secondly thirdly '
    'means mean wecall inorder alphabetically unalphabetically suchas namely eachother refers counts qualify so '
    'alone untouched'
)
