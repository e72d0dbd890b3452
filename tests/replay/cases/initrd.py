"""The initrd, unpacked before, took more than was used since: so the advice."""


def build(t):
    t.ram = [(0x100, 40960)]
    t.memory(30000, flags=32)
    t.figure(b"Cached (initramfs)", 61600)
    t.figure(b"initrd (freed)", 59744)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.memory(30000 - 512)
