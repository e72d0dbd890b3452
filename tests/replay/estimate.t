#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""memstrack estimate reads images, kernels, LUKS headers and reports: sums are
right, each format of packing has its line to type, which works, and whatever is
broken gets one message with the file and the byte. The figures of the machine
itself: tests/boot/estimated.t.
"""
import os
import re
import struct
import subprocess
import tempfile

from harness import MATRIX, Tap, sanitized

PROGRAM = sanitized()
FILE, LINK, DIRECTORY = 0o100644, 0o120777, 0o40755


def member(name, data=b"", mode=FILE, size=None, namesize=None, magic=b"070701"):
    name = name.encode() + b"\0"
    fields = [1, mode, 0, 0, 1, 0, len(data) if size is None else size, 0, 0, 0,
              0, len(name) if namesize is None else namesize, 0]
    head = magic + b"".join(b"%08x" % f for f in fields) + name
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


END = member("TRAILER!!!", mode=0)


def same(tap, got, want, name):
    tap.same(str(got), str(want), name)


class Work:
    def __init__(self, tap, folder):
        self.tap, self.folder = tap, folder

    def path(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def run(self, *arguments, data=b""):
        done = subprocess.run([PROGRAM, "estimate", *arguments], input=data,
                              capture_output=True, check=False, timeout=60)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def image(self, data, *options):
        return self.run("--initrd=" + self.path("image", data), *options)


def row(out, name):
    """The sizes of a row, in KiB, and its source."""
    found = re.search(rf"^{name}  +((?:[0-9.]+M|-)(?: +(?:[0-9.]+M|-))*)  (.*)$",
                      out, re.MULTILINE)
    return found and (found[1].split(), found[2])


def sums(w):
    tap, mib = w.tap, b"x" * (1 << 20)
    image = member("a", mib) + member("d", mode=DIRECTORY) + END
    two = image + b"\0" * 512 + member("b\n/c", mib + b"y") + \
        member("l", b"a", LINK) + END
    for name, data, want, files in [
            ("one archive", image, "1.0M", 2),
            ("two, with zeroes between and a name of two lines", two, "2.0M", 4),
            ("one without its end", member("a", mib), "1.0M", 1),
            ("one with checksums", member("a", mib, magic=b"070702"), "1.0M", 1)]:
        status, out, errors = w.image(data)
        got = row(out, "image, unpacked")
        same(tap, (status, errors), (0, ""), name)
        same(tap, got and (got[0][0], got[1]),
                 (want, f"{files} files, in whole pages"), f"{name}: its sum")
        same(tap, row(out, "image, packed")[0][0], "%d.%dM" % (
            len(data) >> 20, (len(data) >> 10 & 1023) * 10 >> 10),
            f"{name}: its size")
        tap.ok(re.search(r"^crashkernel=[0-9]+M$", out.splitlines()[-1]),
               f"{name}: the answer is the last line")
    small, large = (int(re.search(r"crashkernel=(\d+)", w.image(
        member("a", mib * n))[1])[1]) for n in (1, 65))
    tap.ok(64 + 64 <= large - small <= 64 * 3.3,
           f"64 MiB more, packed and not: {small}, {large}")
    _, out, _ = w.image(member("usr/bin/makedumpfile", b"x"))
    same(tap, len(row(out, "kernel")[0]), 2, "an image that dumps: no real root")


def nested(w):
    """The files are in a squashfs or an erofs, which nobody reads here."""
    for name in "squashfs-root.img", "./squash-root.img", "erofs-root.img":
        _, out, errors = w.image(member(name, b"hsqs") + END)
        got = [row(out, r) or [""] * 2 for r in
               ("modules of it", "all modules", "programs", "kernel")]
        w.tap.ok(not errors and got[0][0][1] == got[1][0][2] and
                 re.search(r": all \d+ that are loaded", got[0][1]) and
                 got[2][1] == "systemd, udev: measured" and len(got[3][0]) == 3,
                 f"{name}: as if all drivers and systemd were in it: {got}")


IN_ETC = """mount -t tmpfs tmpfs /etc && mkdir /etc/sysconfig && : >/etc/kdump.conf &&
echo root=/dev/vda >/etc/cmdline && mount --bind /etc/cmdline /proc/cmdline &&
echo '#KDUMP_COMMANDLINE_APPEND="nr_cpus=7"
KDUMP_COMMANDLINE_APPEND="irqpoll nr_cpus=3 reset_devices"' >/etc/sysconfig/kdump &&
exec "$0" estimate "$1"
"""


def utils(w):
    """kdump-utils leaves root= out and appends words; its nested image dumps."""
    def there(image):
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", IN_ETC, PROGRAM, "--initrd=" +
             w.path("image", image)], capture_output=True, check=False, timeout=60)
        return done.stdout.decode()

    nest = member("squashfs-root.img", b"x" * (30 << 20)) + END
    out = there(nest)
    same(w.tap, row(out, "limit of rootfs"), (["11.0M", "-"],
         "no root= in what kdump-utils loads: rootfs holds half of memory"),
         "kdump-utils: a limit of rootfs; and it dumps in the image")
    w.tap.ok(": 3 of " in row(out, "per-CPU memory")[1],
             f"kdump-utils: {row(out, 'per-CPU memory')[1]}")
    same(w.tap, len(row(there(member("a") + END), "kernel")[0]), 3,
         "kdump-utils: an image without makedumpfile does not dump")


def broken(w):
    tap = w.tap
    good = member("a", b"12345678")
    for name, data, says in [
            ("an empty file", b"", "byte 0: no file in it"),
            ("zeroes", b"\0" * 100, "byte 100: no file in it"),
            ("a text", b"hello\n", "byte 0: neither a cpio nor packed"),
            ("a text behind an archive", good + END + b"hello",
             f"byte {len(good + END)}: neither"),
            ("a header that is cut", good[:50], "byte 0: a header is cut off"),
            ("a name that is cut", good[:111], "byte 0: a name is cut off"),
            ("a file that is cut", good[:-2], "byte 0: a file is cut off"),
            ("a size of 4 GiB", good + member("b", b"xy", size=0xffffffff),
             f"byte {len(good)}: a file is cut off"),
            ("a name of 4 GiB", member("b", namesize=0xffffffff), "byte 0: a name of"),
            ("no name", member("b", namesize=0), "byte 0: a name of"),
            ("a header with a sign", good[:54] + b"-0000001" + good[62:],
             "byte 0: a header that is no cpio's"),
            ("an old cpio", b"070707" + good[6:], "byte 0: a cpio of another")]:
        status, out, errors = w.image(data)
        path = os.path.join(w.folder, "image")
        tap.ok(status == 1 and not out and errors.count("\n") == 1 and
               errors.startswith(f"memstrack: {path}: {says}"),
               f"{name}: {errors or out}".strip())
    tap.none((cut for cut in range(1, len(good), 1 if MATRIX else 8)
              if w.image(good[:cut])[0] != 1), "cut off anywhere: refused")


PACKERS = [("gzip",), ("xz",), ("zstd", "-q"), ("lz4", "-l"), ("bzip2",),
           ("xz", "--format=lzma")]


def packed(w):
    """The line that is printed, typed; with and without an early archive."""
    tap = w.tap
    early = member("kernel/x86/microcode/x.bin", b"m" * 5000) + END
    early += b"\0" * (-len(early) % 512)
    content = member("a", b"x" * (3 << 20)) + END
    os.environ["PATH"] += ":" + w.folder
    link = os.path.join(w.folder, "memstrack")
    os.symlink(PROGRAM, link)
    for packer in PACKERS:
        name = " ".join(packer)
        try:
            done = subprocess.run([*packer, "-c"], input=content, check=True,
                                  capture_output=True)
        except (OSError, subprocess.CalledProcessError) as e:
            tap.skip(name, str(e))
            continue
        for before in b"", early:
            path = w.path("packed", before + done.stdout)
            status, out, errors = w.run("--initrd", path)
            lines = errors.splitlines()
            tap.ok(status == 1 and not out and len(lines) == 2 and lines[0] ==
                   f"memstrack: {path}: byte {len(before)}: packed from here "
                   "on; type:", f"{name}, behind {len(before)} bytes: {errors}")
            typed = subprocess.run(["sh", "-c", lines[-1]], check=False,
                                   capture_output=True, encoding="utf-8")
            got = row(typed.stdout, "image, unpacked")
            same(tap, got and (got[0][0], got[1]), ("3.0M", f"{2 if before else 1}"
                     " files, in whole pages"), f"{name}: {lines[-1]}")
            same(tap, row(typed.stdout, "image, packed"),
                     (["0.0M", "-", "-"], f"size of {path}"), "its size")
    status, out, errors = w.run("--initrd=-", data=b"\x1f\x8b123456")
    tap.ok(status == 1 and not out and "byte 0: still packed" in errors,
           f"packed bytes in a pipe: {errors}")
    status, out, errors = w.run("--initrd=-", "--packed=" + w.path("x", content),
                                data=content)
    tap.ok(status == 1 and "nothing in it is packed" in errors, errors)


def others(w):
    tap, image = w.tap, member("lib/modules/6/x-y.ko.xz", b"x")
    bz = bytearray(8192)
    bz[0x202:0x208] = b"HdrS\x0f\x02"
    bz[0x260:0x264] = struct.pack("<I", 77 << 20)
    elf = bytearray(8192)
    elf[:5] = b"\x7fELF\2"
    elf[32:40], elf[56:58] = struct.pack("<Q", 64), struct.pack("<H", 2)
    for i, (kind, at, size) in enumerate([(1, 1 << 24, 1 << 20), (1, 3 << 24, 4096)]):
        elf[64 + 56 * i:120 + 56 * i] = struct.pack(
            "<IIQQQQQQ", kind, 5, 0, 0, at, size, size, 0)
    for name, data, want in [("a bzImage", bz, "77.0M"), ("a vmlinux", elf, "32.0M")]:
        _, out, errors = w.image(image, "--kernel=" + w.path("kernel", data))
        same(tap, (errors, row(out, "kernel")[0][0]), ("", want), name)
    huge = bytearray(elf)
    huge[32:40] = b"\xff" * 8
    for name, data in [("a text", b"hello"), ("zeroes", bytes(9000)),
                       ("ELF with segments nowhere", huge),
                       ("an old bzImage", bz[:0x206] + b"\1\2" + bz[0x208:])]:
        status, out, errors = w.image(image, "--kernel=" + w.path("kernel", data))
        tap.ok(status == 1 and not out and ": byte 0: neither a bzImage" in errors,
               f"{name} as a kernel: {errors}")
    head = bytearray(32768)
    head[:8] = b"LUKS\xba\xbe\0\2"
    json = b'{"keyslots":{"0":{"kdf":{"type":"argon2id","memory":131072}},' \
        b'"1":{"kdf":{"memory":99999999999999999999}},"2":{"kdf":{"memory":4096}}}}'
    head[4096:4096 + len(json)] = json
    _, out, errors = w.image(image, "--luks=" + w.path("luks", head))
    same(tap, (errors, row(out, "LUKS")[0]), ("", ["-", "-", "128.0M"]),
             "LUKS2: the keyslot that needs most")
    for name, data, want in [("LUKS1", head[:7] + b"\1" + bytes(30000), (0, "")),
                             ("no LUKS", bytes(30000), (1, "no header of LUKS"))]:
        status, out, errors = w.image(image, "--luks=" + w.path("luks", data))
        tap.ok(status == want[0] and want[1] in errors and
               not row(out, "LUKS"), f"{name}: {errors}")
    modules = open("/proc/modules", encoding="utf-8").read().split("\n")[:-1] \
        if os.path.exists("/proc/modules") else []
    report = '{"type":"head","page_bytes":4096}\n' + "".join(
        '[1.5] x {"type":"module","name":"%s","held_peak_pages":256}\n' %
        m.split()[0] for m in modules)
    _, out, errors = w.image(image, w.path("report", report.encode()))
    got = row(out, "all modules")
    same(tap, (errors, got[0][2], got[1][:12]),
             ("", f"{len(modules)}.0M", "boot report:"), "a boot report")
    status, out, errors = w.image(image, w.path("report", b"hello\n"))
    tap.ok(status == 1 and "no report in JSON" in errors, errors)


def usage(w):
    for arguments, says in [
            (["--bogus=1"], "--bogus=1: no such option of estimate"),
            (["--initrd="], "--initrd: needs a value: a path"),
            (["--initrd"], "--initrd: needs a value: a path"),
            (["a", "b"], "b: one argument too many for estimate")]:
        status, out, errors = w.run(*arguments)
        same(w.tap, (status, out, errors),
                   (2, "", f"memstrack: {says}; try --help\n"), says)
    status, _, errors = w.run("--initrd=/nowhere")
    w.tap.ok(status == 1 and errors.startswith("memstrack: /nowhere: No such file"),
             errors)


def all_of():
    tap = Tap()
    if os.geteuid():
        print("1..0 # SKIP only root reads /proc/iomem")
        return
    with tempfile.TemporaryDirectory() as folder:
        w = Work(tap, folder)
        for part in sums, nested, utils, broken, packed, others, usage:
            part(w)
    tap.done()


all_of()
