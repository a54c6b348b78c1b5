"""Small documents made by hand, good and bad."""

import io
import struct
import zipfile
import zlib

from docx import Document

Text = tuple[float, float, str]
"""x, y (from the bottom) and the text."""


def pdf(*pages: list[Text], size=(595, 842), picture=False, trailer=b"") -> bytes:
    """Return a PDF whose pages print the given texts, or one grey picture each."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{5 + 2 * index} 0 R" for index in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    objects.append(
        _stream(
            b"\x80" * 64,
            b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8",
        )
    )
    for index, texts in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size[0]} {size[1]}] /Contents {6 + 2 * index} 0 R "
            "/Resources << /Font << /F1 3 0 R >> /XObject << /I1 4 0 R >> >> >>".encode()
        )
        lines = [f"BT /F1 10 Tf {x} {y} Td ({_escaped(text)}) Tj ET" for x, y, text in texts]
        objects.append(
            _stream("\n".join(["q 500 0 0 700 40 60 cm /I1 Do Q"] if picture else lines).encode("cp1252"))
        )
    return _file(objects, trailer)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


def _file(objects: list[bytes], trailer: bytes) -> bytes:
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(
        b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, trailer, start)
    )
    return out.getvalue()


def locked_pdf() -> bytes:
    """Return a PDF that opens with a password only."""
    key = b"<" + b"5a" * 32 + b">"
    encrypt = b"/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -44 /O %s /U %s >> /ID [<00> <00>]" % (
        key,
        key,
    )
    return pdf([(50, 700, "secret")], trailer=encrypt)


def looping_pdf() -> bytes:
    """Return a PDF whose page tree is its own child."""
    tree = b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"
    return _file([b"<< /Type /Catalog /Pages 2 0 R >>", tree], b"")


def lines(*texts: str, x: float = 50, top: float = 800, step: float = 14) -> list[Text]:
    """Return lines of text below each other."""
    return [(x, top - step * index, text) for index, text in enumerate(texts)]


def docx(build) -> bytes:
    """Return a Word document that ``build`` filled."""
    document = Document()
    build(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def zipped(entries: dict[str, bytes]) -> bytes:
    """Return a zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def locked_zip(entries: dict[str, bytes]) -> bytes:
    """Return a zip file whose entries are marked as encrypted."""
    data = bytearray(zipped(entries))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(mark, at + 4)
    return bytes(data)


def png() -> bytes:
    """Return a picture of one grey dot."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0\0"))
        + chunk(b"IEND", b"")
    )
