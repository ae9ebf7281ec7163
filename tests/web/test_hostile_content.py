"""Names and texts that would like to be more than text: the page shows them and does nothing else."""

from playwright.sync_api import Page, expect

from tests.support.browsing import Visitor
from tests.support.server import Served

SCRIPT = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
HOSTILE = [
    SCRIPT,
    "[click](javascript:alert%281%29) and [data](data:text/html,<script>1</script>) [vb](VBscript:x)",
    "![pixel](https://evil.example/x.png) <iframe src=https://evil.example></iframe>",
    "<style>*{display:none}</style><svg onload=alert(1)>",
    "**" * 4_000 + "`" * 3_001 + "[" * 3_000 + "> " * 500,
    "| a | b |\n|---|---|\n| <b onclick=alert(1)>x</b> | `</code><script>` |",
]


def test_hostile_markdown_stays_text(page: Page, served: Served) -> None:
    requests: list[str] = []
    page.on("request", lambda one: requests.append(one.url))
    with served.client() as client:
        client.post("/api/v1/conversations", json={"id": "hostile", "title": SCRIPT})
        for content in HOSTILE:
            client.post("/api/v1/conversations/hostile/events", json={"content": content}).raise_for_status()

    page.goto("/#/c/hostile")

    expect(page.locator(".bubble")).to_have_count(len(HOSTILE))
    expect(page.locator(".bubble").first).to_have_text(SCRIPT)
    expect(page.get_by_role("heading", level=1)).to_have_text(SCRIPT)
    inside = page.locator(".turns")
    assert inside.locator("script, iframe, img, style, [onerror], [onclick], [onload]").count() == 0
    assert inside.locator("a:not([href^=http])").count() == 0
    assert page.title() != "pwned"
    assert all(url.startswith(served.url) for url in requests)


def test_hostile_names_stay_names_in_every_view(page: Page, served: Served) -> None:
    steps = [
        {"id": "a", "name": SCRIPT, "type": "action", "uses": SCRIPT},
        {"id": "z", "name": "]]></svg><script>", "type": "end"},
    ]
    document = {
        "id": "wf_hostile",
        "name": f"</title></style></svg>{SCRIPT}",
        "start": "a",
        "steps": steps,
        "transitions": [{"from": "a", "to": "z", "type": "condition", "when": {"text": SCRIPT}}],
    }
    with served.client() as client:
        client.post("/api/v1/workflows", json=document).raise_for_status()
        made = client.post("/api/v1/chat", json={"message": "explain it", "workflow_id": "wf_hostile"}).json()

    page.goto(f"/#/c/{made['conversation_id']}")
    expect(page.locator(".canvas svg .step")).to_have_count(2)
    for tab in ("Run", "JSON", "Context"):
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tabpanel", name=tab)).to_be_visible()
    Visitor(page).sees(page.locator(".chart"))

    assert page.locator("body script, iframe, svg style, img:not([src='/web/icon.svg'])").count() == 0
    assert page.title() != "pwned"
