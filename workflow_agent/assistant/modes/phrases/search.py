"""Phrases that ask which workflows there are. The notation is explained in `patterns.py`."""

from typing import Final

ALWAYS: Final = """
    3.0 DEF .. one|version instead
    3.0 back to the list|results|search|others
    3.0 which|what other|existing|of? FLOWS
    2.8 which|what ... FLOWS
    2.8 which|what|any|some|one|all|how|many|several|most of ours|our|those|them|these|my|mine|yours
    2.6 DEF .. version instead
    2.6 ^narrow|filter|sort|limit|restrict it|them|down|by|that|to|for
    2.6 can|could not find|remember|locate|see
    2.6 do|did|have we|you|i already|actually|ever? have|got|own INDEF|any|anything|something|one|some|our|the?
    2.6 give|get|hand|show|bring|pass me|us? the|that|DEF ... FLOW|one
    2.6 have|has|had we|anyone|anybody|someone|somebody|you already|ever|not? got|made|built|created|written|seen|set|documented|modelled|a|any|anything
    2.6 how many of|FLOWS|other|different ... FLOWS|ours|our?
    2.6 switch|change|go|jump|move over? to DEF ... FLOW|one $
    2.6 what do|did|does we|one|you|i use|have|call|do for
    2.6 where|whereabouts is|are|did|has|do|can|would ... FLOW|one|find|FLOWS|gone
    2.6 which|what FLOW
    2.4 ^DEF|those|ones|things|processes|flows that|starting|running|which|with|by|without|about|for OTHER|FLOW|INDEF|NUM|run|start|TOPIC
    2.4 ^do|does|is|are any|some use|using|FLOW|mention|contain
    2.4 ^next|previous|first|last page|results|result|batch
    2.4 all|any|every|each of? FLOWS|those|them|ones|one that|with|which|where|in|from
    2.4 any|other|similar|related|existing|all|every|all FLOWS
    2.4 did|has anyone|anybody|someone|somebody|we|they ever|already? make|made|build|built|create|created|write|written|set
    2.4 exist|exists
    2.4 forgot|forget|forgotten what|the|its|which
    2.4 have|has|got one|something|anything like|too|similar|comparable|for|as
    2.4 have|has|is|was|were been|already modelled|built|made|created|documented|set
    2.4 how can|do i see|find|list|view
    2.4 how is|was|are ... called|named
    2.4 if we|there|they|it already|have|is|are|exists
    2.4 if anyone|anybody|someone|somebody has|had|built|made|have|did
    2.4 in here|there somewhere|anywhere?
    2.4 is|are there already|any|anything|something|some|one|INDEF ... FLOW|for|about|on|that|with|in|where|which|like|similar|called
    2.4 let me|us see
    2.4 list|overview of all|every|everything|our|FLOWS
    2.4 pull|bring|dig|call|fish ... up|out
    2.4 show|open|see|yes me|it|DEF theft|first|second|last|that|the $
    2.4 take|bring|get|point|direct|lead me|us to|back|towards
    2.4 used|use|uses|using anywhere|elsewhere|somewhere|else
    2.4 what ... do|have we have|got ... for|on|about|in
    2.4 where do|did|does we handle|do|check|use|deal|manage|process|cover
    2.4 which ones|one
    2.4 which|what FLOW is|has|does|handles|covers|uses|was|deals|contains|sends|would|should|can|do|talks
    2.2 DEF|ORD other|others|departments have|has
    2.2 ^open|show|now open DEF|it|that
    2.2 in|on the|our|your system|library|catalogue|catalog|folder|list|collection|database|registry|portfolio|repository|store
    2.2 it might|may|could be|have called|named|under|been
    2.2 look|looking|hunt|hunting|searching|search|searched for
    2.2 need|want whichever|whatever|any FLOW|process
    2.2 one|ones|thing|flow|process|workflow where|with|that|which|about|for|from|we|called|named|in|on|dealing|handling
    2.2 saved|stored|filed|kept under|as|in|where
    2.2 still there|around|exists
    2.2 tagged|labelled
    2.2 what exists|there is|else we
    2.0 DO_FIND ... FLOW|NAMED|QUOTE|FLOWS
    2.0 FLOWS that|with|which|where|without|in|for|use|using|are|have|do|involve|involving|run|start|call|about|from|assigned
    2.0 ^anything|everything|all|any|ones of? them? about|for|with|that|on|which|to|related|mentioning|using|at|like|involving|in|where|more|other|similar|called
    2.0 ^anything|something|after anything to do with
    2.0 ^got any|anything|something|one|INDEF
    2.0 ^something about|with|like|on|for
    2.0 already have|got|exists|exist|there|made|in
    2.0 anywhere|somewhere|elsewhere
    2.0 any|every|each|all .. FLOW
    2.0 available for|to|in
    2.0 begins|starts|contains|had|has with|the|INDEF QUOTE|word|name|letter
    2.0 in|from the TOPIC|OTHER folder|drawer|section|category
    2.0 its name|tag|title
    2.0 more like|results|of
    2.0 need|wanted|want|have|trying to find|locate|see|open
    2.0 need|want|get|give|hand the|that ... FLOW|one $
    2.0 same|another|new search
    2.0 see|show|open|display|view|have|get|bring|pull|load me? up? DEF ... FLOW|one
    2.0 similar ones|one|to|FLOWS
    2.0 tagged|labelled|labeled with|as|QUOTE
    2.0 used to have|be
    2.0 what ... called|name
    2.0 what|anything|something do|have|is|else we|there|you|have? got|have|for|about|on
    2.0 who owns|handles everything|all
    1.8 DEF FLOW|one|ones where|with|that|which|about|from|we|called|named
    1.8 ^try|not QUOTE|that|it|with|searching|instead
    1.8 can|could you get it|that|DEF
    1.8 everything|all with|that|in|by|about
    1.8 our|my|the newest|latest|oldest|recent|biggest|smallest|longest|shortest|other|archived ones|one|FLOWS|FLOW
    1.6 DEF .. one $
    1.6 DEF ORD? ... one|version|ones instead|please
    1.6 FLOWS
    1.6 ^anything|any
    1.6 already
    1.6 go|jump|switch|navigate|back to|back DEF|QUOTE|FLOW ... FLOW|one
    1.6 it|which|that was|is called|named|titled
    1.6 list|show|display all|me|everything|our|my|every|the ... FLOWS|ones|one
    1.6 what|which name
    1.4 hate to? reinvent|duplicate
    1.4 last|yesterday|recently edited|touched|changed|modified|used|updated|opened
    1.0 thing|things
    -1.4 find|list|show|spot|see ... FLAW
    -1.6 DO_FIND ... PARTS|step|steps
    -1.6 why|how come
    -2.0 ^any FLAW
    -2.0 find|figure out who|why|how|where|what|when
    -2.0 how many FLOWS ... per|have|create
    -2.0 is|are there anything|something|INDEF wrong|missing|way
    -2.0 where in|does|could|might|will
    -2.4 maximum|limit|max
    -2.4 weak|blind|dead spot|spots|end|ends|points
"""
