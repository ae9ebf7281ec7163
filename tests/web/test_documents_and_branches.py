"""Documents that go with a message, and saying something otherwise in a branch."""

from playwright.sync_api import expect

from tests.support.browsing import Visitor

POLICY = {"name": "policy.md", "mimeType": "text/markdown", "buffer": b"Claims are due within 30 days."}


def test_a_document_goes_with_the_message(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_label("Files to attach").set_input_files([POLICY])
    expect(page.get_by_role("list", name="Attached")).to_contain_text("policy.md")

    visitor.say("When are claims due?")

    expect(page.get_by_role("list", name="Attached")).to_be_hidden()
    expect(page.locator(".message .file")).to_have_text("policy.md")
    page.reload()
    expect(page.locator(".message .file")).to_have_text("1 document")


def test_a_dropped_file_is_attached_and_one_that_cannot_be_read_is_refused(visitor: Visitor) -> None:
    page = visitor.page

    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["a,b\\n1,2"], "numbers.csv", { type: "text/csv" }));
          data.items.add(new File([new Uint8Array([0, 1, 2])], "picture.png", { type: "image/png" }));
          const dropped = new DragEvent("drop", { dataTransfer: data, bubbles: true });
          document.getElementById("chat").dispatchEvent(dropped);
        }"""
    )

    expect(page.get_by_role("list", name="Attached")).to_contain_text("numbers.csv")
    expect(page.get_by_role("alert")).to_contain_text("Only text, PDF and Word documents can be read.")
    page.get_by_role("button", name="Remove numbers.csv").click()
    expect(page.get_by_role("list", name="Attached")).to_be_hidden()


def test_what_was_said_is_said_otherwise_in_a_branch(visitor: Visitor) -> None:
    page = visitor.page
    visitor.say("Hello there")
    visitor.say("What can you do?")
    first = page.url

    message = page.locator(".message").nth(1)
    message.hover()
    message.get_by_role("button", name="Edit and branch").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("What can you do?")
    visitor.send("Which workflows are there?")

    expect(page).not_to_have_url(first)
    expect(page.locator(".bubble")).to_have_text(["Hello there", "Which workflows are there?"])
    expect(page.locator(".reply-buttons")).to_have_count(2)
    page.goto(first)
    expect(page.locator(".bubble")).to_have_text(["Hello there", "What can you do?"])
