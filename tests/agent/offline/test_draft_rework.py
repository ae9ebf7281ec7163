"""Work that goes back: revisions, repetition, ways back to a step or a person."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "The author writes an article. The editor reviews it. If it is not good, send it back to the "
                "author. If it is good, publish it on WordPress and post a message to Slack."
            ),
            [
                "human Write article @author -> Review article",
                (
                    "human Review article @editor [it is not good]-> Write article [else]-> Publish article "
                    "on WordPress"
                ),
                "action Publish article on WordPress uses=wordpress.publish -> Post message to Slack",
                "action Post message to Slack uses=slack.post -> Done",
            ],
            id="author writes article editor reviews",
        ),
        pytest.param(
            ("The developer fixes the bug until all tests pass, then the release manager deploys the build."),
            [
                "human Fix bug @developer -> All tests pass?",
                "decision All tests pass? [else]-> Fix bug [all tests pass]-> Deploy build",
                "human Deploy build @release manager -> Done",
            ],
            id="developer fixes bug until all",
        ),
        pytest.param(
            (
                "First the author writes a draft. Then the editor approves it or sends it back to the author."
                " Finally, publish it."
            ),
            [
                "human Write draft @author -> Approve draft",
                "human Approve draft @editor [changes needed]-> Write draft [approved]-> Publish draft",
                "action Publish draft -> Done",
            ],
            id="first author writes draft editor",
        ),
        pytest.param(
            (
                "The student submits the thesis. Two professors review it independently. If both approve, the"
                " registrar issues the certificate. If one of them rejects, the student revises the thesis "
                "and submits it again."
            ),
            [
                "human Submit thesis @student -> Review thesis",
                "human Review thesis @professor [both approve]-> Issue certificate [else]-> Revise thesis",
                "human Issue certificate @registrar -> Done",
                "human Revise thesis @student -> Submit thesis",
            ],
            id="student submits thesis two professors",
        ),
        pytest.param(
            (
                "The project manager creates the plan; the team works on it until the customer accepts the "
                "result; then the invoice is sent."
            ),
            [
                "human Create plan @project manager -> Work on plan",
                "human Work on plan @team -> Accept result",
                "human Accept result @customer [rejected]-> Work on plan [else]-> Send invoice",
                "action Send invoice -> Done",
            ],
            id="project manager creates plan team",
        ),
        pytest.param(
            (
                "The inspector inspects the machine. If it passes, it gets a sticker. If it fails, the "
                "mechanic repairs it and the inspector inspects it again."
            ),
            [
                "human Inspect machine @inspector [it passes]-> Get sticker [else]-> Repair machine",
                "human Get sticker -> Done",
                "human Repair machine @mechanic -> Inspect machine",
            ],
            id="inspector inspects machine passes gets",
        ),
        pytest.param(
            (
                "When a customer reports a bug, support reproduces it. If they cannot reproduce it, they ask "
                "the customer for more details, otherwise a developer fixes it. QA tests the fix. If the test"
                " fails the developer fixes it again. Finally the fix is released and the customer is "
                "informed."
            ),
            [
                "on bug.reported",
                "human Report bug @customer -> Reproduce bug",
                "human Reproduce bug @support -> They can not reproduce it?",
                (
                    "decision They can not reproduce it? [they can not reproduce it]-> Ask customer for more "
                    "details [else]-> Fix bug"
                ),
                "human Ask customer for more details @support -> Test fix",
                "human Fix bug @developer -> Test fix",
                "human Test fix @QA [the test fails]-> Fix bug [else]-> Release fix",
                "action Release fix -> Inform customer",
                "action Inform customer uses=notification.send -> Done",
            ],
            id="customer reports bug support reproduces",
        ),
        pytest.param(
            "submit; review; approve or reject; if rejected go back to submit; if approved archive",
            [
                "human Submit -> Review",
                "human Review -> Approve or reject",
                "human Approve or reject [rejected]-> Submit [approved]-> Archive",
                "action Archive -> Done",
            ],
            id="submit review approve or reject",
        ),
        pytest.param(
            (
                "The client sends the brief; the designer makes a mockup; the client gives feedback; the "
                "designer revises the mockup until the client is satisfied; then the mockup goes to the "
                "developers."
            ),
            [
                "human Send brief @client -> Make mockup",
                "human Make mockup @designer -> Give feedback",
                "human Give feedback @client -> Revise mockup",
                "human Revise mockup @designer -> The client is satisfied?",
                (
                    "decision The client is satisfied? [else]-> Revise mockup [the client is satisfied]-> "
                    "Handle mockup"
                ),
                "human Handle mockup @developer -> Done",
            ],
            id="client sends brief designer makes",
        ),
        pytest.param(
            (
                "I'd like an approval flow for blog posts: writer submits the post, editor reviews it, if the"
                " editor rejects it the writer gets it back with comments, if the editor accepts it marketing"
                " publishes it on the website and shares it on LinkedIn and Twitter."
            ),
            [
                "human Submit post @writer -> Review post",
                (
                    "human Review post @editor [the editor rejects it]-> Revise post [else]-> Publish post on"
                    " website"
                ),
                "human Revise post -> Review post",
                "human Publish post on website @marketing -> Share post on LinkedIn and Twitter",
                "human Share post on LinkedIn and Twitter @marketing uses=linkedin.post -> Done",
            ],
            id="i d like approval flow",
        ),
        pytest.param(
            (
                "The reviewer approves, rejects or asks for changes. If changes are needed, the author "
                "revises the text. If rejected, archive it. If approved, publish it."
            ),
            [
                (
                    "human Approve or reject @reviewer [changes needed]-> Revise text [rejected]-> Archive "
                    "changes [approved]-> Publish changes"
                ),
                "human Revise text @author -> Approve or reject",
                "action Archive changes -> Rejected",
                "action Publish changes -> Done",
            ],
            id="reviewer approves rejects or asks",
        ),
        pytest.param(
            (
                "The author writes the text. The editor accepts it or asks for changes. If accepted, publish "
                "it."
            ),
            [
                "human Write text @author -> Accept text",
                "human Accept text @editor [approved]-> Publish text [changes needed]-> Write text",
                "action Publish text -> Done",
            ],
            id="author writes text editor accepts",
        ),
        pytest.param(
            "The cook tastes the soup. If it is not ok, go back to the beginning. If it is ok, serve it.",
            [
                "human Taste soup @cook [it is not ok]-> Taste soup [else]-> Serve soup",
                "human Serve soup -> Done",
            ],
            id="cook tastes soup not ok",
        ),
        pytest.param(
            "Write the report, repeat until it is good, then send it.",
            [
                "human Write report -> It is good?",
                "decision It is good? [else]-> Write report [it is good]-> Send report",
                "action Send report -> Done",
            ],
            id="write report repeat until good",
        ),
        pytest.param(
            (
                "Check the calendar. If there is a slot the doctor confirms it, otherwise put the patient on "
                "the waiting list and try again after 2 days."
            ),
            [
                "human Check calendar -> There is a slot?",
                (
                    "decision There is a slot? [there is a slot]-> Confirm calendar [else]-> "
                    "Put patient on waiting list"
                ),
                "human Confirm calendar @doctor -> Done",
                "human Put patient on waiting list -> Wait 2 days",
                "wait Wait 2 days duration=P2D -> Check calendar",
            ],
            id="the wait is on the way back",
        ),
        pytest.param(
            "Call the customer. If nobody answers, wait one day and try again, otherwise close the ticket.",
            [
                "action Call customer -> Nobody answers?",
                "decision Nobody answers? [nobody answers]-> Wait one day [else]-> Close ticket",
                "wait Wait one day duration=P1D -> Call customer",
                "action Close ticket -> Done",
            ],
            id="what is tried again is the work, not the question",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
