"""Phrases of small talk, help, the assistant itself, and whatever has nothing to do with workflows. The notation is explained in `patterns.py`."""

from typing import Final

ALWAYS: Final = """
    3.2 change|switch the subject|topic|language
    3.0 DO_CHANGE|DO_ADJUST|DO_CREATE|create your|my|me last|name|message|answer|answers|account|email|password|font|tone|style|boss|mum|wife|mother
    3.0 PRAISE work|job|stuff|one|idea|question|point|thanks|answer
    3.0 ^BYE
    3.0 ^GREET $
    3.0 ^THANKS
    3.0 maximum|limit|limits|max number|length|of|on|to|how
    3.0 that|this|it is|was not what|right|it|correct|true|helpful
    2.8 what day|time|date|year is
    2.8 what is|are|does INDEF|QUOTE .. is|mean
    2.6 META
    2.6 an|any|a api|manual|help|app|documentation|guide|faq|tutorial|mobile
    2.6 are|were|am|is you|your
    2.6 best practices|practice
    2.6 go ahead $
    2.6 hang|hold on
    2.6 one|a|just a? moment|sec|second|minute $
    2.6 stand|stands for
    2.6 what|explain|is|does ... INDEF FLOW|PART|state|tag|alias is|mean|means|and|exactly|machine
    2.6 who|what|how|where are|is|were|was|old you|your
    2.4 FLOWS|workflows be|backed|get shared|saved|stored|kept|up|lost|saved
    2.4 ^be OTHER|PRAISE|quiet|brief|concise|honest|careful
    2.4 ^go|carry|keep on|going $
    2.4 answers|replies|responses|explanations|apologising|apologies|emojis|tone|concise
    2.4 did|have we|i|you talk|discuss|say|tell|ask|talked|exchanged|discussed|said|asked|told|agree|decide|agreed|decided
    2.4 explain|define what INDEF
    2.4 explain|define|mean|means DEF|INDEF|word|term ... QUOTE|gateway|term|word
    2.4 get|getting started
    2.4 good to know
    2.4 how i|we can|could|should|may export|use|share|import|upload|contact|reach|get
    2.4 in general
    2.4 in simple|easy|plain words|terms $
    2.4 i|we|users may|can|could|am have|create|make|allowed
    2.4 let us stop|wait|pause|call|talk|chat|continue|do|take
    2.4 no worries|problem|rush
    2.4 remind|call|text|email my|mum|mom|dad|me
    2.4 talk|speak to|with support|INDEF|human|someone|somebody
    2.4 thank|thanks you|so|a|for|very
    2.4 that|it|this|you|all is|was|are|will great|perfect|good|fine|fast|wrong|all|nice|helpful|right|wonderful|enough|it|brilliant|cool|funny|amazing|better|quick|slow|clear|everything
    2.4 the|that term|word
    2.4 we|you|i discussed|decided|talked|agreed|said|discuss|decide
    2.2 NUM percent|plus|times|divided
    2.2 can|could NUM|several|many|multiple of|people|users|persons
    2.2 help me? $
    2.2 how would|do i go about
    2.2 our|this|the|my last|previous|current|first|whole|entire? chat|conversation|session|message|messages|discussion|history
    2.2 see|read|open|access|hear my|files|file|pdfs|pdf|images|me
    2.2 this|the|your tool|app|assistant|thing|product|service works|work|for|do
    2.2 translate|capitalise|pronounce|spell|multiply|calculate|solve
    2.2 when|if i|we tell|ask|change|delete|say|you ... you|i
    2.2 who said
    2.0 colleagues|team|boss|company|others|people see|read|use the|my|what|it
    2.0 how would i restore|undo|go
    2.0 i think|guess|hope|believe|suppose so|you|i
    2.0 last time
    2.0 my account
    2.0 never mind|minded
    2.0 no need
    2.0 not today|now|yet|necessary $
    2.0 talk|talked|discuss|discussed|say|said|tell|told|asked|ask|typed|type|spoke|wrote we|i|you|me|us|earlier|before|about|here
    2.0 undoing|undo something|things|if|mistakes
    2.0 what i see|type|write|typed|wrote
    2.0 what is|are INDEF
    2.0 where|how do|should i|we start|begin
    2.0 your name|creator|job|purpose|opinion|favourite|favorite|memory|data|limit|limits|limitations|capabilities|pronouns|mode|settings
    1.8 limit|limits on|to|of
    1.8 stop|start|please using|talking|speaking|being|speak|answer|reply|talk|respond
    1.8 take your time
    1.8 test $
    1.6 ^let|give me think|second|minute|check|know
    1.6 ^speak|talk|reply|answer|respond to|in|with
    1.6 get|need|want|type|some|any help
    1.6 sounds|looks|works good|great|fine|right|perfect|ok|for
    1.6 you are|be|seem|sound|look|were|forgot|made|did
    1.5 to you
    1.4 message|messages|type|tool|app|website|site|interface|page|keyboard|ipad|iphone|mobile|server|cost|costs|price|free
    1.2 you|your
    1.0 ^YES|NO|PRAISE
    -0.8 DO_FIND+LEAD
    -0.8 DO_STUDY+LEAD
    -1.0 DO_CREATE+LEAD
    -1.2 DO_CHANGE+LEAD
    -1.6 likely|going to break|fail
    -2.0 did you change|do
    -3.0 you think|make of|about it|this|that|DEF
"""

OFF_TOPIC: Final = """
    2.4 OFFTOPIC
    1.6 ^how many|much|old|far|tall|do
    1.6 look|search|go|find ... google|wikipedia|amazon|hulu|youtube|netflix|web|internet|online|article|articles|news
    1.4 my|me|i OTHER
"""
"""Phrases that count only as far as the message is about nothing in particular."""
