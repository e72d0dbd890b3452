# SPDX-License-Identifier: MIT
# Reads what the marks of guest.sh wrote to the console, and prints lines "NAME
# INSTRUCTIONS". One instruction takes a nanosecond; the time in which the CPU
# was idle is subtracted. "guest" is the boot by hand, from the first process on.
$3 == "idle" {
	idle = $4
	if (init)
		print "start", all = (init - first) * 1000 - idle
	init = 0
	if (name) {
		count = (stop - start) * 1000 - (idle - before)
		print name, count
		if (name ~ /^(modules|programs|files)$/)
			all += count
		if (name == "tmpfs")
			print "guest", all
	}
	name = ""
}
$2 == "Run" { first = $1 }
$3 == "init" { init = $1 }
$3 == "begin" { start = $1; before = idle }
$3 == "end" { name = $4; stop = $1 }
$2 == "EXT4-fs" { print "clock", ($1 - first) * 1000 }
$3 == "mounted" { name = "dracut"; start = first; stop = $1; before = 0 }
