# voussoir: `make demo` and `make check` are all a newcomer needs; `make help` lists the rest.

-include config.mk

CC       ?= gcc
ifeq ($(origin CC),default)
CC       := gcc
endif
BUILD    ?= build
PREFIX   ?= /usr/local
DESTDIR  ?=
MARCH    ?= -march=native
OPT      ?= -O2 -g $(MARCH) -ffp-contract=fast -fno-math-errno
SAN      ?=
WERROR   ?= $(if $(CI),-Werror,)
PYTHON   ?= /usr/bin/python3
VERSION  := 0.1.0

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wdouble-promotion \
        -Wundef -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Wcast-qual $(WERROR)

PKG_CONFIG ?= pkg-config
PKG_CFLAGS  = $(shell $(PKG_CONFIG) --cflags libxml-2.0 hdf5 2>/dev/null)
PKG_LIBS    = $(shell $(PKG_CONFIG) --libs libxml-2.0 hdf5 2>/dev/null)
CPPFLAGS   += -Isrc -DVOUSSOIR_VERSION='"$(VERSION)"' $(subst -I,-isystem ,$(PKG_CFLAGS))
CFLAGS     += -std=c11 $(OPT) $(SAN) -fopenmp $(WARN)
LDLIBS     += -lcholmod -lumfpack -lmetis -lopenblas $(PKG_LIBS) -lmuparser -lqhull_r -lm
LDFLAGS    += $(SAN) -fopenmp

LIB_SRC  := $(filter-out src/app/main.c,$(sort $(wildcard src/*/*.c)))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
UNIT_SRC := $(sort $(wildcard tests/unit/*/*.c tests/support/*.c))
UNIT_OBJ := $(UNIT_SRC:%.c=$(BUILD)/%.o)
VER_SRC  := $(sort $(wildcard tests/verify/*.c tests/support/*.c))
VER_OBJ  := $(VER_SRC:%.c=$(BUILD)/%.o)

.PHONY: all demo check check-long bench asan install deps format layers sizes refs clean help docs
all: $(BUILD)/voussoir $(BUILD)/libvoussoir.a

$(BUILD)/voussoir: $(BUILD)/src/app/main.o $(BUILD)/libvoussoir.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libvoussoir.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/unit: $(UNIT_OBJ) $(BUILD)/libvoussoir.a
	$(CC) $(LDFLAGS) -o $@ $^ -lcriterion $(LDLIBS)

$(BUILD)/verify: $(VER_OBJ) $(BUILD)/libvoussoir.a
	$(CC) $(LDFLAGS) -o $@ $^ -lcriterion $(LDLIBS)

-include $(LIB_OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(VER_OBJ:.o=.d) $(BUILD)/src/app/main.d

unit: $(BUILD)/unit
	$(BUILD)/unit

clean:
	rm -rf $(BUILD)
