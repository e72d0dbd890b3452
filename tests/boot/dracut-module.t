#!/bin/sh
# SPDX-License-Identifier: MIT
# Our dracut module in an image with systemd, booted without rdinit= and with a
# shell in the middle of the boot. (Its hook without rd.memstrack: hooks.t;
# images with rdinit=: any-image.t.)
# MATRIX=all: with rdinit=; images with and without systemd, hostonly and not,
# made by two versions of dracut; without rd.memstrack; kept in the real root;
# and without one.
. "$(dirname "$0")/dracut.sh"

facts_of_root

# The root password is locked: since dracut 110 a shell must be asked for so.
force=SYSTEMD_SULOGIN_FORCE=1
from='rd.memstrack=1 rd.memstrack.top=500'

# boots "what it is" IMAGE: with rdinit, in check-all, and without.
boots() {
	[ "${MATRIX-}" != all ] || {
		run_as=rdinit=/memstrack
		boots_traced "$1, rdinit" "$2" "$from"
		ok "$1, rdinit: no task but PID 1 ran before" first_of_all
	}
	run_as=
	boots_traced "$1, no rdinit" "$2" "$from rd.break=pre-mount $force" \
		exit
	shell_works "$1, rd.break"
	ok "$1, no rdinit: no task but PID 1 ran before" first_of_all
	ok "$1, rd.break: and tracing went on" [ "$(reports request)" = 1 ]
}

# What systemd says on the console of its unit, in the boot without rdinit.
unit_stays() {
	seen 'Started .*Memory tracer' && unseen 'Stopp.*Memory tracer'
}

# nothing "what it is" IMAGE "parameters"
nothing() {
	run_as=
	boot_module "$2" "$3"
	ok "$1: the real root is reached" fact 'root=/dev/vda / ext4 ro.*'
	ok "$1: no tracer, no word" [ "$(grep -c memstrack "$facts")" = 0 ]
}

# no_root "what it is" IMAGE: the boot ends in the emergency shell.
no_root() {
	run_as=
	boot_module "$2" "$from root=/dev/vdz rd.shell rd.retry=1 \
		rd.timeout=5 $force" 'echo o >/proc/sysrq-trigger'
	shell_works "$1, no root"
	ok "$1, no root: a report on it" seen 'memstrack: .* end of report, '
}

# kept "what it is" IMAGE: traced on in the real root.
kept() {
	run_as=
	boot_module "$2" "$from rd.memstrack.keep=1"
	ok "$1, keep: one report at the switch" [ "$(reports switch-root)" = 1 ]
	ok "$1, keep: the tracer is left in peace" fact kept=1
	ok "$1, keep: until it is told to go" [ "$(reports SIGTERM)" = 1 ]
}

hostonly='--hostonly --no-hostonly-cmdline --add-drivers virtio_pci
	--add-drivers virtio_blk'

[ "${MATRIX-}" != all ] || hosts=--no-hostonly
# shellcheck disable=SC2086 # words
systemd=$(module_image module-059 bookworm ${hosts-$hostonly})
boots "dracut 059, systemd" "$systemd"
ok "dracut 059, systemd, no rdinit: the unit is never stopped" unit_stays
# Beside dracut's own module, which takes the program too.
held=" $(in_image "$systemd" bookworm)"
for file in memstrack usr/bin/memstrack \
	usr/lib/systemd/system/memstrack-boot.service \
	etc/systemd/system/sysinit.target.wants/memstrack-boot.service; do
	ok "dracut 059: the image has $file" \
		test "$held" != "${held#* "$file" }"
done
[ "${MATRIX-}" = all ] || finish

nothing "dracut 059, systemd, no rd.memstrack" "$systemd" ''
kept "dracut 059, systemd" "$systemd"
no_root "dracut 059, systemd" "$systemd"

systemd=$(module_image module-112 sid --no-hostonly)
boots "dracut 112, systemd" "$systemd"
ok "dracut 112, systemd, no rdinit: the unit is never stopped" unit_stays
kept "dracut 112, systemd" "$systemd"
no_root "dracut 112, systemd" "$systemd"
# shellcheck disable=SC2086 # words
shell=$(module_image module-059-sh bookworm --omit systemd $hostonly)
boots "dracut 059, no systemd, hostonly" "$shell"
is "dracut 059, no systemd: the program, a link, a hook, no helpers" \
	"$(in_image "$shell" bookworm)" "memstrack usr/bin/memstrack \
usr/lib/dracut/hooks/cmdline/00-memstrack-boot.sh "
nothing "dracut 059, no systemd, rd.memstrack=0" "$shell" rd.memstrack=0
kept "dracut 059, no systemd" "$shell"
no_root "dracut 059, no systemd" "$shell"
# shellcheck disable=SC2086
image=$(module_image module-112-sh sid --omit systemd $hostonly)
boots "dracut 112, no systemd, hostonly" "$image"
finish
