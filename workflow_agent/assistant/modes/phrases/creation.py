"""Phrases that ask for a new workflow. The notation is explained in `patterns.py`."""

from typing import Final

ALWAYS: Final = """
    3.0 DO_CREATE ... INDEF ... FLOW
    3.0 DO_CREATE|CREATE_ING INDEF|me|us ... FLOW
    3.0 add|create|make FLOW QUOTE
    3.0 add|insert|create|put|register INDEF|something new? FLOW|new|to? to|for
    3.0 add|put|register something|INDEF new? ... to|in DEF collection|library|catalogue|system|list|workflows
    3.0 as|into|to INDEF proper|new|repeatable|formal|real|state|clean? FLOW|machine
    3.0 make|take|create|do INDEF copy|clone|duplicate of
    3.0 make|turn IT into? INDEF ... FLOW
    3.0 not|otherwise|then|none|nothing create|make|build|do one|INDEF|it
    3.0 one|another more FLOW
    3.0 should|could|must|will be|become INDEF FLOW
    3.0 want|like|need that|this|it|these automated|modelled|formalised|documented|automatic|built
    2.8 INDEF ... FLOW for|to|that|which|where|when|with|from|on
    2.8 make|made|build|give|get|do|have|want|need me|us? INDEF ... FLOW
    2.6 DO_CREATE+LEAD IT|one $
    2.6 come up with
    2.6 make|turn|convert|transform|shape|formalise|write|capture|put|model|express|wrap|build|translate ... into|as|to|in INDEF|proper ... FLOW
    2.6 new|another|fresh|separate|different FLOW
    2.6 set this|it|that|one|us|me up
    2.6 set|put|write|whip|knock|cook|draw|rig|lay|mock|map|spin|throw|pull|dream|sketch it|that|one|this? up|together|out|down ... INDEF|FLOW|process
    2.6 wants|needs|want|need|deserves|like one|another|its too|as|also|of|own
    2.5 DO_ADJUST+LEAD ... INDEF ... state machine
    2.5 DO_CREATE ... state machine|machines
    2.4 DO_CREATE QUOTE|NAMED
    2.4 FLOW INDEF? for|that|which|where NOT? CREATE_ING|ACT_ING|CHANGE_ING|how|when
    2.4 FLOW consists|starts|begins|goes|is of|with|like|as|follows
    2.4 ^INDEF ... FLOW
    2.4 ^another one|for
    2.4 ^automate|automating
    2.4 ^duplicate|clone|copy this|it|that|DEF
    2.4 ^how|what about INDEF ... FLOW
    2.4 ^make|build|do|create that|this|it|one for
    2.4 ^one for
    2.4 ^something that|which|to ACT_S|CHANGE_S|CREATE_S|OTHER|ACT
    2.4 as INDEF ... FLOW
    2.4 as INDEF state machine
    2.4 as|into its|their|his|her|our own FLOW|one
    2.4 base|model|build INDEF new? one|FLOW on
    2.4 build|create|make it now
    2.4 can|could|may|might we|i have|get INDEF
    2.4 from scratch
    2.4 how about|can|shall|should we automate|create|build|design
    2.4 how it|this|that|we works|work|goes|go|do
    2.4 let us have|do|make|build|design|create|draft|start INDEF|one|something
    2.4 need|needs|want|wants|like|missing INDEF way to|of|for
    2.4 possible for OTHER|TOPIC|staff|people|DEF to
    2.4 set something|one|it|that up
    2.4 version of it|this|that|DEF for
    2.2 DO_ADJUST+LEAD up|together INDEF|the|our ... FLOW|TOPIC
    2.2 ^every|each new|time ... ACT_S|gets|get|,
    2.2 ^when|once|whenever|if|after|as INDEF|SOMEONE|NUM ... ACT_S|CHANGE_S|BE|HAS
    2.2 counterpart|equivalent|variant|sibling for|of
    2.2 looking|trying|want|hoping to build|create|make|set INDEF
    2.2 make|build|do INDEF for
    2.2 one|it for|too .. too|also|as
    2.2 same|similar|equivalent|copy thing? for|of|as
    2.2 start|begin|kick a|with|off? new|fresh|from|over
    2.2 state machine for|with|where
    2.2 we|i do|have not got? have? any|INDEF? FLOW for
    2.0 DO_CREATE new
    2.0 first|then|second|third we|the|DEF ... , second|then|after|and
    2.0 go|goes|works|going|look|looks like this|so|follows
    2.0 here|this|that is how|what it|we|happens|should
    2.0 like|want|wants the same|one|thing|something for
    2.0 need a|an scheduled|automatic|automated|nightly|daily|weekly|monthly
    2.0 need|want|like|love something|way|procedure ... for|to|that|which
    2.0 no FLOW|process|proper|real|formal for|yet
    2.0 separate|separately
    2.0 should|could|might have INDEF ... FLOW
    2.0 time we had
    1.8 DO_CREATE ... TOPIC|FLOW
    1.8 automate|automated|automating|automatically
    1.8 make|build|do|whip me|us INDEF
    1.8 no|not ... FLOW for ... yet|then
    1.8 set up
    1.6 DO_CREATE+LEAD
    1.6 FLOW : ... , ... ,
    1.6 INDEF simple|basic|small|quick|lightweight|little|straightforward|proper|standard|generic ... FLOW|TOPIC
    1.6 TOPIC FLOW : ... , ... ,
    1.6 ^new|another ... FLOW|TOPIC|one
    1.6 ^simple|basic|quick|small|two|three ... TOPIC|FLOW
    1.6 brand new
    1.6 do|have not have|got INDEF|any ... FLOW|yet
    1.6 there is no|not ... FLOW|process|yet
    1.6 with|having states|stages|steps|phases
    1.5 DO_CREATE this|that|it|one|these
    1.5 from zero
    1.5 new .. FLOW
    1.4 following|these|those|below steps|notes|rules|stages|process
    1.4 on|upon receipt|arrival|submission of
    1.4 we|i need one
    1.2 ^when|once|whenever|if|after|as DEF|TOPIC|OTHER ... ACT_S|CHANGE_S
    1.2 every|each day|week|month|morning|monday|tuesday|wednesday|thursday|friday|weekday|night|quarter|year
    -1.2 in|to|into|from|of|on|at the|our|this|that|my ... FLOW
    -1.5 INDEF ... PART ... in|to|into|for|on DEF ... FLOW|PART
    -2.0 a|an second|third|fourth|extra|additional|further PART|TOPIC|approval
    -2.2 ^do|did|have|has we|you|anyone|i|somebody|someone
    -2.4 if we|there already|have|is
    -2.5 ^who|which|where|why
    -2.5 have|take INDEF look|peek
    -2.6 exists|exist|somewhere
    -2.6 is|was|are|were NOT? there
    -3.0 look|looking|search|searching|hunting|peek for|at INDEF|DEF|something
    -4.0 ^do|did|have|has|is|are|does NOT? we|you|anyone|i|somebody|someone|there|OTHER|they|any
"""
