"""Words that open a request, and words that only look as if they did. The notation is explained in `patterns.py`."""

from typing import Final

ASK: Final = """
    could|can|would|will you
    ^need|want|trying|looking|like to
    could|can|would|will you please|maybe|also|just|kindly help me|us? to?
    could|can|would|will you be able|so|kind|good to|as? to?
    could|can|would|will you mind
    could|can|may|shall|might we|i
    can|could i get|ask|trouble|bother you to
    do|would you mind
    ^mind
    let us
    i|we want|need|wish|like|love|prefer|hope|plan|intend you? to
    i|we will|would|do|really|just|also|still need|want|like|love|prefer|hate? you? to
    i|we would|really|just|also really|just|also|be? want|need|like|love you? to
    we have got? to
    i|we am|are trying|going|looking|planning|hoping|about|here to
    you|we should|must|need|ought|could|better to? also|just|probably|really?
    i should|must
    i was|am wondering|hoping if|that? you|we could|can|would|might?
    would|will it be possible|ok|okay|too to
    is it possible to
    is|any there|chance any|a|of? chance|way? you|we|to could|can?
    any chance you|we|of could|can?
    if you could|would|can
    ^go ahead and
    go and
    help me|us to?
    how|what about
    why not
    why do not we|you
    time to
    ^please do
    feel free to
    make sure to|that|you
    do me|us a favour|favor and
    you to
    i|we had|would better|rather
    i ask|beg|request you to
"""
"""The verb behind these is to be done: "could you", "we need to"."""

WONDER: Final = """
    ^should we|i
    if we|i|you|they|someone|somebody|anyone|anybody
    what if we|i|you
    what happens if|when we|i|you
    how do|can|could|would|should|might|did|does|must|may|will we|i|you|one|people|it
    how would i go about
    how to
    ^do|did i|we|you have|need|want? to
    is|would it be? safe|ok|okay|wise|worth|better|enough|risky|bad|good|necessary|smart|worthwhile to
    when|whenever|before|after|once|where|while we|i|you
    i do not want|need|wish you? to
    not asking|want|trying|going|looking|planning|here you? to
    do|does|did|should|must not|never
    i|we|they|you used to
    i|we|you|they wanted|tried|managed|forgot|meant|happened to
"""
"""The verb behind these is only talked about: "what happens if we", "how do I"."""
