// Several files as one: a zip archive without compression, which every system opens.

const TABLE = Array.from({ length: 256 }, (_, at) => {
  let value = at;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** Return an archive of texts by their files' names. */
export function zipOf(files) {
  const parts = [];
  const listed = [];
  let offset = 0;
  for (const [name, text] of files) {
    const [title, content] = [new TextEncoder().encode(name), new TextEncoder().encode(text)];
    // Version 2.0, names in UTF-8, stored as they are, 1 January 1980.
    const about = [20, 0, 0, 8, 0, 0, 0, 0, 33, 0, ...number(checksum(content)), ...number(content.length), ...number(content.length), ...number(title.length, 2), 0, 0];
    parts.push(new Uint8Array([0x50, 0x4b, 3, 4, ...about]), title, content);
    listed.push(new Uint8Array([0x50, 0x4b, 1, 2, 20, 0, ...about, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...number(offset)]), title);
    offset += 30 + title.length + content.length;
  }
  const size = listed.reduce((sum, one) => sum + one.length, 0);
  const end = new Uint8Array([0x50, 0x4b, 5, 6, 0, 0, 0, 0, ...number(files.length, 2), ...number(files.length, 2), ...number(size), ...number(offset), 0, 0]);
  return new Blob([...parts, ...listed, end], { type: "application/zip" });
}

function number(value, bytes = 4) { return Array.from({ length: bytes }, (_, at) => (value >>> (8 * at)) & 0xff); }
