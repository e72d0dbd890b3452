#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""faults.py WORK: plans the runs of faults.t, judges each of them, prints TAP.

WORK has faults_run, init and memstrack; names, with lines "NUMBER NAME" of
system calls; given/, files that every run gets; new/, another filesystem with
an init. Each run is one run of faults_run in a directory of its own, and the
files that it leaves there are judged. Every call is tried, and a call in a loop
is tried in every round; in `make quick` each fourth of them. Time is virtual (faults_run.c), so a run does not
depend on how busy the machine is. What still differs is what the kernel does in
the name of PID 1: it frees pages of others. So the tracer may ask an event that
was silent for its time, or not, and the report may have a line more.
"""
import collections
import concurrent.futures
import errno
import os
import re
import shutil
import subprocess
import sys

ERRORS = ("EPERM", "ENOMEM", "ENOSYS", "EINTR")
SIGNALS = ("kill", "stop")
EVERY = 4 if os.environ.get("QUICK") else 1	# of so many calls, one fails
AT_ONCE = 12		# most of a run is a wait for RCU
# A call that comes in a share p of all runs is planned and never comes once in
# p**5 * (1 - p)**6: 0.05 % at most.
PLANS, TRIES = 5, 6
PROMISED_MS = 1800	# READY_TIMEOUT_MS in limits.h
HEAD = re.compile(r"memstrack \S+: .*([,;] \d+ lost|; sampled$)")
END = re.compile(r"memstrack \S+: end of report, (\d+) lines")

# The C library's start asks for a thread pointer and ends the program where it
# gets none, before main(); the kernel refuses no address of user space.
OF_THE_START = ("arch_prctl", "set_thread_area", "set_tls")

# Without these calls PID 1 knows nothing of rd.memstrack.init=.
NO_TRACER_WITHOUT = ("pipe2", "fork", "clone")
UNHEARD_WITHOUT = (*NO_TRACER_WITHOUT, "clock_gettime", "clock_gettime64")

ARGS = ("one", "two  words", "", "--")
ON = "rd.memstrack.mem=1M rd.memstrack.top=2 "
LOG = ON + "rd.memstrack=1 "
FILE = ON + "rd.memstrack=2 rd.memstrack.out=/report "

Point = collections.namedtuple("Point", "who phase number nth")
Run = collections.namedtuple("Run", "scenario point what name")

work = sys.argv[1]
with open(f"{work}/names", encoding="ascii") as names:
    NAMES = {int(n): name for n, name in map(str.split, names)}


class Scenario:
    """A boot, and at which of its calls there are to be faults."""

    def __init__(self, name, cmdline, chosen, init="/init", always=None,
                 program="/memstrack"):
        self.name, self.cmdline, self.chosen = name, cmdline, chosen
        self.init, self.always = init, always
        self.argv = (program, *ARGS)
        if program == "/switch_root":
            self.argv = (program, "/new", init, *ARGS)


def of_pid_1(points):
    return [p for p in points if p.who == "p"]


def of_any(points):
    return points


def of_output(points):
    """From the first line of the report on: what came before is in the report
    to a file too."""
    return points[[(p.phase, NAMES[p.number]) for p in points].index(
        (1, "write")):]


def until_told(points):
    told = [(p.who, NAMES[p.number]) for p in points].index(("c", "write"))
    return points[:told + 1] + of_pid_1(points[told + 1:])


# `always` is a fault at a call of the child that comes on top in every run.
SCENARIOS = (
    Scenario("a report to a file", FILE, of_any),
    Scenario("a report to the log", LOG, of_output),
    Scenario("level 0", "quiet", of_any),
    Scenario("init= is given", FILE + "rd.memstrack.init=/bin/named",
             until_told, init="/bin/named"),
    Scenario("init= is absent", FILE + "rd.memstrack.init=/absent", of_pid_1),
    Scenario("the tracer is killed", FILE, of_pid_1, always=("setsid", "kill")),
    Scenario("the tracer gets no memory", FILE, of_pid_1,
             always=("mmap", "ENOMEM")),
    Scenario("switch_root", "", of_pid_1, init="/sbin/init",
             program="/switch_root"),
)


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


# --- a run -------------------------------------------------------------------

def make(name, cmdline):
    where = f"{work}/runs/{name}"
    for directory in "bin", "cwd", "dev", "new":
        os.makedirs(f"{where}/root/{directory}")
    for program in "memstrack", "switch_root":
        os.link(f"{work}/runs/memstrack", f"{where}/root/{program}")
    for init in "init", "bin/named":
        os.link(f"{work}/runs/init", f"{where}/root/{init}")
    os.symlink(f"{work}/new", f"{where}/new")
    shutil.copytree(f"{work}/given", f"{where}/given", symlinks=True)
    with open(f"{where}/given/cmdline", "w", encoding="ascii") as f:
        f.write(cmdline + "\n")
    return where


def run(where, argv, faults=""):
    done = subprocess.run([f"{work}/faults_run", where, faults, *argv],
                          stdout=subprocess.PIPE, check=False)
    if done.returncode == 77:
        print("1..0 # SKIP no notification of system calls by seccomp")
        sys.exit(0)
    return done.stdout.decode().splitlines()


class Left:
    """What a run has left in its directory."""

    def __init__(self, where, log):
        self.log = log
        state, _, rest = read(f"{where}/result").partition("--\n")
        self.state = state.splitlines()
        self.statuses = re.findall(r"^child (-?\d+)$", rest, re.M)
        self.ended = rest.endswith("end\n")
        kmsg = read(f"{where}/given/kmsg").split("\n", 1)[1]
        console = read(f"{where}/given/console")
        self.said = kmsg + console + read(f"{where}/stderr")
        self.reports = [read(f"{where}/root/report"),
                        re.sub(r"^<\d>memstrack: ", "", kmsg, flags=re.M),
                        console.replace("\r", "")]
        self.changed = [name for name in ("printk_devkmsg", "kptr_restrict")
                        if not read(f"{where}/given/{name}").startswith(
                            read(f"{work}/given/{name}"))]
        self.emptied = not os.path.exists(f"{where}/root/init")
        init = [line for line in log if line.startswith("init ")]
        self.init_ms = int(init[0].split()[1]) if init else None


def points_of(log):
    seen = collections.Counter()
    points = []
    for line in log:
        if line.startswith("call "):
            _, who, phase, number = line.split()
            seen[who, phase, number] += 1
            points.append(Point(who, int(phase), int(number),
                                seen[who, phase, number]))
    return points


def spec(point, what):
    return (f"{point.who},{point.phase},{point.number},{point.nth},"
            f"{getattr(errno, what) if what in ERRORS else what}")


# --- what is wrong with it ---------------------------------------------------

def report_in(text):
    """Is a report begun? Lines up to its end, and what its end says of them."""
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines) if HEAD.match(line)]
    ends = [i for i, line in enumerate(lines) if END.match(line)]
    if not heads or not ends:
        return bool(heads), None, None
    return True, ends[-1] - heads[0], int(END.match(lines[ends[-1]])[1])


def is_whole(begun, lines, told):
    return begun and lines is not None and lines == told


def judge_report(left, what, phase):
    """A whole report, or a word that there is none; what is not whole says so,
    by no end or another number of lines, and by the exit status."""
    status = left.statuses[-1] if left.statuses else "-9"
    whole = False
    for text in left.reports:
        begun, lines, told = report_in(text)
        whole |= is_whole(begun, lines, told)
        if lines != told and status == "0":
            yield f"exit status 0, but a report of {told} lines has {lines}"
    if what == "stop" and not whole:
        yield "no report, though the tracer was only stopped"
    if whole or left.said or (what == "kill" and phase):
        return
    if status == "0" or (what == "kill" and "-9" not in left.statuses):
        yield "no report, and nothing is said"


def judge_state(left, states):
    if left.init_ms is None:
        yield "init is not reached"
    elif left.init_ms > PROMISED_MS:
        yield f"init is reached after {left.init_ms} ms"
    if left.init_ms is not None and left.state not in states:
        yield (f"init is given {[x for x in left.state if x not in states[0]]}"
               f", not {[x for x in states[0] if x not in left.state]}")


def judge(r, left, wanted):
    s, who = r.scenario, r.point.who
    if "/switch_root" in s.argv:
        if left.init_ms is not None:
            yield from judge_state(left, [wanted[s.init]])
        elif left.emptied or not left.said:
            yield "init is not reached, in silence or with nothing left"
        return
    states = [wanted[s.init]]
    unheard = r.what in ERRORS[:3] or NAMES[r.point.number] in UNHEARD_WITHOUT
    if unheard if who == "p" else left.said:
        states.append(wanted["/init"])
    yield from judge_state(left, states)
    if "hang" in left.log or not left.ended:
        if "signals are not heard" not in left.said:
            yield "the tracer does not end"
    if who == "p" and NAMES[r.point.number] in NO_TRACER_WITHOUT:
        why = "unknown error" if r.what == "EINTR" else \
            os.strerror(getattr(errno, r.what))
        if f"no tracer: {why}: this boot is not traced" not in left.said:
            yield "why there is no tracer is not said"
    if ON in s.cmdline:
        yield from judge_report(left, r.what, r.point.phase)
    if left.changed and left.statuses[-1:] == ["0"]:
        yield f"{left.changed} is not as it was, and the exit status 0"


# --- the plan ----------------------------------------------------------------

def points_without(s, where, wanted):
    """The calls of a run without the faults that are to come, if it is well."""
    log = run(where, s.argv, s.faults)
    points, left = points_of(log), Left(where, log)
    wrong = list(judge(Run(s, Point("c", 0, 0, 0), "nothing", where), left,
                       wanted))
    if ON in s.cmdline and not s.always and not any(
            is_whole(*report_in(text)) for text in left.reports):
        wrong.append("no report")
    if left.init_ms is None:
        wrong.append("init is not reached")
    if wrong or not points:
        print(f"not ok - {s.name}, without a fault: {wrong} {left.said!r}")
        sys.exit(1)
    return points


def common_points(s, index, wanted):
    """Those of PLANS such runs."""
    points = points_without(s, make(str(index), s.cmdline), wanted)
    for again in range(1, PLANS):
        where = make(f"{index}-{again}", s.cmdline)
        others = set(points_without(s, where, wanted))
        points = [p for p in points if p in others]
    return points


def ways(who, index):
    """In which ways a call fails. With MATRIX=all in each; else a call of PID 1
    in two ways, a call of the tracer in one way and every other one by one
    signal as well, and their neighbours in the others. With FEWER (of
    tests/mutants): of the tracer's, every 20th call has a fault."""
    signals = SIGNALS if who == "c" else ()
    if os.environ.get("MATRIX") == "all":
        return ERRORS + signals
    if who == "p":
        return ERRORS[index % 2::2]
    if index % 20 and "FEWER" in os.environ:
        return ()
    at = index // len(ERRORS) % len(SIGNALS)
    return (ERRORS[index % len(ERRORS)], *SIGNALS[at:at + 1 - index % 2])


def plan(s, index, wanted):
    s.faults = ""
    if s.always:
        call, what = s.always
        points = points_of(run(make(f"{index}.whole", s.cmdline), s.argv))
        s.faults = spec(next(p for p in points if p.who == "c" and
                             NAMES[p.number] in (call, call + "2")), what)
    points = common_points(s, index, wanted)
    count = collections.Counter(p=index)
    chosen = [p for p in s.chosen(points)
              if NAMES[p.number] not in OF_THE_START]
    for i, p in enumerate(chosen[index % EVERY::EVERY]):
        for what in ways(p.who, count[p.who]):
            yield Run(s, p, what, f"{index}.{i}.{what}")
        count[p.who] += 1


def do_once(r, wanted):
    where = make(r.name, r.scenario.cmdline)
    fault = spec(r.point, r.what)
    log = run(where, r.scenario.argv, f"{r.scenario.faults} {fault}")
    left = Left(where, log)
    wrong = list(judge(r, left, wanted))
    shutil.rmtree(where)
    return r, wrong, left, "fault " + fault in log


def do(r, wanted):
    """A call that has not come is waited for in more runs. It is no more to be
    had if a run without the fault has not got it either: the files of the
    machine, which are read in pieces, have become shorter since the plan."""
    for _ in range(TRIES):
        *done, came = do_once(r, wanted)
        if came or done[1]:
            return done
    where = make(r.name, r.scenario.cmdline)
    if r.point in points_of(run(where, r.scenario.argv, r.scenario.faults)):
        done[1].append("the call has not come")
    shutil.rmtree(where)
    return done


def without_memstrack():
    """What each init is given when it is the first program."""
    wanted = {}
    for init in "/init", "/bin/named":
        where = make("direct" + init.replace("/", "."), "")
        wanted[init] = Left(where, run(where, (init, *ARGS))).state
    # In the new root: another directory, another root.
    wanted["/sbin/init"] = [
        line.replace("/init'", "/sbin/init'").replace("cwd /cwd", "cwd /")
        for line in wanted["/init"] if not line.startswith("root has")]
    wanted["/sbin/init"] += [f"root has {name}" for name in
                             sorted([".", "..", *os.listdir(f"{work}/new")])]
    return wanted


def main():
    wanted = without_memstrack()
    runs = [r for i, s in enumerate(SCENARIOS) for r in plan(s, i, wanted)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        done = list(pool.map(lambda r: do(r, wanted), runs))
    tests = collections.defaultdict(list)
    for one in done:
        r = one[0]
        tests[r.scenario.name, r.point.who, r.what].append(one)
    for count, ((name, who, what), ones) in enumerate(tests.items(), 1):
        bad = [one for one in ones if one[1]]
        print(f"{'not ' if bad else ''}ok {count} - {name}: "
              f"{what} at each of {len(ones)} calls of "
              f"{'the tracer' if who == 'c' else 'PID 1'}")
        for r, wrong, left in bad:
            print(f"# {r.name}: {NAMES[r.point.number]}, number {r.point.nth}"
                  f" of phase {r.point.phase}: {wrong},"
                  f" status {left.statuses}, said {left.said[:160]!r}")
    print(f"1..{len(tests)}")
    print(f"# {len(done)} faults, the slowest init came after "
          f"{max(one[2].init_ms or 0 for one in done)} ms of virtual time")


if __name__ == "__main__":
    main()
