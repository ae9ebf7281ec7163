"""What replies cost, in words: the offline model costs nothing, and not every other one's price is known."""

from workflow_agent.domain.conversation import AgentReply, Conversation

_FREE = "offline"
_UNPRICED = "price not known"


def cost_of_reply(reply: AgentReply) -> str:
    """Return what one reply cost."""
    if reply.cost.total_usd is not None:
        return _dollars(reply.cost.total_usd)
    return "nothing" if reply.model == _FREE else _UNPRICED


def cost_of_conversation(conversation: Conversation) -> str:
    """Return what all turns cost; of sealed ones only the sum is at hand, without what had no price."""
    spent = conversation.usage_totals.cost_usd
    replies = [one for one in conversation.events if isinstance(one, AgentReply)]
    if any(cost_of_reply(one) == _UNPRICED for one in replies):
        return f"{_dollars(spent)}, and turns whose price is not known" if spent else _UNPRICED
    if spent:
        return _dollars(spent)
    return "nothing" if not conversation.sealed_turns else "nothing, as far as prices are known"


def _dollars(amount: float) -> str:
    return f"${amount:.4f}"
