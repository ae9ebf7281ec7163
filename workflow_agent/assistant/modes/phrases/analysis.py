"""Phrases that ask what is inside a workflow. The notation is explained in `patterns.py`."""

from typing import Final

ALWAYS: Final = """
    3.0 do|would you think|say|make of|about it|this|that|DEF
    3.0 into|in plain|simple|other|own words|terms|english|language
    2.8 ^export|give|show|download|convert|get IT|DEF|me ... as|to|in|into INDEF|the|our? step|bpmn|n8n|argo|arazzo|kestra|github|asl|json|yaml|cncf|serverless|amazon|aws|airflow|dot|svg
    2.8 ^what if|when
    2.8 who changed|edited|modified what
    2.8 what|anything changed|happened ... since|yesterday|today|week|month
    2.8 what did|has|have you|the|we|it|last? ... change|changed|do
    2.6 like i am
    2.6 picture|diagram|chart|drawing|graph|flowchart|visualisation of
    2.6 what would|will|could|might|can|does|do|did happen|break|change|go|cause|make|fail|stop
    2.6 what|how would|could|can|should you|we|i improve|change|optimise|speed|simplify
    2.6 who does what
    2.4 INDEF diagram|chart|graph|flowchart|drawing
    2.4 ^elaborate|details
    2.4 ^what changed
    2.4 ^would CHANGE_ING|CREATE_ING|ACT_ING|it|that|this|the|anything|anyone|somebody
    2.4 compare
    2.4 difference|differences|differ|compared|comparison|versus|vs|diff
    2.4 do|does|did|would not change|edit|touch|modify|alter|add|remove|want
    2.4 find|spot|list|show|see|identify|detect|any|are|look|looking|hunt|check|flag|point|highlight ... FLAW
    2.4 has|have changed
    2.4 is|would that|this|it INDEF good|bad|normal|common|real idea|sign|problem|issue|thing
    2.4 make sense of
    2.4 question about|on|regarding
    2.4 short|brief|quick version|summary|explanation|overview of
    2.4 should we|i worry|be
    2.4 walk|talk|take|run|guide|step|lead|bring me|us|through ... through|over
    2.4 weak|sore|blind|trouble|hot|pain spot|spots|point|points
    2.4 what|anything|something|whatever happens|happen|happened|next
    2.4 wonder|wondering|curious|unclear|confused|unsure|sure why|how|if|about|what|where|who|to|i
    2.2 ^any FLAW|single|dead|obvious|open
    2.2 ^is|are everyone|everybody|everything|nobody|OTHER|all
    2.2 an|a assessment|evaluation|opinion|estimate|judgement|explanation|idea of|on|about
    2.2 comply|complies|compliant|conform|conforms|legal|lawful
    2.2 dead ends|end
    2.2 if .. was|were|gets|is|had|removed|dropped|skipped|took|left|goes ... would|will|could|does|do|who|what
    2.2 in there|it
    2.2 i|it suspect|fear|seems|looks|guess
    2.2 point|sense|reason|logic|idea of|behind|in
    2.2 put ... words
    2.2 quick|one|short|another question
    2.2 show|list|display|draw|see|get ... steps|transitions|diagram|branches|roles|assignees|path|paths|difference|differences|approvers|triggers|deadlines|how|why|graph|flowchart|chart
    2.2 what keeps|stops|makes|causes|prevents|decides|triggers|drives|blocks
    2.2 what|anything|something|everything is|are|looks|be|seems ... wrong|missing|off|broken|slow|unclear|fragile|risky|needed|redundant|odd|weird
    2.2 who is involved|responsible|in|allowed
    2.2 worry|worried|concerned|afraid about|that|if
    2.0 FLAW
    2.0 ^play|run|go|think through
    2.0 am i right
    2.0 can|could you elaborate
    2.0 can|could|will|would|might|does|do|may|did ... get|go|become|be|end|gets stuck|lost|wrong|skipped|bypassed|forever|delayed|blocked|sit|in
    2.0 correct
    2.0 find|see|check|tell out? if
    2.0 go|look|run over|through|at|into DEF|QUOTE
    2.0 improvements|risks|reasons|consequences|impact|implications|side
    2.0 in|at|under|by|after|for|to what|which|whom
    2.0 is|does|do|are it|they|that|this|there|we really|actually|still|even
    2.0 list|name|count|show every|all|the|each|NUM ... approvals|conditions|owner|owners|risks|gaps|steps|ends|roles
    2.0 point out
    2.0 pros and cons
    2.0 single point|points
    2.0 what|which|how else|exactly
    2.0 which way|direction|order|cases|case|stage|point|circumstances|conditions
    2.0 without changing|editing|touching|modifying
    1.8 worst|best|longest|shortest|critical|happy case|path|duration|route|way|step|time
    1.8 wrong|missing|fragile|risky|stuck|unreachable|redundant|sensible|compliant|robust|safe|efficient|broken|inconsistent|complete|reachable|stall|stalls|hang|hangs|unassigned|overloaded|complicated|complex|too
    1.6 the slowest|fastest|longest|shortest|worst|best|biggest|weakest|busiest|most
    1.6 which|what part|bit|half|section|phase
"""

ON_TOPIC: Final = """
    4.0 ^can|could|may|might|should|shall|would i|we|one undo|revert|reverse|rollback|restore|redo
    3.0 ^can|could|may it|that|this|DEF ... be undone|reverted|reversed|restored
    2.4 ^double check
    2.4 ^why
    2.4 does|would|will|could|is CHANGE_ING|CREATE_ING|ACT_ING
    2.4 down to NUM|QUOTE
    2.4 do|does not understand|get|see|follow DEF|why|how|what|INDEF
    2.4 how come
    2.4 is|are there INDEF|any way|chance|reason|point|risk|possibility|danger|limit|part
    2.4 likely|going to break|fail|happen|go
    2.2 ^is|are|does|do|can|could|will|has|have SOMEONE
    2.2 how long|many|much|often|far|fast|quickly|likely
    2.2 want|like|need|love|curious|trying|wondering|wonder|interested to? know|understand|see|how|why|if|what|in
    2.0 ^BE|DOES|HAS|MODAL DEF|INDEF|SOMEONE|PART|TOPIC|PARTS|TOPICS|OTHER|NUM|IT|QUOTE|FLOW|ACT|only|CHANGE|CREATE|FIND
    2.0 ^do|does we|i|both|all|they|it|either|anyone need|have|needs|DEF|to
    2.0 give me|us INDEF|the ... summary|overview|rundown|explanation|breakdown|analysis|recap|outline|gist|estimate|review
    2.0 has|does|do|have|is DEF|QUOTE|TOPIC|FLOW ... have|got|any|need|end|go|wait|start|run|fit
    2.0 have all|both|any|the ... got
    2.0 just|only want|tell|wondering|asking|curious|understand|explain|know|need to? know|me|understand
    2.0 the longest|shortest|most|least a|it|DEF
    2.0 which|what ORD|other|single? PART|PARTS|role|roles|person|people|team|teams|bits|bit|parts|part|path
    1.8 DO_STUDY+LEAD
    1.8 different|changed from|between|since
    1.8 how|where|when does|do|is|are|did|would|will|can|could|has|have|might
    1.8 what do you mean
    1.6 ^what|which
    1.6 should|shall we|i|it|the|there
    1.6 why
    1.4 DO_STUDY DEF|IT|how|what|why|if|who|me
    0.8 happens|happen
"""
"""Questions that count only as far as the message, or what is open, is about workflows."""
