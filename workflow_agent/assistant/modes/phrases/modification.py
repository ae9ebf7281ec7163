"""Phrases that ask for a change to an existing workflow. The notation is explained in `patterns.py`."""

from typing import Final

ALWAYS: Final = """
    5.4 describe FLOW|IT|TOPIC|OTHER|QUOTE|PART|PARTS .. as
    5.4 describe DEF .. FLOW|OTHER|TOPIC|QUOTE|PART as
    4.6 describe ... like this
    3.0 ^do|make|apply|take|use ... suggested|proposed|suggestion|proposal|mentioned|recommended|recommendation|option
    3.0 ^undo|revert|rollback|redo
    3.0 if|otherwise not|no|so add|put|set|insert|build
    2.6 DO_CHANGE+LEAD
    2.6 ^fix|repair|mend what|whatever|everything|all you|that can|you
    2.6 and DO_CHANGE|replace|hand|give|set|put|assign IT|QUOTE|DEF
    2.6 a|an second|third|fourth|extra|additional|further ... PART|TOPIC|pair|approval
    2.6 fix|resolve|repair|mend|address|sort|correct|apply|solve IT|DEF|those|both|all|your|out
    2.6 get|be rid of
    2.6 roll|rolled|rolling|go|going|change|switch|put back
    2.6 work|build|put|fit|squeeze|get that|it|this in
    2.4 , change|fix|correct|adjust|swap it|that|this|them|DEF
    2.4 DO_ADJUST IT to
    2.4 DO_CREATE INDEF new|second|extra|separate? PART ... in|to|on|for|after|before|from
    2.4 ^can|could|should TOPIC|DEF|OTHER ... be optional|asked|informed|told|done|earlier|first|mandatory|required|automatic|skipped
    2.4 ^clean|tidy ... up
    2.4 ^do not let|allow|send|ask|show|need
    2.4 ^insert|hang|strike|tack|patch|wire DEF|INDEF|QUOTE|TOPIC
    2.4 ^make that|it|this|those INDEF|NUM|QUOTE|optional|required|mandatory|two|three|daily|weekly
    2.4 ^name|title|owner|deadline|timeout|assignee|label|start|end|trigger|limit|PART :
    2.4 ^put|stick|place|slot|squeeze|slip|drop|throw|pop|chuck|shove|bung|insert INDEF|DEF|QUOTE|another|some ... in|into|before|after|between|there|at|on|up
    2.4 ^take|leave|pull|cut|strip|drop|throw ... out|away|off
    2.4 can|could|may DEF|TOPIC ... instead|please|too|also $
    2.4 do not need|want|use|like DEF|IT|QUOTE|TOPIC|a
    2.4 instead $
    2.4 is|are|was missing|superfluous|unnecessary|obsolete|outdated|wrong , add|remove|put|change|fix
    2.4 only|just to DEF|TOPIC
    2.4 take|takes|took over
    2.4 way it was
    2.4 we|i think ... should|needs|need|belongs|must
    2.4 would|do prefer
    2.2 DEF|only|also|TOPIC|PART|QUOTE|TOPICS|SOMEONE ... should|must|ought|needs|has|shall only|also|not|to|never|always|be|go|have|come|happen|run|wait|get|take|start|say|read|ACT
    2.2 DO_ADJUST INDEF|NUM ... PART
    2.2 DO_ADJUST IT|one ... NUM|ACT|ACT_ED|ORD|optional|mandatory|required|parallel|automatic|manual|back|shorter|longer|first|last
    2.2 ^DEF|only|each|every|nobody|no ... gets|may|can only|not|just|NUM
    2.2 ^for|if|when|in|from|once|after ... , DO_CHANGE
    2.2 ^give DEF|TOPIC|it|QUOTE ... INDEF|NUM|PART
    2.2 do not|let us not let|involve|ask|send|allow|bother
    2.2 have INDEF PART|TOPIC ... ACT
    2.2 in parallel|sequence|series
    2.2 instead of
    2.2 instead of OTHER|TOPIC|DEF|NUM
    2.2 on|upon error|failure|rejection|timeout|errors
    2.2 see to it
    2.2 should|must|needs|ought|has|need not? to? be|get CHANGE_ED|ACT_ED|CREATE_ED|required|optional|mandatory|parallel|before|after|able|allowed|called|named
    2.2 there ought|should|must|needs to? be
    2.2 wherever|everywhere|whenever he|she|they|it|is?
    2.2 whoever|everyone|everybody|nobody|anyone ... must|should|has|needs|gets|may
    2.0 DO_CHANGE DEF|IT|INDEF|QUOTE|ORD|any|PART
    2.0 ^after|before|between DEF|TOPIC|PART|QUOTE ... not|instead|please
    2.0 ^let|bring|loop|cc ... in|into on?
    2.0 ^make|let sure
    2.0 adjust|change|update|edit|modify ... so that?
    2.0 a|an|one more|extra|additional PART|TOPIC|OTHER
    2.0 belongs|goes|fits|comes ... at|before|after|to|in|between|first|last
    2.0 can|may|should go|stay|leave|wait $
    2.0 do not ACT DEF|PART|TOPIC ... only|but|just
    2.0 forgot|lacks|misses|lacking|missed DEF|INDEF
    2.0 from now|today|tomorrow|monday on|onwards?
    2.0 in between|there
    2.0 in case of
    2.0 in place of
    2.0 is missing
    2.0 is|are|was enough
    2.0 i|we meant TOPIC|OTHER|DEF|ANCHOR
    2.0 like|want|need DEF|IT ... to be
    2.0 more|less time|strict|often|frequently|waiting|emails|mails
    2.0 no longer
    2.0 rather ACT|ask|than
    2.0 should add|remove|change|have INDEF|DEF ... PART|TOPIC
    2.0 the way it|they
    1.8 ^NOT DEF|TOPIC|ORD|OTHER ,
    1.8 ^have OTHER|TOPIC|DEF|SOMEONE ... ACT|TRADE|both
    1.8 ^in case|unless|otherwise|once|if|when|after|for ... , ACT|TRADE|ADJUST|CHANGE
    1.8 any more
    1.8 as of|from today|now|monday|tomorrow|next
    1.8 as well|too $
    1.8 do|does|will|would not need|want|use|require|involve ... any|either more
    1.8 i|we want|need DEF ... ACT|FIND_ED|ACT_ED|CHANGE_ED
    1.8 need|want|needs|wants|like ... ANCHOR DEF|it|PART|QUOTE|ACT_ING|TOPIC
    1.6 DO_CHANGE|DO_ADJUST|ask ... before|after|between|until|ahead|instead|rather DEF|QUOTE|PART|INDEF|TOPIC|CHANGE_ING|ACT_ING|it|of|anyone|anything
    1.6 INDEF|another|extra|PART|TOPIC ... ANCHOR DEF|it|PART|QUOTE|ACT_ING
    1.6 almost|better : but
    1.6 and not
    1.6 another PART|TOPIC
    1.6 but|and|also keep|leave|not
    1.6 left|quit|retired|joined ... so|replace|company
    1.6 previous|earlier|last|old version
    1.6 rather than|not
    1.6 should|must|ought|needs not? only|also|to be|go|have|come|happen|run|wait|get|take|start|say|ACT|able
    1.4 ^add|remove|and another|one|more|it|them
    1.4 should|must|needs|need NOT? wait|require
    1.4 to NUM days|hours|minutes|weeks|times
    1.2 to be ACT_ED|CHANGE_ED
    -1.4 from scratch
    -1.4 into plain|simple
    -1.4 not asking
    -1.5 DO_CHANGE INDEF|something new? FLOW
    -1.5 before|after i|we
    -2.0 INDEF copy|clone|duplicate of
    -2.0 ^do|does|should|is|are we|i|both|it|they|anyone
    -2.0 any|a way to
    -2.0 it|that might|may|could be|have
    -2.0 possible|way to undo|revert|reverse|rollback|restore
    -2.0 switch|change|go|jump|move over? to DEF ... FLOW|one $
    -2.4 DEF .. one|version instead
    -2.4 ^duplicate|clone|copy this|it|that
    -2.4 change|switch the subject|topic|language
    -2.5 new|another FLOW
    -2.6 add|put something|INDEF new? ... to|in DEF collection|library|catalogue|system|list|workflows
    -2.6 back to the list|results|search|others|other
    -2.6 make|turn IT into? INDEF ... FLOW
    -2.6 one more FLOW
    -2.6 should|could|must be|become INDEF FLOW
    -3.0 ^can|could|may it|that|this|DEF ... be undone|reverted|reversed|restored
    -3.0 DO_CHANGE|DO_ADJUST your|my|me last|name|message|answer|answers|account|email|password|font|tone|style|boss|mum|wife|mother
    -5.0 ^can|could|may|might|should|shall|would i|we|one undo|revert|reverse|rollback|restore|redo
    -5.4 describe ... as if|though|well|you|simply|briefly|plainly|clearly|it|they
    -5.4 describe ... as INDEF .. list|table|diagram|flowchart|chart|picture|graph|story|summary|outline|overview|text|paragraph|sentence
    -5.4 describe ... as bullets|bullet|text|prose|words
"""
