# oclcache: see README.md. `make help` lists the targets.
#
# Variables: CC, CFLAGS, WERROR=1, SANITIZE=address,undefined (or thread),
# V=1 (show commands); also from config.mak, which is not committed.
# For `make install`: DESTDIR, PREFIX, LIBDIR, ZSHDIR (below).
# VARIANT=testing: a layer of which tests can weaken the key (hash/testing.h).

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
-include config.mak

CC ?= cc
ifeq ($(origin CC),default)
CC = gcc
endif
CFLAGS ?= -O2 -g
CPPFLAGS ?=
WERROR ?=
SANITIZE ?=
VARIANT ?=

# Without a compiler `make help`, `make demo` and all that install one still work.
HAS_CC := $(shell command -v $(firstword $(CC)))

comma := ,
BUILD := build$(if $(VARIANT),/$(VARIANT))$(if $(SANITIZE),/$(subst $(comma),-,$(SANITIZE)))
Q := $(if $(V),,@)

# What the project needs, whatever the user's CFLAGS.
OUR_CFLAGS := -std=c11 -D_GNU_SOURCE -I. -fPIC -fvisibility=hidden -pthread \
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wundef -Wvla -Wformat=2 -Wno-missing-field-initializers \
	-DCL_TARGET_OPENCL_VERSION=300 -fstack-protector-strong
ifneq ($(WERROR),)
OUR_CFLAGS += -Werror
endif
ifneq ($(SANITIZE),)
OUR_CFLAGS += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -DOCC_DEBUG
else
OUR_CFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif
ifneq ($(VARIANT),)
ifneq ($(VARIANT),testing)
$(error VARIANT is "testing" or nothing)
endif
OUR_CFLAGS += -DOCC_TEST_KEY
endif
# layer/base/sodium.c has what is wrapped.
# A layer that can't load is skipped in silence: libc alone may be NEEDED.
# nodelete: the loader closes layers at exit while our threads' data live on.
LAYER_LDFLAGS := -shared -Wl,--version-script=layer/layer.map \
	-Wl,--exclude-libs,ALL -Wl,--wrap=sodium_misuse -Wl,-z,now,-z,relro,-z,nodelete -Wl,--as-needed \
	$(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs)

CORE_SOURCES := $(wildcard hash/*.c cache/*.c cache/*/*.c)
LAYER_SOURCES := $(wildcard layer/*.c layer/*/*.c)
# What runs in every process, and then what runs when it makes a context, also where
# nothing is built, side by side in the file: of it Linux makes 64 KiB resident
# around each place that is touched (scripts/bench/first).
FIRST_SOURCES := $(addprefix layer/,layer.c lifecycle.c \
	$(addprefix base/,settings.c exit.c lock.c log.c section.c stores.c writer.c) \
	$(addprefix driver/,current_directory.c refused_files.c fingerprint.c \
		device.c prefetch.c) \
	key/driver_variables.c key/environment.c key/include_dirs.c \
	object/contexts.c hook/context.c serve/single_flight.c serve/stats.c) \
	$(wildcard cache/driver/*.c) $(addprefix cache/,file.c heeded_file.c lru.c \
	memory.c mutex.c settings.c settings_table.c)
CONTEXT_SOURCES := $(addprefix layer/,base/thread.c base/executable.c \
	serve/load_ahead.c serve/load_threads.c serve/read_ahead.c serve/working_set.c \
	object/program.c object/program_pool.c key/key_memo.c \
	$(addprefix driver/,device_fields.c library.c library_place.c \
		driver_files.c driver_components.c stat_snapshot.c cpu.c \
		late_libraries.c)) \
	$(addprefix cache/,store.c store_file.c state.c directory.c file_owner.c \
	file_header.c name.c working_set.c) hash/buffer.c hash/digest.c
LAYER_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(FIRST_SOURCES) \
	$(CONTEXT_SOURCES) $(filter-out $(FIRST_SOURCES) $(CONTEXT_SOURCES),\
		$(LAYER_SOURCES) $(CORE_SOURCES)))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))
# It counts what the compiler makes: of that a sanitizer is no part.
ifneq ($(SANITIZE),)
UNIT_TESTS := $(filter-out %/test_linear,$(UNIT_TESTS))
endif
LAYER_TESTS := $(patsubst tests/layer/%.c,$(BUILD)/tests/layer/%,$(wildcard tests/layer/*.c))
CLI_TESTS := $(patsubst tests/cli/%.c,$(BUILD)/tests/cli/%,$(wildcard tests/cli/*.c))
CLOSURE_TESTS := $(BUILD)/tests/closure/closure $(BUILD)/tests/closure/reads.so
STUB_SOURCES := $(wildcard tests/stub/*.c)
STUB := $(BUILD)/tests/stub/libstub.so
RECORDER := $(BUILD)/tests/record/librecord.so
PRELOADED := $(patsubst tests/preload/%.c,$(BUILD)/tests/preload/%.so,$(wildcard tests/preload/*.c))
SCRIPT_PROGRAMS := $(patsubst scripts/%.c,$(BUILD)/scripts/%,$(wildcard scripts/*.c scripts/bench/*.c))
SCRIPT_LAYERS := $(patsubst scripts/bench/layer/%.c,$(BUILD)/scripts/bench/lib%.so,$(wildcard scripts/bench/layer/*.c))
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz/%,$(wildcard tests/fuzz/*.c))
object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

# The pages where they can be had.
all: layer command storage-helper $(if $(shell command -v scdoc),man) ## Build the layer (build/liboclcache.so), the command (build/oclcache) and its helper (default)

layer: $(BUILD)/liboclcache.so
command: $(BUILD)/oclcache
storage-helper: $(BUILD)/oclcache-storage

# Wherever cache/ is linked; in the layer, which may need libc alone, hidden, and
# what decompresses left out.
ZSTD_LIBS ?= -l:libzstd.a
# Of it the layer takes what verifies and signs, no random numbers.
SODIUM_LIBS ?= -l:libsodium.a
CORE_LIBS = $(ZSTD_LIBS) $(SODIUM_LIBS)

$(BUILD)/liboclcache.so: $(LAYER_OBJECTS) layer/layer.map
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) $(LAYER_LDFLAGS) -o $@ $(filter %.o,$^) $(CORE_LIBS) $(LDFLAGS)

MULTIARCH := $(if $(HAS_CC),$(shell $(CC) -print-multiarch 2>/dev/null))
ifneq ($(MULTIARCH),)
# Private here and below: $(BUILD)/flags mustn't depend on who asks for it.
$(BUILD)/obj/cli/%.o: private OUR_CFLAGS += -DOCC_MULTIARCH='"$(MULTIARCH)"'
endif

# In the command itself where there is a static one: its parts for tar need libc alone,
# the others are left out.
ARCHIVE_LIBS ?= $(if $(findstring /,$(shell $(CC) -print-file-name=libarchive.a 2>/dev/null)),-Wl$(comma)--gc-sections -l:libarchive.a,-larchive)

$(BUILD)/oclcache: $(call object,$(wildcard cli/*.c cli/*/*.c)) $(BUILD)/libcore.a
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -o $@ $^ $(ARCHIVE_LIBS) $(CORE_LIBS) $(LDFLAGS)

# The helper of remote storage, the one program here that reaches a network.
STORAGE_LIBS ?= -lcurl -lhiredis -lcrypto
# All but main(), for tests too.
STORAGE_OBJECTS := $(call object,$(filter-out storage/main.c,$(wildcard storage/*.c)))
$(BUILD)/libstorage.a: $(STORAGE_OBJECTS)
	@echo "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/oclcache-storage: $(call object,storage/main.c) $(BUILD)/libstorage.a $(BUILD)/libcore.a
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -o $@ $^ $(STORAGE_LIBS) $(CORE_LIBS) $(LDFLAGS)

$(BUILD)/libcore.a: $(call object,$(CORE_SOURCES))
	@echo "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $^

# Flags that change rebuild everything. What is missing is named before the first
# object is made, not by the compiler in the middle.
FLAGS = $(CC) $(OUR_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD)
	@echo '$(FLAGS)' | cmp -s - $@ || { \
		CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' scripts/can-build && \
		echo '$(FLAGS)' >$@; }

# Descriptors of thread-local variables: the linker puts them into memory that
# each thread has, where it can. Without them each thread that comes by allocates,
# and gets a heap. (An option of gcc for x86; some targets have no other way.)
OUR_CFLAGS += $(if $(HAS_CC),$(shell $(CC) -mtls-dialect=gnu2 -x c -fsyntax-only \
	/dev/null 2>/dev/null && echo -mtls-dialect=gnu2))

# Called only where the CPU has them.
ifneq ($(filter x86_64-%,$(if $(HAS_CC),$(shell $(CC) -dumpmachine))),)
WIDE_CFLAGS := -mavx2
# Indirect jumps land where they may: a layer mustn't weaken who has it so.
OUR_CFLAGS += -fcf-protection
endif
$(BUILD)/obj/hash/wide.o: private OUR_CFLAGS += $(WIDE_CFLAGS)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(OUR_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) $(WRAP) -o $@ $< $(BUILD)/libcore.a -lcmocka $(CORE_LIBS) $(LDFLAGS)

$(BUILD)/tests/unit/test_storage_%: $(BUILD)/obj/tests/unit/test_storage_%.o $(BUILD)/libstorage.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -o $@ $^ -lcmocka $(STORAGE_LIBS) $(CORE_LIBS) $(LDFLAGS)

# What can fail in tests that include tests/unit/fault.h: all system calls and
# allocations of hash/ and cache/.
FAULTY := open openat stat fstat fstatat statfs fstatfs sync_file_range statx \
	mkdirat readlinkat fgetxattr fcntl close pread pwrite ftruncate flock chmod fchmod fchmodat futimens renameat renameat2 linkat unlinkat fdopendir \
	readdir closedir madvise clock_gettime nanosleep socket connect getsockopt \
	setsockopt poll send recv malloc calloc realloc aligned_alloc strdup strndup free
FAULT_TESTS := $(patsubst %,$(BUILD)/tests/unit/test_%,database_faults faults powercut remote_faults rot settings)
$(FAULT_TESTS): WRAP := $(addprefix -Wl$(comma)--wrap=,$(FAULTY))

# What tests/unit/test_crowd.c looks at.
CROWD_CALLS := unlinkat flock nanosleep fdopendir
$(BUILD)/tests/unit/test_crowd: WRAP := $(addprefix -Wl$(comma)--wrap=,$(CROWD_CALLS))

# How much work there is, in basic blocks run and bytes that libc looks at: of
# hash/ as tests/unit/test_linear.c has it.
COUNTED := memchr memcmp memcpy memset memmem strchr strcmp strlen strncmp \
	strndup strpbrk
COUNTED_OBJECTS := $(patsubst %.c,$(BUILD)/counted/%.o,$(wildcard hash/*.c))

$(BUILD)/counted/hash/wide.o: private OUR_CFLAGS += $(WIDE_CFLAGS)
$(BUILD)/counted/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC    $< (counted)"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -U_FORTIFY_SOURCE -fno-builtin \
		-fsanitize-coverage=trace-pc -MMD -MP -c -o $@ $<

$(BUILD)/tests/unit/test_linear: $(BUILD)/obj/tests/unit/test_linear.o $(COUNTED_OBJECTS)
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) $(addprefix -Wl$(comma)--wrap=,$(COUNTED)) -o $@ $(filter %.o,$^) -lcmocka $(LDFLAGS)

# The same without counting, for its times: it needs cmocka.
$(BUILD)/scripts/hostile_speed: $(BUILD)/obj/tests/unit/test_linear.o $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) $(addprefix -Wl$(comma)--wrap=,$(COUNTED)) -o $@ $(filter %.o %.a,$^) -lcmocka $(CORE_LIBS) $(LDFLAGS)

$(BUILD)/tests/layer/%: $(BUILD)/obj/tests/layer/%.o $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -o $@ $< $(BUILD)/libcore.a -lOpenCL $(CORE_LIBS) $(LDFLAGS)

$(BUILD)/tests/cli/%: $(BUILD)/obj/tests/cli/%.o $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -o $@ $< $(BUILD)/libcore.a $(CORE_LIBS) $(LDFLAGS)

$(BUILD)/tests/closure/%: $(BUILD)/obj/tests/closure/%.o $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -o $@ $< $(BUILD)/libcore.a $(CORE_LIBS) $(LDFLAGS)

# Preloaded into a compiler: no sanitizer's.
$(BUILD)/tests/closure/reads.so: tests/closure/reads.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(filter-out -fsanitize=%,$(OUR_CFLAGS)) -O2 -g -shared -o $@ $<

# Preloaded into applications.
$(BUILD)/tests/preload/%.so: tests/preload/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(filter-out -fsanitize=%,$(OUR_CFLAGS)) -O2 -g -shared -o $@ $<

# A driver to test with. Its exports must not become the loader's.
$(STUB): $(call object,$(STUB_SOURCES))
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -shared -Wl,-Bsymbolic -o $@ $^ $(LDFLAGS)

# A layer that writes down what programs compile.
$(RECORDER): $(BUILD)/obj/tests/record/record.o
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -shared -o $@ $^ $(LDFLAGS)

# Layers to compare and to measure with.
$(SCRIPT_LAYERS): $(BUILD)/scripts/bench/lib%.so: $(BUILD)/obj/scripts/bench/layer/%.o
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -shared -o $@ $^ $(LDFLAGS)

$(BUILD)/scripts/%: $(BUILD)/obj/scripts/%.o $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -o $@ $< $(BUILD)/libcore.a -lOpenCL -lm $(CORE_LIBS) $(LDFLAGS)

$(BUILD)/scripts/bench/nvidia_facts $(BUILD)/scripts/bench/load_threads: $(BUILD)/scripts/bench/%: $(BUILD)/obj/scripts/bench/%.o $(BUILD)/obj/cli/nvidia/computecache.o $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) $(CFLAGS) -o $@ $^ -lOpenCL $(LDFLAGS)

# Only within build/fuzz, as below.
$(BUILD)/tests/fuzz/storage_%: $(BUILD)/obj/tests/fuzz/storage_%.o $(BUILD)/libstorage.a $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) -fsanitize=fuzzer $(CFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libstorage.a $(BUILD)/libcore.a $(STORAGE_LIBS) $(CORE_LIBS) $(LDFLAGS)

# What of layer/ can be had without OpenCL.
$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(call object,layer/base/settings.c layer/base/log.c) $(BUILD)/libcore.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(OUR_CFLAGS) -fsanitize=fuzzer $(CFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libcore.a $(CORE_LIBS) $(LDFLAGS)

unit-tests: $(UNIT_TESTS) $(BUILD)/scripts/hostile_speed ## Build the unit tests
layer-tests: $(LAYER_TESTS) $(CLI_TESTS) $(CLOSURE_TESTS) $(STUB) $(RECORDER) $(PRELOADED) layer ## Build the layer tests' programs
script-programs: $(SCRIPT_PROGRAMS) $(SCRIPT_LAYERS) layer ## Build the benchmark programs
demo-programs: $(BUILD)/scripts/probe ## Build what the demo plays

# What tests/run says of --check, --drivers and --long.
check: ## Build and test with Debian's packages alone (eight minutes)
	$(Q)scripts/deps build test man
	$(Q)scripts/deps servers || echo 'Tests with servers will be skipped'
	$(Q)V=$(V) scripts/quietly $(MAKE) --no-print-directory -j$(shell nproc) all unit-tests layer-tests
	$(Q)tests/run --check

check-drivers: ## Test with all drivers and loaders, including those from PyPI
	$(Q)scripts/deps build test man drivers intel loader wheel chroot
	$(Q)scripts/sid || echo 'Scenes in Debian sid will be skipped'
	$(Q)V=$(V) scripts/quietly $(MAKE) --no-print-directory -j$(shell nproc) test-builds
	$(Q)tests/run --drivers

check-long: ## Build and test everything in every way (one hour)
	$(Q)scripts/deps build test man drivers intel loader wheel
	$(Q)scripts/deps corpora || echo 'Their tests will be skipped'
	$(Q)scripts/deps servers promtool moto ccache || echo 'Tests with servers will be skipped'
	$(Q)scripts/deps browser || echo 'The test in a browser will be skipped'
	$(Q)V=$(V) scripts/quietly $(MAKE) --no-print-directory -j$(shell nproc) test-builds script-programs
	$(Q)tests/run --long

# With sanitizers, and with clang too, which warns of other things.
test-builds: all unit-tests layer-tests ## Build everything that the tests use
	$(Q)$(MAKE) --no-print-directory SANITIZE=address,undefined layer-tests unit-tests command storage-helper
	$(Q)$(MAKE) --no-print-directory SANITIZE=thread layer-tests unit-tests storage-helper
	$(Q)$(MAKE) --no-print-directory CC=clang BUILD=build/clang all unit-tests
	$(Q)$(MAKE) --no-print-directory fuzz-targets
	$(Q)$(MAKE) --no-print-directory VARIANT=testing layer command

# libFuzzer is clang's; with the version of scripts/deps.
FUZZ := CC=clang-14 SANITIZE=fuzzer-no-link,address,undefined \
	BUILD=build/fuzz CFLAGS='-O2 -g -fno-sanitize-recover=all'

fuzz-targets: ## Build the fuzz targets, build/fuzz/tests/fuzz/*
	$(Q)$(MAKE) --no-print-directory $(FUZZ) build-fuzz-targets

build-fuzz-targets: $(FUZZ_TARGETS)

FUZZ_SECONDS ?= 60
fuzz: fuzz-targets ## Fuzz each target for a while (FUZZ_SECONDS=60, TARGETS="scan key")
	$(Q)tests/fuzz/run $(FUZZ_SECONDS) $(TARGETS)

demo: ## Install what is missing, build, and show what the layer does (ALL=1: more drivers and loaders)
	$(Q)scripts/demo $(if $(ALL),--all)

bench: ## Install what is needed and run all benchmarks (QUICK=1: fewer; UPDATE=1: update doc/bench)
	$(Q)scripts/deps build bench pocl drivers intel sycl
	$(Q)$(MAKE) --no-print-directory -j$(shell nproc) all script-programs
	$(Q)scripts/bench/run $(if $(QUICK),--quick) $(if $(UPDATE),--update)

real-programs: ## Run unmodified programs with and without the layer and compare the results
	$(Q)scripts/deps build programs
	$(Q)$(MAKE) --no-print-directory all
	$(Q)scripts/real-programs

format: ## Reformat the sources with clang-format
	@command -v clang-format >/dev/null || { echo "clang-format isn't installed:" \
		"type scripts/deps lint" >&2; exit 1; }
	$(Q)clang-format -i $(shell git ls-files "*.[ch]")

lint: ## Run clang-format, clang-tidy and shellcheck without changing anything
	$(Q)scripts/deps build lint
	$(Q)scripts/lint

analyze: ## Run gcc -fanalyzer and cppcheck
	$(Q)scripts/deps lint
	$(Q)scripts/analyze

# Where things go; BUILD is where they come from. In paths, blanks are allowed.
DESTDIR ?=
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
PAGES := $(patsubst doc/man/%.scd,$(BUILD)/man/%,$(wildcard doc/man/*.scd))

man: $(PAGES) ## Build the manual pages, build/man/* (needs scdoc: scripts/deps man)

$(BUILD)/man/%: doc/man/%.scd
	@command -v scdoc >/dev/null || { echo "$@ needs scdoc, Debian's package" \
		"of that name: type scripts/deps man" >&2; exit 1; }
	@mkdir -p $(@D)
	@echo "  SCDOC $@"
	$(Q)scdoc <$< >$@

install install-built uninstall: export BUILD := $(BUILD)
install install-built uninstall: export MULTIARCH := $(MULTIARCH)
install install-built uninstall: export DESTDIR := $(DESTDIR)
install install-built uninstall: export PREFIX := $(PREFIX)
install install-built uninstall: export LIBDIR := $(LIBDIR)
install install-built uninstall: export ZSHDIR := $(ZSHDIR)

# Root installs what a user has built as it is: sudo drops the environment that
# it was built with, and in the user's directory nothing shall be root's.
install: ## Install into PREFIX=/usr/local (see also DESTDIR=, LIBDIR=PREFIX/lib)
	$(Q)scripts/install --is-anothers || $(MAKE) --no-print-directory all
	$(Q)scripts/install

install-built: ## Install what is already built, without building anything
	$(Q)scripts/install

uninstall: ## Remove what install installed (use the same PREFIX and LIBDIR)
	$(Q)scripts/install --remove

completions: command ## Regenerate packaging/completions/* from the command's --help
	$(Q)scripts/completions $(BUILD)/oclcache packaging/completions

deb: ## Install Debian's tools, then build and check the package, build/deb/*.deb
	$(Q)scripts/deps build man deb
	$(Q)scripts/package

rpm: ## Install rpmbuild, then build RPM packages, build/rpm/*.rpm
	$(Q)scripts/deps build man rpm
	$(Q)scripts/rpm

wheel: ## Install the tools, then build a Python wheel, build/wheel/dist/*.whl
	$(Q)scripts/deps build man wheel
	$(Q)$(MAKE) --no-print-directory layer command man
	$(Q)BUILD=$(BUILD) scripts/wheel

clean: ## Remove what was built, except build/venv and build/demo
	rm -rf $(filter-out build/venv build/demo,$(wildcard build/*))

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 18

FORCE:

.PHONY: all layer command storage-helper unit-tests layer-tests script-programs demo-programs fuzz-targets \
	build-fuzz-targets fuzz check check-drivers check-long test-builds demo \
	bench real-programs format lint analyze man install install-built \
	uninstall completions deb rpm wheel clean help FORCE
.SECONDARY:

-include $(shell find $(BUILD)/obj $(BUILD)/counted -name '*.d' 2>/dev/null)
