# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The machines that we build for and boot in tests, named as Debian does: some
# with another kernel too (ARCH-KERNEL).
# machine NAME sets, or says that there is none:
#
# arch          Debian's name of the architecture
# triplet       the GNU name
# kernel_arch   the name in the kernel's own build
# flavour       Debian's kernel
# suite         its first release; '' if the usual one has it
# package       Debian's, of QEMU
# emulator      QEMU's name and options; its own device trees and firmware are used
# console_name  the guest's console
# mib           memory: what the kernel needs, and what many such machines have
# shellcheck disable=SC2034 # for those who ask
machine() {
	arch=${1%%-*} suite='' mib=256
	case $1 in
	arm64)
		triplet=aarch64-linux-gnu kernel_arch=arm64 flavour=cloud-arm64
		package=qemu-system-arm console_name=ttyAMA0
		emulator='aarch64 -M virt -cpu cortex-a57'
		;;
	arm64-16k)
		machine arm64
		# Pages of 16 KiB; not every processor has them.
		flavour=arm64-16k suite=trixie mib=512
		emulator='aarch64 -M virt -cpu neoverse-n1'
		;;
	armhf)
		triplet=arm-linux-gnueabihf kernel_arch=arm flavour=armmp
		package=qemu-system-arm console_name=ttyAMA0
		emulator='arm -M virt -cpu cortex-a15'
		;;
	i386)
		triplet=i686-linux-gnu kernel_arch=i386 flavour=686-pae
		package=qemu-system-x86 console_name=ttyS0
		emulator='i386 -M pc'
		;;
	ppc64el)
		triplet=powerpc64le-linux-gnu kernel_arch=powerpc
		flavour=powerpc64le mib=512
		package=qemu-system-ppc console_name=hvc0
		emulator='ppc64 -M pseries'
		;;
	riscv64)
		triplet=riscv64-linux-gnu kernel_arch=riscv flavour=riscv64
		suite=sid
		package=qemu-system-misc console_name=ttyS0
		emulator='riscv64 -M virt'
		;;
	s390x)
		triplet=s390x-linux-gnu kernel_arch=s390 flavour=s390x
		package=qemu-system-misc console_name=ttysclp0
		emulator='s390x -M s390-ccw-virtio'
		;;
	*)
		echo "not a machine that is known here: $1 (arm64 armhf i386" \
			"ppc64el riscv64 s390x; in tests, arm64-16k)" >&2
		return 1
		;;
	esac
}
