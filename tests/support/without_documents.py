"""Attach a PDF and a DOCX in a process in which the `documents` extra is not installed; print the answers.

python -m tests.support.without_documents DATA_DIR
"""

import asyncio
import base64
import io
import json
import sys
import zipfile
from pathlib import Path

import httpx

# As where it is not installed: importing them fails.
sys.modules |= {"pypdf": None, "docx": None}


def a_docx() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<document/>")
    return packed.getvalue()


async def main() -> None:
    from tests.support.server import application_for  # noqa: PLC0415 - after the libraries are gone
    from workflow_agent.settings import load_settings  # noqa: PLC0415 - after the libraries are gone

    made = application_for(load_settings(data_dir=Path(sys.argv[1])))
    transport = httpx.ASGITransport(made.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for title, data in (("policy.pdf", b"%PDF-1.7\n"), ("policy.docx", a_docx())):
            content = base64.b64encode(data).decode()
            attachment = {"title": title, "content": content, "encoding": "base64"}
            body = {"message": "Read it.", "attachments": [attachment]}
            answer = await client.post("/api/v1/chat", json=body)
            problem = answer.json()
            told = {"status": answer.status_code, "code": problem["code"], "detail": problem["detail"]}
            sys.stdout.write(f"{json.dumps(told)}\n")
    made.close()


asyncio.run(main())
