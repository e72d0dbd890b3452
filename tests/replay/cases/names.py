# SPDX-License-Identifier: MIT
"""Names of every byte, and names made to forge a report or drive a terminal."""
FORGED = [
    b"\n{\"type\":\"e", b"\",\"pid\":1,\"", b"\\\\\\\"\\u0041", b"\x1b[2J\x1b[H",
    b"a\rmemstrack: 0", b"%s%n%x%d", b"\xe2\x80\xae\xc2\x9b1m", b"<b>&amp;",
]


def build(t):
    every = bytes(range(1, 256))
    for i in range(0, 255, 15):
        t.comm(240 + i, every[i:i + 15])
        t.alloc(240 + i, 0x1000 + i, chain=[0xc1000010 + i])
        t.symbol(0xc1000010 + i, 0xc1000000, every[i:i + 15])
    for i in range(0, 255, 51):
        t.module_range(every[i:i + 51], 0xd0000000 + i * 0x100, 0x100)
        t.alloc(1, 0x2000 + i, chain=[0xd0000010 + i * 0x100])
    for i, name in enumerate(FORGED):
        t.comm(600 + i, name)
        t.module_range(name * 3, 0xd0100000 + i * 0x100, 0x100)
        t.alloc(600 + i, 0x3000 + i, chain=[0xd0100010 + i * 0x100])
        t.symbol(0xd0100010 + i * 0x100, 0xd0100000, name * 3)
    t.kernel = b"6.1\n\x1b[31m\"\\ forged"
    t.reason = b"\"}\n\x07"
    t.notes = [b"note \"}\n{\x1b]0;title\x07" + b"\xff" * 100]
