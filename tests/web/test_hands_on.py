"""Acting on a workflow without a word typed: graph, step, versions, documents, the page of all of them."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.browsing import EXPENSES, Visitor, watched
from tests.support.server import Served
from tests.web.test_ways_of_use import NARROW, serious

LOOPS, INSIDE = 12, 7


def large_workflow() -> dict[str, Any]:
    """Return a workflow of a hundred steps: loops one after the other, each with steps inside."""
    steps: list[dict[str, Any]] = []
    transitions: list[dict[str, str]] = []
    for loop in range(LOOPS):
        steps.append({"id": f"loop_{loop}", "name": f"Round {loop}", "type": "loop"})
        for at in range(INSIDE):
            inside = {"name": f"Check {loop}.{at}", "parent": f"loop_{loop}", "assignee": f"team {loop % 3}"}
            steps.append({"id": f"s_{loop}_{at}", "type": "human", **inside})
        pairs = zip(range(INSIDE - 1), range(1, INSIDE), strict=True)
        transitions += [{"from": f"s_{loop}_{one}", "to": f"s_{loop}_{two}"} for one, two in pairs]
        if loop:
            transitions.append({"from": f"loop_{loop - 1}", "to": f"loop_{loop}"})
    for at in range(100 - len(steps) - 1):
        steps.append({"id": f"after_{at}", "name": f"After {at}", "type": "human", "assignee": "office"})
        transitions.append({"from": f"after_{at - 1}" if at else f"loop_{LOOPS - 1}", "to": f"after_{at}"})
    steps.append({"id": "done", "name": "Done", "type": "end"})
    transitions.append({"from": steps[-2]["id"], "to": "done"})
    return {"id": "wf_large", "name": "Large", "start": "loop_0", "steps": steps, "transitions": transitions}


def stored(served: Served, document: dict[str, Any]) -> None:
    with served.client() as client:
        client.post("/api/v1/workflows", json=document).raise_for_status()


def scale(page: Page) -> float:
    return float(page.evaluate("new DOMMatrix(document.querySelector('.graph-port > svg').style.transform).a"))


def place(step: Locator) -> tuple[float, float]:
    box = step.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_steps_stand_in_lanes_by_role(page: Page, served: Served) -> None:
    stored(
        served,
        {
            "id": "wf_lanes",
            "name": "Claims",
            "start": "file",
            "steps": [
                {"id": "file", "name": "File the claim", "type": "human", "assignee": "customer"},
                {"id": "check", "name": "Check the claim", "type": "human", "assignee": "clerk"},
                {"id": "pay", "name": "Pay", "type": "action", "uses": "bank.transfer"},
                {"id": "paid", "name": "Paid", "type": "end"},
            ],
            "transitions": [
                {"from": "file", "to": "check"},
                {"from": "check", "to": "pay"},
                {"from": "pay", "to": "paid"},
            ],
        },
    )
    page.goto("/#/w/wf_lanes")
    toggle = page.get_by_role("button", name="Lanes by role")
    toggle.click()

    expect(page.locator(".canvas .lane > text")).to_have_text(["customer", "clerk", "Automatic"])
    expect(page.locator(".canvas .lane rect").first).to_have_css("fill-opacity", "0.55")
    expect(toggle).to_have_attribute("aria-pressed", "true")
    assert serious(page) == []
    toggle.press("Enter")
    expect(page.locator(".canvas .lane")).to_have_count(0)


def test_a_hundred_steps_are_opened_found_changed_undone_and_compared(page: Page, served: Served) -> None:
    stored(served, large_workflow())
    page.goto("/#/w/wf_large")
    expect(page.locator(".canvas [data-step]")).to_have_count(16)
    expect(page.locator(".graph-map")).to_be_visible()

    page.get_by_role("combobox", name="Find a step").fill("Check 7.3")
    page.keyboard.press("Enter")
    expect(page.locator(".canvas [data-step]")).to_have_count(16 + INSIDE)
    expect(page.locator("[data-step=s_7_3]")).to_be_in_viewport()
    card = page.get_by_role("region", name="Step Check 7.3")
    card.get_by_label("Owner").fill("legal")
    card.get_by_label("Deadline").fill("2 days")
    card.get_by_role("button", name="Save").click()

    expect(page.locator("[data-step=s_7_3] .who")).to_have_text("legal")
    expect(page.locator("[data-step=s_7_3]")).to_be_in_viewport()
    expect(page.locator(".slider output")).to_have_text("2 of 2")
    with served.client() as client:
        changed = client.get("/api/v1/workflows/wf_large").json()
    step = next(one for one in changed["steps"] if one["id"] == "s_7_3")
    assert (step["assignee"], step["timeout"]) == ("legal", "P2D")

    page.get_by_role("button", name="Versions").click()
    page.get_by_role("button", name="What changed").click()
    expect(page.locator(".compared .is-changing")).to_have_count(2)
    expect(page.locator(".compared-words")).to_contain_text("Check 7.3")
    page.keyboard.press("Escape")
    page.locator(".notice").get_by_role("button", name="Undo").click()

    expect(page.locator("[data-step=s_7_3] .who")).to_have_text("team 1")
    assert serious(page) == []


def test_a_hundred_steps_are_worked_on_without_a_word_typed(page: Page, served: Served) -> None:
    stored(served, large_workflow())
    page.goto("/#/workflows")
    page.get_by_role("link", name="Large").click()
    expect(page.locator(".canvas [data-step=loop_0]")).to_be_in_viewport()

    page.locator(".graph-map").click(position={"x": 84, "y": 60})
    loop = page.locator(".canvas [data-step=loop_7]")
    expect(loop).to_be_in_viewport()
    loop.locator(".fold-button").click()
    step = page.locator(".canvas [data-step=s_7_3]")
    expect(step).to_have_count(1)
    page.get_by_label("Show the steps of").select_option("team 1")
    expect(page.locator(".canvas [data-step=s_7_3]:not(.is-dim)")).to_have_count(1)
    page.locator(".findings").get_by_role("button", name="Show where").nth(7).click()
    expect(loop).to_be_in_viewport()
    page.locator(".graph-port").hover()
    page.mouse.wheel(0, 300)
    step.click()
    card = page.get_by_role("region", name="Step Check 7.3")
    expect(card.get_by_role("button", name="Delete")).to_be_in_viewport()
    card.get_by_role("button", name="Delete").click()

    expect(step).to_have_count(0)
    changed = page.locator(".canvas [data-from=s_7_2][data-to=s_7_4]")
    expect(changed).to_be_in_viewport()
    expect(page.locator(".slider output")).to_have_text("2 of 2")
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(step).to_be_in_viewport()

    page.get_by_role("button", name="Versions").click()
    page.get_by_role("button", name="What changed").nth(1).click()
    expect(page.locator(".compared .is-leaving[data-step=s_7_3]")).to_be_in_viewport()
    expect(page.locator(".compared [data-from=s_7_2][data-to=s_7_4]")).to_be_in_viewport()
    assert serious(page) == []


def test_the_graph_is_moved_by_wheel_keys_and_map_and_stays_where_it_was(page: Page, served: Served) -> None:
    stored(served, large_workflow())
    page.goto("/#/w/wf_large")
    port = page.locator(".graph-port")
    expect(page.locator(".canvas [data-step=loop_0]")).to_be_visible()
    begun = scale(page)

    port.hover()
    before = place(page.locator("[data-step=loop_0]"))
    page.mouse.wheel(0, 120)
    after = place(page.locator("[data-step=loop_0]"))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    zoomed = scale(page)
    port.focus()
    page.keyboard.press("0")
    whole = scale(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.get_by_role("button", name="Smaller").click()
    here = scale(page)
    page.get_by_role("button", name="Open all").click()
    expect(page.locator(".canvas [data-step]")).to_have_count(100)

    assert after[1] == pytest.approx(before[1] - 120, abs=2)
    assert zoomed > begun
    assert whole < begun
    assert here > whole
    page.locator(".graph-map").click(position={"x": 84, "y": 108})
    expect(page.locator("[data-step=done]")).to_be_in_viewport()


def test_steps_are_connected_by_dragging_and_the_conversation_tells(visitor: Visitor) -> None:
    page = visitor.page
    visitor.say(EXPENSES)
    source, target = (
        page.locator(".canvas [data-step=pay_the_expense_out]"),
        page.locator(".canvas [data-step=rejected]"),
    )
    source.hover()
    handle = page.locator(".connector")
    expect(handle).to_be_visible()

    page.mouse.move(*place(handle))
    page.mouse.down()
    page.mouse.move(*place(target), steps=6)
    page.mouse.up()

    told = page.locator(".by-hand")
    expect(told).to_have_count(1)
    expect(page.locator("[data-transition=pay_the_expense_out-rejected]")).to_have_count(1)
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(told).to_have_count(2)
    expect(page.locator("[data-transition=pay_the_expense_out-rejected]")).to_have_count(0)
    source.click()
    page.get_by_role("button", name="Ask about this").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value(
        "About “Pay the expense out” (pay_the_expense_out) in wf_expense_approval: "
    )
    page.reload()
    expect(told).to_have_count(2)


def test_a_workflow_is_built_by_keyboard_alone(page: Page) -> None:
    keys = page.keyboard
    page.goto("/#/workflows")
    page.get_by_role("button", name="New workflow").focus()
    keys.press("Enter")
    keys.type("Contract")
    keys.press("Enter")
    first = page.locator(".canvas [data-step=first_step]")
    expect(first).to_be_visible()

    page.locator(".graph-port").focus()
    keys.press("ArrowDown")
    expect(first).to_be_focused()
    keys.press("a")
    expect(page.get_by_role("region", name="New step").get_by_label("Name")).to_be_focused()
    keys.type("Legal review")
    keys.press("Tab")
    keys.press("Tab")
    keys.type("legal")
    keys.press("Enter")
    made = page.locator(".canvas [data-step=legal_review]")
    expect(made).to_be_visible()
    expect(page.get_by_role("heading", name="Legal review")).to_be_focused()
    assert serious(page) == []

    page.locator(".graph-port").focus()
    keys.press("ArrowDown")
    keys.press("Delete")
    expect(made).to_have_count(0)
    keys.press("Control+z")
    expect(made).to_be_visible()


def test_a_document_is_taken_in_with_its_losses_shown_and_given_out_again(page: Page, tmp_path: Path) -> None:
    chart = {
        "StartAt": "Pay",
        "States": {
            "Pay": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:pay", "Next": "Ok"},
            "Ok": {"Type": "Succeed"},
        },
    }
    page.goto("/#/workflows")
    page.get_by_role("button", name="Import").click()
    keep = page.get_by_role("dialog").get_by_role("button", name="Import", exact=True)
    expect(keep).to_be_disabled()
    page.get_by_role("textbox", name="Document").fill(json.dumps(chart))
    expect(page.locator(".found")).to_contain_text("asl")
    assert serious(page) == []
    keep.click()
    expect(page.locator(".canvas [data-step]")).to_have_count(2)
    page.get_by_role("button", name="Export").click()
    page.get_by_label("Format").select_option("github-actions")
    expect(page.locator(".export-text")).to_contain_text("jobs:")
    expect(page.locator(".losses")).to_contain_text("lost")
    page.get_by_label("Format").select_option("png")
    with page.expect_download() as begun:
        page.get_by_role("button", name="Download").click()

    picture = Path(begun.value.path()).read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert begun.value.suggested_filename.endswith(".png")


def test_all_workflows_are_narrowed_chosen_and_exported(page: Page, served: Served) -> None:
    ends = [{"id": "z", "name": "Z", "type": "end"}]
    for number in range(3):
        steps = [{"id": "a", "name": "Ask", "type": "human", "assignee": f"role {number}"}, *ends]
        tags = ["finance"] if number else []
        stored(
            served,
            {
                "id": f"wf_{number}",
                "name": f"Process {number}",
                "tags": tags,
                "description": "It pays out.",
                "start": "a",
                "steps": steps,
                "transitions": [{"from": "a", "to": "z"}],
            },
        )
    page.goto("/")
    page.get_by_role("link", name="All workflows").click()
    cards = page.locator(".library-card")
    expect(cards).to_have_count(3)
    expect(page.locator(".thumb svg")).to_have_count(3)

    page.get_by_label("Tag").select_option("finance")
    expect(cards).to_have_count(2)
    page.get_by_role("searchbox", name="Search all workflows").fill("Process 2")
    expect(page.locator(".library-card mark").first).to_have_text("Process")
    page.get_by_label("Tag").select_option("")
    page.get_by_role("searchbox", name="Search all workflows").fill("")
    expect(cards).to_have_count(3)
    page.get_by_label("Owner").fill("nobody of these")
    expect(cards).to_have_count(0)
    page.get_by_label("Owner").fill("")
    expect(cards).to_have_count(3)
    for number in range(2):
        page.get_by_role("checkbox", name=f"Choose Process {number}").check(force=True)
    assert serious(page) == []
    page.get_by_role("button", name="Export as zip").click()
    with page.expect_download() as begun:
        page.get_by_role("button", name="Export", exact=True).click()

    with zipfile.ZipFile(io.BytesIO(Path(begun.value.path()).read_bytes())) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["wf_0.json", "wf_1.json"]
        assert json.loads(archive.read("wf_1.json"))["name"] == "Process 1"


def test_the_palette_leads_anywhere(page: Page, served: Served) -> None:
    stored(served, large_workflow())
    page.goto("/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option", name="Large")).to_be_visible()
    assert serious(page) == []

    page.keyboard.type("larg")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")

    expect(page.locator(".canvas [data-step=loop_0]")).to_be_visible()
    page.get_by_role("button", name="Back to the conversation").click()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()


def test_every_part_of_a_step_is_changed_in_place(page: Page, served: Served) -> None:
    retry = {"interval": "PT10S", "backoff": "exponential", "errors": ["Busy"]}
    steps = [
        {"id": "pay", "name": "Pay", "type": "action", "uses": "bank.pay", "retry": retry},
        {"id": "ask", "name": "Ask", "type": "human", "form": {"fields": [{"key": "amount", "type": "number"}]}},
        {"id": "z", "name": "Z", "type": "end"},
    ]
    lines = [{"id": "one", "from": "pay", "to": "ask"}, {"id": "two", "from": "ask", "to": "z"}]
    stored(served, {"id": "wf_parts", "name": "Parts", "start": "pay", "steps": steps, "transitions": lines})
    page.goto("/#/w/wf_parts")
    page.locator(".canvas [data-step=pay]").click()
    card = page.locator(".card")
    expect(card.get_by_role("spinbutton")).to_have_value("3")
    card.get_by_role("spinbutton").fill("5")
    card.get_by_label("Wait between attempts").fill("soon")
    card.get_by_role("button", name="Save").click()
    expect(card.get_by_role("alert")).to_contain_text("like “10 seconds”")
    card.get_by_label("Wait between attempts").fill("2 minutes")
    card.get_by_label("Condition for Ask").fill("it failed")
    card.get_by_role("button", name="Save").click()
    expect(page.locator(".slider output")).to_have_text("2 of 2")

    page.locator(".canvas [data-step=ask]").click()
    card.get_by_role("button", name="Add a field").click()
    page.keyboard.type("reason")
    card.get_by_label("required").last.check()
    card.get_by_role("button", name="Save").click()
    expect(page.locator(".slider output")).to_have_text("3 of 3")
    card.get_by_text("Who changed it").click()
    expect(card.locator(".card-history")).to_contain_text("by hand")
    with served.client() as client:
        client.post("/api/v1/workflows/wf_parts/edits", json={"edits": [{"op": "tag", "tag": "new"}]})
        changed = client.get("/api/v1/workflows/wf_parts").json()

    assert changed["steps"][0]["retry"] == retry | {"max_attempts": 5, "interval": "PT2M"}
    assert changed["transitions"][0]["when"] == {"text": "it failed"}
    assert [one["key"] for one in changed["steps"][1]["form"]["fields"]] == ["amount", "reason"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_workflow_is_changed_by_touch_on_a_phone(browser: Browser, served: Served, scheme: str) -> None:
    with watched(browser, served, viewport=NARROW, has_touch=True, is_mobile=True, color_scheme=scheme) as page:
        page.goto("/")
        Visitor(page).say(EXPENSES)
        page.locator("#open-workflow").tap()
        step = page.locator(".canvas [data-step=pay_the_expense_out]")
        expect(step).to_be_visible()

        step.tap()
        card = page.get_by_role("region", name="Step Pay the expense out")
        card.get_by_label("Owner").fill("accounting")
        card.get_by_role("button", name="Save").tap()

        expect(step.locator(".who")).to_have_text("accounting")
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
        assert serious(page) == []


def test_two_fingers_zoom_and_one_moves(browser: Browser, served: Served) -> None:
    with watched(browser, served, viewport=NARROW, has_touch=True, is_mobile=True) as page:
        stored(served, large_workflow())
        page.goto("/#/w/wf_large")
        expect(page.locator(".canvas [data-step=loop_0]")).to_be_visible()
        fingers = page.context.new_cdp_session(page)
        middle = place(page.locator(".graph-port"))

        def touch(kind: str, *apart: float) -> None:
            points = [{"x": middle[0], "y": middle[1] + one, "id": at} for at, one in enumerate(apart)]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        begun = scale(page)
        touch("touchStart", -30, 30)
        touch("touchMove", -60, 60)
        touch("touchEnd")
        pinched = scale(page)
        before = place(page.locator("[data-step=loop_0]"))
        touch("touchStart", 60)
        touch("touchMove", 40)
        touch("touchMove", 0)
        touch("touchEnd")
        after = place(page.locator("[data-step=loop_0]"))

        assert pinched == pytest.approx(2 * begun, rel=0.1)
        assert after[1] < before[1] - 30
        assert scale(page) == pinched


def test_a_change_that_somebody_else_was_faster_with_is_told(browser: Browser, served: Served) -> None:
    complaints: list[str] = []
    stored(served, large_workflow())
    with watched(browser, served, complaints) as page:
        page.goto("/#/w/wf_large")
        page.locator(".canvas [data-step=after_0]").click()
        card = page.get_by_role("region", name="Step After 0")
        card.get_by_label("Owner").fill("legal")
        with served.client() as client:
            edits = [{"op": "rename_step", "step": "after_0", "name": "Afterwards"}]
            client.post("/api/v1/workflows/wf_large/edits", json={"edits": edits}).raise_for_status()

        card.get_by_role("button", name="Save").click()

        expect(page.get_by_role("alert")).to_contain_text("Somebody else changed this workflow meanwhile.")
        expect(page.locator(".canvas [data-step=after_0] .name")).to_have_text("Afterwards")
    assert all("412" in one for one in complaints)


def test_a_file_is_dropped_on_all_workflows(page: Page) -> None:
    page.goto("/#/workflows")
    expect(page.locator("#library .library-told")).to_have_text("No workflow is like that.")
    dropped = page.evaluate_handle(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "large.json", { type: "application/json" }));
          return data;
        }""",
        json.dumps(large_workflow()),
    )

    page.dispatch_event("#library", "drop", {"dataTransfer": dropped})

    expect(page.locator(".found")).to_contain_text("Large")
    expect(page.locator(".found")).to_contain_text("Nothing is lost.")
