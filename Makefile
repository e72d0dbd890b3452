# SPDX-License-Identifier: MIT
# memstrack: `make help` lists what can be made.
#
# Everything made lies under $(BUILD). A target first installs the packages that
# it needs and the machine lacks, quietly (tests/need).

ifdef ARCH
# Debian's cross compiler with that machine's musl, under build/cross/.
CROSS := $(shell initramfs/cross $(ARCH))
$(if $(CROSS),,$(error cannot build for $(ARCH)))
CC = $(CROSS)/cc
STRIP = $(CROSS)/strip
else
CC = musl-gcc
STRIP = strip
endif
BUILD = build$(ARCH:%=/%)
DESTDIR =
PREFIX = /usr/local
SECONDS = 60

# The compiler behind musl-gcc, which may not be installed yet when this is read.
BEHIND = $(patsubst musl-gcc,gcc,$(CC))

# The largest sizes of the binaries, for each machine: for a host, for an image,
# and without any feature.
MACHINE := $(firstword $(subst -, ,$(shell \
	$(BEHIND) -dumpmachine 2>/dev/null)))
LIMITS_x86_64 = 343232 231360 166208
LIMITS = $(or $(LIMITS_$(MACHINE)),393216 294912 262144)

# What a binary can have: words for base/base.h, features. FEATURES are of a
# tracer; APPLETS are tools and formats for a host. build/memstrack has both;
# build/boot/memstrack, for an image, has the features alone.
ALL_FEATURES = tracefs samples before slab ram json sections record live
ALL_APPLETS = replay kmemtrace top run diff view estimate folded prometheus svg chrome
FEATURES = $(ALL_FEATURES)
APPLETS = $(ALL_APPLETS)
ALWAYS = boot mark report switch_root trace
UNKNOWN = $(filter-out $(ALWAYS) $(ALL_FEATURES) $(ALL_APPLETS),\
	$(FEATURES) $(APPLETS))
$(if $(strip $(UNKNOWN)),$(error no such word: $(UNKNOWN)))
# The words of the binary in a directory: $(BUILD), $(BUILD)/boot; or
# $(BUILD)/words/slab+json, which has these two words; none: no word.
words_of = $(filter-out $(ALWAYS) none,$(if $(filter $(BUILD)/words/%,$1),\
	$(subst +, ,$(notdir $1)),$(filter-out \
	$(if $(filter $(BUILD)/boot,$1),$(ALL_APPLETS)),$(FEATURES) $(APPLETS))))

WARN = -Wall -Wextra -Wconversion -Wshadow -Wvla -Werror
# The linker optimises all files as one unit, not in parts (300 bytes less), and
# drops code that is not reached. Tables to jump by, and data that begin at a
# cache line, take 1.2 KiB. Functions that are called once take 1.5 KiB more if
# they become a part of their caller.
OPTIMIZE = -Os
SMALL = $(OPTIMIZE) -flto -flto-partition=none -fno-fat-lto-objects \
	-ffunction-sections -fdata-sections -fno-jump-tables \
	-fno-inline-functions-called-once \
	$(if $(filter x86_64 i%86,$(MACHINE)),-malign-data=abi)
# Each event passes through these. All other code is made still smaller, if the
# compiler can (GCC 12), which saves 3 KiB.
HOT = source/perf/drain.o source/ftrace/drain.o \
	$(addprefix ledger/, apply.o charge.o owners.o page% stacks.o)
SMALLEST := $(shell $(BEHIND) -Oz -E -x c /dev/null >/dev/null 2>&1 && echo -Oz)
# A header is included by its path in applet/, from every file.
CFLAGS = -std=gnu11 -D_GNU_SOURCE= -iquote applet $(SMALL) $(WARN) -fno-pie \
	-fno-asynchronous-unwind-tables
# noseparate-code saves 8 KiB: the padding to whole pages between text and
# constants. norelro saves 1.6 KiB: the padding before data that the start-up
# code makes read-only; with the small page 0.4 KiB of the same kind. Sorted by
# alignment, constants have less padding between them: 0.1 KiB.
LDFLAGS = -static -no-pie -Wl,--gc-sections -Wl,-z,noseparate-code \
	-Wl,-z,norelro -Wl,-z,common-page-size=64 -Wl,--sort-section=alignment
# Not relocated: a program of the sanitizers starts in half the time.
CHECKED = -std=gnu11 -D_GNU_SOURCE= -iquote applet -g1 -O0 $(WARN) \
	-fno-omit-frame-pointer -fno-pie -fno-sanitize-recover=all -DMEMSTRACK_CHECK
SANITIZE = address,undefined

# Nothing may allocate: each reference to one of these becomes a reference to
# __wrap_NAME, which does not exist, so the linker names the function that uses
# it.
ALLOCATORS = malloc calloc realloc free aligned_alloc memalign \
	posix_memalign __libc_malloc __libc_calloc __libc_realloc __libc_free \
	__libc_malloc_impl __simple_malloc
NO_MALLOC = $(ALLOCATORS:%=-Wl,--wrap=%)

SRC := $(sort $(shell find applet -name '*.c'))
LIB := $(filter-out applet/main.c,$(SRC))
UNIT := $(notdir $(basename $(wildcard tests/unit/*.c)))
# musl-gcc lacks the kernel's headers; a cross compiler has its own.
ifeq ($(CC),musl-gcc)
HEADERS = $(BUILD)/kernel-headers
endif
# glibc works too, but the binary is larger.
ifneq ($(shell $(CC) -E -dM -include features.h -x c /dev/null 2>/dev/null | \
	grep __GLIBC__),)
SMALL = -Os
LDFLAGS = -static -no-pie -Wl,--gc-sections
NO_MALLOC =
endif
FUZZ := $(notdir $(basename $(wildcard tests/fuzz/*.c)))
# Its two mains: with the native objects, and with libFuzzer.
FUZZ_REPLAY = $(FUZZ:%=$(NATIVE)/fuzz/%.o)
FUZZ_SEARCH = $(FUZZ:%=$(FUZZED)/fuzz/%.o)
# Three builds of the applet's objects, each with its test programs.
MUSL = $(BUILD)
NATIVE = $(BUILD)/native
FUZZED = $(BUILD)/fuzz
# clang warns of fields that are left out behind one that is named.
CLANG = clang $(CHECKED) -Wno-missing-field-initializers

# The environment of the shell tests.
TEST_ENV = BUILD=$(abspath $(BUILD)) \
	MEMSTRACK=$(abspath $(BUILD)/memstrack) \
	BOOT=$(abspath $(BUILD)/boot/memstrack) \
	NATIVE=$(abspath $(NATIVE)/memstrack)

# V=1 shows the commands.
Q = $(if $(V),,@)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help size fits native unit overlay demo quick check rules bench fuzz soak \
	install dracut-module-install initramfs-tools-install mkinitcpio-install \
	completion dist deb rpm pkgbuild clean distclean need-check FORCE

all: $(BUILD)/memstrack $(BUILD)/boot/memstrack ## for a host; boot/: for an image (default)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | \
		while IFS='	' read -r name text; do \
		printf 'make %-23s %s\n' "$$name" "$$text"; done
	@echo 'BUILD=DIR: not in build/.  V=1: show commands.'
	@echo 'ARCH=arm64 (armhf i386 ppc64el riscv64 s390x): all, size, install,'
	@echo '	overlay for that machine, in build/ARCH.'
	@echo 'SUITE=trixie: demo and boot tests on that kernel.'
	@echo 'FEATURES="$(ALL_FEATURES)":'
	@echo '	what both binaries have, or fewer of these; FEATURES=: none.'
	@echo 'APPLETS="$(ALL_APPLETS)":'
	@echo '	what build/memstrack has besides, or fewer of these.'
	@echo 'LEVEL=3: the whole report of the demo.  SLAB=1: with the objects of slab.'

SIZE = BUILD=$(BUILD) MAKE="$(MAKE)" MACHINE=$(MACHINE) LIMITS="$(LIMITS)" \
	FEATURES="$(FEATURES)" APPLETS="$(APPLETS)" tests/size

size: all $(BUILD)/words/none/memstrack ## sizes, and what each word costs; BASE=COMMIT: by function
	@$(SIZE) $(or $(BASE:%=changes %),costs)

fits: all $(BUILD)/words/none/memstrack
	@$(SIZE) fits

native: $(NATIVE)/memstrack ## the same with glibc and sanitizers

overlay: $(BUILD)/memstrack.cpio ## cpio to put in front of any initramfs

demo: need-demo all need-boot ## boot a real kernel with it in QEMU
	@BUILD=$(BUILD) initramfs/demo

install: all completion ## both binaries, man pages, completion (dracut: PREFIX=/usr)
	install -D -m 0755 $(BUILD)/memstrack $(DESTDIR)$(PREFIX)/bin/memstrack
	install -D -m 0755 $(BUILD)/boot/memstrack \
		$(DESTDIR)$(PREFIX)/lib/memstrack/memstrack
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man8 applet/*.8
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man7 applet/*.7
	install -D -m 0644 $(BUILD)/completion/bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/memstrack
	install -D -m 0644 $(BUILD)/completion/zsh \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_memstrack
	install -D -m 0644 $(BUILD)/completion/fish \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/memstrack.fish

DRACUT_MODULE = $(DESTDIR)$(PREFIX)/lib/dracut/modules.d/50memstrack-boot

dracut-module-install: ## module for dracut and its page (PREFIX=/usr)
	install -d $(DRACUT_MODULE)
	install -m 0755 dracut-module/*.sh $(DRACUT_MODULE)
	install -m 0644 dracut-module/memstrack-boot.service $(DRACUT_MODULE)
	install -D -m 0644 dracut-module/memstrack-dracut.7 \
		$(DESTDIR)$(PREFIX)/share/man/man7/memstrack-dracut.7

initramfs-tools-install: ## hook and script for initramfs-tools (PREFIX=/usr)
	cd initramfs/initramfs-tools && find . -type f -exec install -D -m 0755 \
		{} $(abspath $(DESTDIR))$(PREFIX)/share/initramfs-tools/{} \;
	for directory in local-top local-premount local-bottom init-bottom; do \
		install -D -m 0755 -t $(DESTDIR)$(PREFIX)/share/initramfs-tools/scripts/$$directory \
			initramfs/initramfs-tools/scripts/init-premount/00memstrack; \
	done

mkinitcpio-install: ## hook for mkinitcpio (PREFIX=/usr)
	install -D -m 0644 initramfs/mkinitcpio/hooks/memstrack \
		$(DESTDIR)$(PREFIX)/lib/initcpio/hooks/memstrack
	install -D -m 0644 initramfs/mkinitcpio/install/memstrack \
		$(DESTDIR)$(PREFIX)/lib/initcpio/install/memstrack

SHELLS = bash zsh fish
completion: $(SHELLS:%=$(BUILD)/completion/%) ## for bash, zsh and fish

dist: ## the source, build/packages/memstrack-VERSION.tar.gz
	@initramfs/packages/dist $(BUILD)/packages

deb: ## Debian's package, in build/packages/
	$(if $(ARCH),$(error deb is for this machine))
	@initramfs/packages/deb $(BUILD)/packages

rpm: ## the RPM, in build/packages/
	$(if $(ARCH),$(error rpm is for this machine))
	@initramfs/packages/rpm $(BUILD)/packages

pkgbuild: ## what Arch's makepkg needs, in build/packages/
	@initramfs/packages/pkgbuild $(BUILD)/packages

# --- objects and links ---------------------------------------------------

# musl's own headers lack the kernel's; only those are added.
$(BUILD)/kernel-headers:
	@tests/need musl-tools linux-libc-dev
	@mkdir -p $@.new
	@arch=$$(gcc -print-multiarch); for d in linux asm asm-generic; do \
		from=/usr/include/$$d; \
		test -d $$from || from=/usr/include/$$arch/$$d; \
		ln -sfn $$from $@.new/$$d; done
	@mv $@.new $@

$(filter-out $(HOT:%=$(MUSL)/applet/%),$(SRC:%.c=$(MUSL)/%.o)): \
	OPTIMIZE := $(or $(SMALLEST),-Os)
$(MUSL)/applet/%.o: applet/%.c Makefile | $(HEADERS)
	@mkdir -p $(@D)
	@echo "  CC   $@"
	$(Q)$(CC) $(CFLAGS) $(HEADERS:%=-idirafter %) -MMD -MP -c -o $@ $<

$(NATIVE)/applet/%.o: applet/%.c Makefile
	@mkdir -p $(@D)
	@echo "  CC   $@"
	$(Q)gcc $(CHECKED) -fsanitize=$(SANITIZE) -MMD -MP -c -o $@ $<

$(FUZZED)/applet/%.o: applet/%.c Makefile | need-fuzz
	@mkdir -p $(@D)
	@echo "  CC   $@"
	$(Q)$(CLANG) -fsanitize=fuzzer-no-link,$(SANITIZE) -MMD -MP \
		-c -o $@ $<

# These two are compiled for each binary.
%/main.o %/features.o: OPTIMIZE := $(or $(SMALLEST),-Os)
%/main.o: applet/main.c Makefile %/with | $(HEADERS)
	@echo "  CC   $@"
	$(Q)$(CC) $(CFLAGS) -DWITH="$$(cat $*/with)" \
		$(HEADERS:%=-idirafter %) -MMD -MP -c -o $@ $<
%/features.o: applet/base/features.c Makefile %/with | $(HEADERS)
	@echo "  CC   $@"
	$(Q)$(CC) $(CFLAGS) -DWITH="$$(cat $*/with)" \
		$(HEADERS:%=-idirafter %) -MMD -MP -c -o $@ $<

%/memstrack: %/memstrack.unstripped
	$(Q)$(STRIP) -s -R .comment -R .note.gnu.property \
		-R .eh_frame -o $@ $<

# The list of objects is a file, so that a removed source causes a link too.
SHARED = $(filter-out %/main.o %/features.o,$(SRC:%.c=$(MUSL)/%.o))
%/memstrack.unstripped: %/main.o %/features.o $(SHARED) $(BUILD)/sources
	@echo "  LINK $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(NO_MALLOC) -o $@ \
		$(filter %.o,$^)

$(NATIVE)/memstrack: $(SRC:%.c=$(NATIVE)/%.o) $(BUILD)/sources
	@echo "  LINK $@"
	$(Q)gcc -no-pie -fsanitize=$(SANITIZE) -o $@ $(filter %.o,$^)

$(BUILD)/sources: FORCE
	@mkdir -p $(@D)
	@echo '$(SRC)' | cmp -s - $@ || echo '$(SRC)' >$@

%/with: FORCE
	@mkdir -p $(@D)
	@echo '(0$(patsubst %,|feature_%,$(call words_of,$*)))' | \
		tr a-z A-Z >$@.new
	@cmp -s $@.new $@ || cp $@.new $@

$(BUILD)/memstrack.cpio: $(BUILD)/boot/memstrack initramfs/overlay \
		initramfs/newc.sh
	@echo "  CPIO $@ $@.gz"
	$(Q)initramfs/overlay $< $@

# The texts of --help, printed by the machine that builds, whichever machine the
# binary is for. The applets themselves, which it never calls, are not linked.
HOSTCC = gcc
$(BUILD)/completion/help: initramfs/packages/help.c applet/main.c \
		$(wildcard applet/config/*.[ch]) $(BUILD)/with Makefile
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=gnu11 -D_GNU_SOURCE= -iquote applet -w \
		-DWITH="$$(cat $(BUILD)/with)" \
		-no-pie -Wl,--unresolved-symbols=ignore-all -o $@ \
		initramfs/packages/help.c $(wildcard applet/config/*.c applet/base/*.c)

$(SHELLS:%=$(BUILD)/completion/%): $(BUILD)/completion/%: \
		$(BUILD)/completion/help initramfs/packages/completion
	@echo "  GEN  $@"
	$(Q){ $<; for applet in $$($< applets); do echo "== $$applet"; \
		$< $$applet; done; } | initramfs/packages/completion $* >$@

# --- test programs -------------------------------------------------------

# All objects but main.o, so that a program links only those that it uses.
$(MUSL)/applet.a: $(LIB:%.c=$(MUSL)/%.o) $(BUILD)/sources
$(NATIVE)/applet.a: $(LIB:%.c=$(NATIVE)/%.o) $(BUILD)/sources
$(FUZZED)/applet.a: $(LIB:%.c=$(FUZZED)/%.o) $(BUILD)/sources
%/applet.a:
	@echo "  AR   $@"
	$(Q)rm -f $@ && ar rcsPT $@ $(filter %.o,$^)

$(MUSL)/unit/%: tests/unit/%.c $(MUSL)/applet.a Makefile
	@mkdir -p $(@D)
	@echo "  LINK $@"
	$(Q)$(CC) $(CFLAGS) \
		$(HEADERS:%=-idirafter %) -MMD -MP -MF $@.d \
		$(LDFLAGS) -o $@ $< $(filter %.a,$^)

$(NATIVE)/unit/%: tests/unit/%.c $(NATIVE)/applet.a Makefile
	@mkdir -p $(@D)
	@echo "  LINK $@"
	$(Q)gcc $(CHECKED) -no-pie -fsanitize=$(SANITIZE) -MMD -MP -MF $@.d \
		-o $@ $< $(filter %.o,$^) $(filter %.a,$^)

# ledger/ with a call at each basic block, which bounded.c counts.
$(NATIVE)/counted/%.o: applet/%.c Makefile
	@mkdir -p $(@D)
	@echo "  CC   $@"
	$(Q)gcc $(CHECKED) -fsanitize-coverage=trace-pc -MMD -MP -c -o $@ $<
COUNTED = $(patsubst applet/%.c,$(NATIVE)/counted/%.o, \
	$(filter applet/ledger/%,$(SRC)))
$(NATIVE)/unit/bounded: $(COUNTED)

# With system headers: some targets include sources of the applet as such.
$(NATIVE)/fuzz/%.o: tests/fuzz/%.c Makefile
	@mkdir -p $(@D)
	@echo "  CC   $@"
	$(Q)gcc $(CHECKED) -fsanitize=$(SANITIZE) -MD -MP -c -o $@ $<

$(FUZZED)/fuzz/%.o: tests/fuzz/%.c Makefile | need-fuzz
	@mkdir -p $(@D)
	@echo "  CC   $@"
	$(Q)$(CLANG) -fsanitize=fuzzer-no-link,$(SANITIZE) -MD -MP \
		-c -o $@ $<

$(NATIVE)/fuzz/replay: $(filter-out %/search.o,$(FUZZ_REPLAY)) $(NATIVE)/applet.a
	@echo "  LINK $@"
	$(Q)gcc -no-pie -fsanitize=$(SANITIZE) -o $@ $^

$(FUZZED)/fuzz/search: $(filter-out %/replay.o,$(FUZZ_SEARCH)) \
		$(FUZZED)/applet.a
	@echo "  LINK $@"
	$(Q)clang -no-pie -fsanitize=fuzzer,$(SANITIZE) -o $@ $^

# Those whose code calls more of the C library than copies and comparisons run
# with musl too.
UNIT_MUSL = base control ftrace ftrace_open given guard perf_decode \
	proc sink source system tmpfs triggers
UNIT_PROGRAMS = $(UNIT:%=$(NATIVE)/unit/%) $(UNIT_MUSL:%=$(MUSL)/unit/%)

unit: $(UNIT_PROGRAMS) ## unit tests, sanitized, and with musl
	prove $^

# --- checks --------------------------------------------------------------

# tests/check has the order of the files and what it prints. All of these build
# first what can be built; a hang is a failure with a name.
FILE_SECONDS = 1800
CHECK = $(TEST_ENV) FILE_SECONDS=$(FILE_SECONDS) \
	UNITS="$(UNIT_PROGRAMS)" tests/check
TESTS =

quick: need-check ## the part of check for each commit, in 3 minutes
	@$(CHECK) quick

check: need-check ## all tests, or those of TESTS=FILES
	@$(CHECK) whole $(TESTS)

check-all: FILE_SECONDS = 7200
check-all: need-check $(FUZZED)/fuzz/search ## the same in every image, compression and machine there is
	@status=0; FUZZ_SECONDS=60 $(CHECK) all $(TESTS) || status=1; \
		$(TEST_ENV) MATRIX=all tests/matrix || status=1; exit $$status

# What the tests of `quick` need, and what all do. need-check comes before, because
# what it installs must not be installed by two at a time.
.PHONY: need-quick need-whole need-all
need-quick: need-boot all native $(UNIT_PROGRAMS) $(NATIVE)/fuzz/replay
need-whole need-all: need-quick need-images need-owner

# The corpora are replayed; then a search follows.
fuzz: $(NATIVE)/fuzz/replay $(FUZZED)/fuzz/search ## fuzz every parser for SECONDS=60 each
	FUZZ_SECONDS=$(SECONDS) $(TEST_ENV) prove -v tests/fuzz/run.t

rules: $(BUILD)/memstrack | need-check ## shellcheck, layers, size, no malloc
	$(TEST_ENV) prove tests/house

matrix: $(BUILD)/memstrack native need-boot ## kernel by machine by source: a table
	$(TEST_ENV) tests/matrix

soak: SECONDS = 3600
soak: $(BUILD)/memstrack | need-check ## churn with all tables full, for SECONDS=3600
	SOAK_SECONDS=$(SECONDS) $(TEST_ENV) prove --timer tests/live/soak.t

bench: $(BUILD)/memstrack need-boot ## what it costs, measured
	$(TEST_ENV) tests/bench/run.sh

.PHONY: check-all matrix need-boot need-demo need-fuzz need-images need-owner
need-check:
	@tests/need shellcheck python3 perl musl-tools \
		qemu-system-x86 busybox-static klibc-utils cpio kmod e2fsprogs \
		squashfs-tools xz-utils zstd lz4 strace tmux python3-pyte
need-fuzz:
	@tests/need clang libclang-rt-dev
need-demo:	# all at once, for a user who must ask for them
	@tests/need musl-tools linux-libc-dev kmod qemu-system-x86 busybox-static \
		cpio e2fsprogs squashfs-tools xz-utils zstd
need-boot:
	@initramfs/kernel $(SUITE) >/dev/null
need-owner:
	@tests/images/kernel owner >/dev/null
need-images:
	@for suite in bookworm $${MATRIX:+sid}; do tests/images/root $$suite >/dev/null || \
		exit 1; done

clean: ## remove what was built; downloads stay
	test ! -d $(BUILD) || find $(BUILD) -mindepth 1 -maxdepth 1 \
		! -name kernel ! -name modules ! -name images \
		-exec rm -rf {} +

distclean: ## remove all of build/
	rm -rf $(BUILD)

-include $(BUILD)/main.d $(BUILD)/boot/main.d $(wildcard $(BUILD)/words/*/main.d)
-include $(SRC:%.c=$(MUSL)/%.d) $(SRC:%.c=$(NATIVE)/%.d)
-include $(SRC:%.c=$(FUZZED)/%.d) $(UNIT_PROGRAMS:%=%.d)
-include $(FUZZ_REPLAY:.o=.d) $(FUZZ_SEARCH:.o=.d) $(COUNTED:.o=.d)
