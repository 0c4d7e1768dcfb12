# voussoir: `make demo` and `make check` are all a newcomer needs; `make help` lists the rest.
#
# One file, no recursion. The same sources are built into several folders: build (as users run it), build-asan
# (address and undefined-behaviour sanitizers), build-fuzz (clang's fuzzer), build-plain (for any x86-64 and
# valgrind) and build-tsan (clang's thread sanitizer).
# Settings of your own machine (CC, OPT, PREFIX, library paths) go into config.mk.

-include config.mk

VERSION    := 0.1.0
ifeq ($(origin CC),default)
CC         := gcc
endif
PREFIX     ?= /usr/local
DESTDIR    ?=
PYTHON     ?= /usr/bin/python3
PKG_CONFIG ?= pkg-config
MARCH      ?= -march=native
OPT        ?= -O2 -g $(MARCH) -ffp-contract=fast -fno-math-errno
OPENMP     ?= -fopenmp
CI         ?=
FUZZ_SECONDS ?= 120# for each fuzzer of check-long

# Jobs: all processors unless -j was given. Lines of parallel jobs are not mixed.
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
MAKEFLAGS += --output-sync=target --no-builtin-rules
Q := $(if $(V),,@)
# Prefix of long commands: '+' lets their lines through as they come, and a progress line see the
# terminal. With -n they are printed like the others.
LIVE := $(if $(findstring n,$(firstword -$(MAKEFLAGS))),,+@)

# ---- flags -------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wdouble-promotion \
        -Wundef -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Wcast-qual
WERROR := $(if $(CI),-Werror)

PKG_CFLAGS   = $(shell $(PKG_CONFIG) --cflags libxml-2.0 hdf5 2>/dev/null)
PKG_LIBS     = $(shell $(PKG_CONFIG) --libs libxml-2.0 hdf5 2>/dev/null)
ALL_CPPFLAGS = -Isrc -DVOUSSOIR_VERSION='"$(VERSION)"' $(if $(VALIDATE),-DVALIDATE) \
               $(subst -I,-isystem ,$(PKG_CFLAGS)) $(CPPFLAGS)
ALL_CFLAGS   = -std=c11 $(OPT) $(SANITIZE) $(OPENMP) $(WARN) $(WERROR) $(CFLAGS)
ALL_LDFLAGS  = $(SANITIZE) $(OPENMP) $(LDFLAGS)
ALL_LDLIBS   = -lcholmod -lumfpack -lsuitesparseconfig -lmetis -lopenblas $(PKG_LIBS) -lmuparser -lqhull_r -lm $(LDLIBS)

build-asan/%: OPT := -O1 -g $(MARCH) -ffp-contract=fast -fno-math-errno -fno-omit-frame-pointer
build-asan/%: SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
build-asan/%: CPPFLAGS += -DVALIDATE
build-asan/%: WERROR := # gcc warns of more than there is when it instruments
build-fuzz/%: CC := clang
build-fuzz/%: CPPFLAGS += -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
build-fuzz/%: OPT := -O1 -g -fno-omit-frame-pointer
build-fuzz/%: SANITIZE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

build-plain/%: MARCH := -march=x86-64
build-plain/%: CPPFLAGS += -DVALIDATE
build-tsan/%: CC := clang
build-tsan/%: OPT := -O1 -g $(MARCH) -Wno-pass-failed
build-tsan/%: SANITIZE := -fsanitize=thread

# Of the sources, for summaries and checkpoints.
COMMIT := $(shell git describe --always --abbrev=12 --dirty=+changes --exclude='*' 2>/dev/null || echo unknown)

# ---- sources -----------------------------------------------------------------------------------

LIB_SRC     := $(filter-out src/app/main.c,$(sort $(wildcard src/*/*.c)))
SUPPORT_SRC := $(sort $(wildcard tests/support/*.c))
UNIT_SRC    := $(sort $(wildcard tests/unit/*/*.c))
VERIFY_SRC  := $(sort $(wildcard tests/verify/*.c))
BENCH_SRC   := $(sort $(wildcard tests/bench/*.c))
FUZZ_SRC    := $(sort $(wildcard tests/fault/fuzz_*.c))
ALL_SRC     := src/app/main.c $(LIB_SRC) $(SUPPORT_SRC) $(UNIT_SRC) $(VERIFY_SRC) $(BENCH_SRC) $(FUZZ_SRC)

PROGRAMS    := voussoir libvoussoir.a
TESTS       := unit $(if $(VERIFY_SRC),verify)
FUZZERS     := $(FUZZ_SRC:tests/fault/%.c=build-fuzz/%)

# Packages are installed first where a goal promises it; everything compiled waits for that.
INSTALL_FIRST := $(if $(filter check check-long asan,$(MAKECMDGOALS)),deps,$(if \
                   $(filter demo,$(MAKECMDGOALS)),deps-build))

# ---- what to make ------------------------------------------------------------------------------

.PHONY: all demo check check-quick check-long asan plain memcheck races unit verify cases fault bench install uninstall deps \
        deps-build format format-check layers refs sizes unmirrored lint docs rebase-refs clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAMS:%=build/%)

help:
	@sed -n 's/^#: //p' Makefile

#: make               build/voussoir and build/libvoussoir.a (V=1 shows the commands)
#: make demo          install what is missing, build, run the dry-stone wall, draw it
#: make check         install what is missing, build, run all tests (under 5 minutes)
#: make check-quick   what takes less than a minute: style, docs, unit tests
#: CI=1 make check    the same as check with warnings as errors and under the sanitizers (15 minutes)
#: make check-long    long cases, and each fuzzer for FUZZ_SECONDS=120
#: make plain         the cases as built for any x86-64, without the instructions of this processor
#: make memcheck      valgrind over short runs; make races: data races on two threads (minutes each)
#: make asan          all tests under the address and undefined-behaviour sanitizers
#: make bench         benchmark tables; writes build/bench.csv
#: make install       to PREFIX=/usr/local, below DESTDIR=; make uninstall takes it back
#: make deps          install the packages that building and testing need (Debian, Ubuntu)
#: make format        rewrite the sources with clang-format 14
#: make docs          write docs/reference.md and src/input/voussoir.xsd from the tables of the program
#: make rebase-refs   new references of the cases; wants REASON="..."; CASES="name ..." for some only
#: make clean         remove what was built
#: Parts of check: format-check layers refs sizes unit verify cases fault; lint (warnings of clang)
#: Reports: sizes (longest functions and files), unmirrored (sources without a unit test)

# $(1): folder of the build
define BUILD_RULES
$(1)/%.o: %.c $(1)/flags
	@mkdir -p $$(@D)
	@echo "  CC    $$@"
	$(Q)$$(CC) $$(ALL_CPPFLAGS) $$(ALL_CFLAGS) -MMD -MP -c -o $$@ $$<

# The one object that knows the commit, so that a commit compiles nothing else again.
$(1)/src/output/program.o: src/output/program.c $(1)/flags $(1)/commit.h
	@mkdir -p $$(@D)
	@echo "  CC    $$@"
	$(Q)$$(CC) $$(ALL_CPPFLAGS) -include $(1)/commit.h $$(ALL_CFLAGS) -MMD -MP -c -o $$@ $$<

$(1)/commit.h: FORCE
	@mkdir -p $$(@D)
	@printf '#define VOUSSOIR_COMMIT "%s"\n#define VOUSSOIR_FLAGS "%s"\n' "$$(COMMIT)" \
	  "$$(strip $$(subst \,,$$(subst ",,$$(CC) $$(OPT) $$(OPENMP) $$(SANITIZE) $$(CPPFLAGS) $$(CFLAGS) $$(LDFLAGS))))" >$$@.new
	@cmp -s $$@.new $$@ && rm $$@.new || mv $$@.new $$@

$(1)/libvoussoir.a: $(LIB_SRC:%.c=$(1)/%.o) $(1)/sources
	@echo "  AR    $$@"
	$(Q)rm -f $$@ && ar rcs $$@ $$(filter %.o,$$^)

$(1)/libsupport.a: $(SUPPORT_SRC:%.c=$(1)/%.o) $(1)/sources
	$(Q)rm -f $$@ && ar rcs $$@ $$(filter %.o,$$^)

$(1)/voussoir: $(1)/src/app/main.o $(1)/libvoussoir.a
$(1)/unit: $(UNIT_SRC:%.c=$(1)/%.o) $(1)/libsupport.a $(1)/libvoussoir.a
$(1)/verify: $(VERIFY_SRC:%.c=$(1)/%.o) $(1)/libsupport.a $(1)/libvoussoir.a
$(1)/unit $(1)/verify: LDLIBS += -lcriterion
$(1)/voussoir $(1)/unit $(1)/verify: $(1)/sources
	@echo "  LD    $$@"
	$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$(filter %.o %.a,$$^) $$(ALL_LDLIBS)

# Changed flags or a removed source file: what depends on them is made again, and only then.
$(1)/flags: FORCE | $(INSTALL_FIRST)
	@mkdir -p $$(@D)
	@$(PKG_CONFIG) --exists libxml-2.0 hdf5 || echo "Libraries are missing: make deps installs them." >&2
	@echo '$$(subst ','\'',$$(CC) $$(ALL_CPPFLAGS) $$(ALL_CFLAGS))' >$$@.new
	@cmp -s $$@.new $$@ && rm $$@.new || mv $$@.new $$@
$(1)/sources: FORCE
	@mkdir -p $$(@D)
	@echo '$(ALL_SRC)' >$$@.new
	@cmp -s $$@.new $$@ && rm $$@.new || mv $$@.new $$@

-include $(ALL_SRC:%.c=$(1)/%.d)
endef
$(foreach folder,build build-asan build-fuzz build-plain build-tsan,$(eval $(call BUILD_RULES,$(folder))))

build/bench_%: build/tests/bench/bench_%.o build/libvoussoir.a
	@echo "  LD    $@"
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

build-fuzz/fuzz_%: build-fuzz/tests/fault/fuzz_%.o build-fuzz/libsupport.a build-fuzz/libvoussoir.a
	@echo "  LD    $@"
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LDLIBS)

# ---- tests -------------------------------------------------------------------------------------
# check.py runs stages one after the other and ends with "N passed, N failed, N skipped".

CHECK      := $(PYTHON) tests/tools/check.py $(if $(CI),--strict)
ASAN_BUILD := $(addprefix build-asan/,voussoir $(TESTS))
ASAN_STAGES := asan-unit asan-verify asan-cases asan-fault

check: all $(TESTS:%=build/%) $(if $(CI),$(ASAN_BUILD)) | deps
	$(LIVE)$(CHECK) format layers refs sizes docs unit verify cases fault $(if $(CI),lint $(ASAN_STAGES))

check-quick: all build/unit
	$(LIVE)$(CHECK) format layers refs sizes docs unit

asan: $(ASAN_BUILD) | deps
	$(LIVE)$(CHECK) $(ASAN_STAGES)

check-long: all $(FUZZERS) | deps
	$(LIVE)$(CHECK) --fuzz-seconds $(FUZZ_SECONDS) long fuzz

format-check layers refs sizes lint:
	$(LIVE)$(CHECK) --verbose $(@:-check=)

unit verify: %: $(if $(VERIFY_SRC),build/%,build/unit) build/voussoir
	$(LIVE)$(CHECK) $@

cases fault: build/voussoir
	$(LIVE)$(CHECK) $@

plain: build-plain/voussoir
	$(LIVE)BUILD=build-plain tests/tools/run_cases.sh

memcheck: build-plain/voussoir
	$(LIVE)tests/tools/memcheck.sh

races: build-tsan/voussoir
	$(LIVE)tests/tools/races.sh

rebase-refs: build/voussoir
	@test -n "$(REASON)" || { echo 'rebase-refs wants REASON="why the numbers change"'; exit 2; }
	$(LIVE)tests/tools/run_cases.sh --bless "$(REASON)" $(CASES)

unmirrored:
	@for f in $(LIB_SRC:src/%.c=%); do \
	  test -f tests/unit/$$(dirname $$f)/test_$$(basename $$f).c || echo "src/$$f.c"; done

format:
	@$$(command -v clang-format-14 || command -v clang-format) -i $$(find src tests -name '*.[ch]')

# ---- use ---------------------------------------------------------------------------------------

# Exit code 5 (done, but some steps missed the tolerance) is said by the program and is no failure.
demo: all | deps-build
	$(LIVE)build/voussoir run inputs/masonry_wall.xml -o output/masonry_wall --force || test $$? = 5
	$(LIVE)tests/tools/picture.sh output/masonry_wall

bench: all $(BENCH_SRC:tests/bench/%.c=build/%)
	$(LIVE)tests/bench/bench.sh

docs: build/voussoir
	build/voussoir list --markdown >build/reference.md && mv build/reference.md docs/reference.md
	build/voussoir list --xsd >build/voussoir.xsd && mv build/voussoir.xsd src/input/voussoir.xsd

SHARE := $(DESTDIR)$(PREFIX)/share
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(SHARE)/voussoir $(SHARE)/doc/voussoir
	install -m 755 build/voussoir $(DESTDIR)$(PREFIX)/bin/
	install -m 644 build/libvoussoir.a $(DESTDIR)$(PREFIX)/lib/
	install -m 644 $(wildcard src/input/voussoir.xsd) LICENSE $(SHARE)/voussoir/
	cp -r --no-preserve=mode,ownership $(wildcard inputs meshes) $(SHARE)/voussoir/
	cp -r --no-preserve=mode,ownership $(wildcard README.md docs) $(SHARE)/doc/voussoir/

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/voussoir $(DESTDIR)$(PREFIX)/lib/libvoussoir.a
	rm -rf $(SHARE)/voussoir $(SHARE)/doc/voussoir

clean:
	rm -rf build build-asan build-fuzz build-plain build-tsan

# ---- packages ----------------------------------------------------------------------------------

PACKAGES_BUILD   := gcc libc6-dev make pkg-config libsuitesparse-dev libmetis-dev libopenblas-dev \
                    libxml2-dev libmuparser-dev libhdf5-dev libqhull-dev
PACKAGES_PICTURE := python3-vtk9 python3-numpy xvfb xauth
PACKAGES_TEST    := libcriterion-dev libfclib-dev clang clang-format libomp-dev

deps:
	$(LIVE)tests/tools/packages.sh $(PACKAGES_BUILD) $(PACKAGES_PICTURE) $(PACKAGES_TEST)

deps-build:
	$(LIVE)tests/tools/packages.sh $(PACKAGES_BUILD) --optional $(PACKAGES_PICTURE)
