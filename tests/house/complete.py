# SPDX-License-Identifier: MIT
"""What zsh offers for a line, as a user sees it after the key TAB.

complete.py FOLDER LINE: with the completion of FOLDER/_memstrack; prints all that
zsh wrote on its terminal.
"""
import os
import pty
import sys

PROMPT = b"READY> "


def until(terminal, wanted, seen=b""):
    while wanted not in seen:
        seen += os.read(terminal, 65536)
    return seen


def main():
    folder, line = sys.argv[1:]
    pid, terminal = pty.fork()
    if not pid:
        os.environ.update(TERM="dumb", COLUMNS="200", LINES="200", PS1="% ")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    os.write(terminal, f"stty cols 200 rows 200; unsetopt zle_bracketed_paste; "
             f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; "
             f"LISTMAX=9999; PS1='READ''Y> '\n".encode())
    until(terminal, PROMPT)
    # TAB, then another command: what it prints comes after the list.
    os.write(terminal, line.encode() + b"\t")
    os.write(terminal, b"\x15print DO''NE\n")
    print(until(terminal, b"DONE").decode(errors="replace"))
    os.close(terminal)
    os.waitpid(pid, 0)


main()
