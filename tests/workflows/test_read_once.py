"""What a run sees of workflows between two of its steps."""

from collections import Counter

from typing_extensions import override

from tests.support.in_memory import InMemoryWorkflowCatalog
from tests.support.stored import Clock, a_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Author, Change, ReadOnceCatalog

_CREATED = Change(Author(), "created", ("Created",))


class CountingCatalog(InMemoryWorkflowCatalog):
    """Counts what is read."""

    def __init__(self) -> None:
        super().__init__(now=Clock())
        self.reads: Counter[str] = Counter()

    @override
    async def get(self, tenant: str, workflow_id: str) -> Workflow:
        self.reads[workflow_id] += 1
        return await super().get(tenant, workflow_id)


def renamed(current: Workflow) -> tuple[Workflow, Change]:
    return current.model_copy(update={"name": "Anew"}), Change(Author(), "edited", ("Renamed",))


async def test_a_workflow_is_read_once_a_step_and_anew_in_the_next() -> None:
    kept, steps = CountingCatalog(), [object()]
    workflow = await kept.create("acme", a_workflow(), _CREATED)
    seen = ReadOnceCatalog(kept, lambda: steps[-1])

    first = [await seen.get("acme", workflow.id) for _ in range(3)]
    await kept.update("acme", workflow.id, renamed)
    steps.append(object())

    assert [one.name for one in first] == [workflow.name] * 3
    assert (await seen.get("acme", workflow.id)).name == "Anew"
    assert kept.reads[workflow.id] == 2


async def test_a_run_sees_its_own_write_in_the_same_step() -> None:
    kept = CountingCatalog()
    workflow = await kept.create("acme", a_workflow(), _CREATED)
    seen = ReadOnceCatalog(kept, lambda: None)

    await seen.get("acme", workflow.id)
    await seen.update("acme", workflow.id, renamed)

    assert (await seen.get("acme", workflow.id)).name == "Anew"
