"""More is free than all memory that is known of: nothing is below zero."""


def build(t):
    t.memory(40000)
    t.alloc(1, 0x200, chain=[0xc1000010])
    t.memory(39999)
