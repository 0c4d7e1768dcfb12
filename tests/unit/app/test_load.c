#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/run_case.h"
#include "../../support/scratch_path.h"
#include "base/mem.h"

// An input that uses every element of the vocabulary but mesh files and tables.
static const char EVERYTHING[] =
    "<voussoir title='everything'><model plane='stress' thickness='0.3'/>"
    "<function name='pulse' kind='expression' value='sin(40*t)'/>"
    "<material name='stone' density='2000' young='1e8' poisson='0.2' damping_mass='1'/>"
    "<law name='dry' friction='0.5'/>"
    "<law name='glue' type='mohr_coulomb' friction='0.5' tension='1e4' cohesion='1e4'/>"
    "<wall name='wall' material='stone' courses='4' blocks='4' length='0.4' height='0.2 0.15'>"
    "<opening left='0.6' bottom='0' width='0.4' height='0.35' lintel_bearing='0.2'/></wall>"
    "<arch name='arch' material='stone' x='6' span='2' thickness='0.3' voussoirs='5' "
    "kinematics='corotational'/>"
    "<column name='column' material='stone' x='9' width='0.5' height='0.4' drums='2' "
    "pattern='q4'/>"
    "<block name='odd' material='stone' x='12' corners='0 0 1 0 1 1 0 1' angle='0.1'/>"
    "<block name='held' material='stone' x='14' width='0.5' height='0.5'/>"
    "<support name='base' shape='box' x='-1' y='-1' width='20' height='1' velocity_x='pulse'/>"
    "<support name='slope' shape='plane' y='-2' angle='0.05'/>"
    "<group name='some' bodies='arch odd'/>"
    "<contact candidate='all' antagonist='all base slope' law='dry'/>"
    "<contact candidate='wall' antagonist='wall' law='glue' points='gauss'/>"
    "<detection alert='0.01'/><gravity of='some wall' x='0.1*sin(t)'/>"
    "<force on='wall.top' x='100*t'/><pressure on='held.right' value='1e3' y='pulse'/>"
    "<prescribe on='held.bottom' x='1e-3*sin(t)' y='0'/>"
    "<velocity of='arch' x='0.1' spin='0.2'/>"
    "<time end='0.01' step='1e-3'/><solver type='nsgs' tolerance='1e-4'/>"
    "<rest probe='top_x' value='0.1'/><rest time='0.005'/><output every='5' format='ascii'/>"
    "<probe name='top' quantity='displacement' of='wall.top' near='0 1'/>"
    "<probe name='hold' quantity='hold' of='held.bottom'/>"
    "<probe name='foot' quantity='reaction' of='base'/><probe name='e' quantity='energy'/>"
    "</voussoir>";

static void write_text(char *path, const char *text) {
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
}

// Every allocation of a load fails once, or every `stride`-th (loads are slow under sanitizers).
static void fail_everywhere(const char *path, const InputSetting *settings, int n_settings,
                            int at_least, int stride) {
  for (int n = 1;; n += stride) {
    Case input;
    Err err = {0};
    int64_t before = mem_live_blocks();
    mem_fail_after(n);
    Status status = case_load(&input, path, settings, n_settings, &err);
    mem_fail_after(0);
    case_free(&input);
    cr_expect_eq(mem_live_blocks(), before, "allocation %d of '%s': %lld blocks leak (%s)", n, path,
                 (long long)(mem_live_blocks() - before), err.text);
    if (status == OK) {
      cr_assert_gt(n, at_least, "only %d allocations were tried", n);
      return;
    }
    cr_expect_eq(status, ERR_SYSTEM, "allocation %d of '%s': status %d, %s", n, path, status,
                 err.text);
    cr_assert_lt(n, 100000);
  }
}

Test(case_load, says_out_of_memory_wherever_it_happens_and_leaks_nothing) {
  char path[512];
  scratch_path(path, sizeof path, "load");
  write_text(path, EVERYTHING);
  fail_everywhere(path, NULL, 0, 200, 1);
  unlink(path);
}

Test(case_load, of_a_stored_input_with_settings_survives_failed_allocations) {
  const InputSetting settings[] = {{"courses", "2"}, {"blocks", "2"}};
  fail_everywhere("inputs/masonry_wall.xml", settings, 2, 100, 7);
}

Test(case_load, of_mesh_files_and_records_survives_every_failed_allocation) {
  char path[512], here[512];
  scratch_path(path, sizeof path, "load");
  cr_assert_not_null(getcwd(here, sizeof here));
  write_text(path, xml_format("<voussoir><function name='acc' kind='accelerogram' "
                              "file='%s/inputs/data/synthetic_030g.at2'/>"
                              "<material name='s' density='1000' young='1e6' poisson='0.2'/>"
                              "<body name='low' material='s' mesh='%s/meshes/two_blocks.msh' "
                              "group='lower'/>"
                              "<body name='up' material='s' mesh='%s/meshes/two_blocks.msh' "
                              "group='upper'/>"
                              "<support name='base' shape='box' x='-1' y='-1' width='3' height='1' "
                              "move_x='acc'/><law name='d' friction='0.5'/>"
                              "<contact candidate='all' antagonist='all base' law='d'/>"
                              "<gravity/><time end='1' step='1e-3'/></voussoir>",
                              here, here, here));
  fail_everywhere(path, NULL, 0, 150, 1);
  unlink(path);
}

Test(case_load, of_a_faulty_input_leaks_nothing_with_and_without_memory) {
  static const char faulty[] =
      "<voussoir><material name='stone' density='-1' young='1e8' poisson='0.2'/>"
      "<law name='dry' friction='0.5'/><wall name='wall' material='stome' courses='2'/>"
      "<arch name='a' material='stone' span='2' thickness='0.3' voussoirs='5'/>"
      "<contact candidate='wal' antagonist='a' law='dry'/><time end='1' step='1e-3'/></voussoir>";
  char path[512];
  scratch_path(path, sizeof path, "load");
  write_text(path, faulty);
  int64_t before = mem_live_blocks();
  for (int n = 0; n < 60; n++) {
    Case input;
    Err err = {0};
    mem_fail_after(n);
    Status status = case_load(&input, path, NULL, 0, &err);
    mem_fail_after(0);
    cr_expect(status == ERR_INPUT || status == ERR_SYSTEM, "allocation %d: status %d", n, status);
    case_free(&input);
    cr_assert_eq(mem_live_blocks(), before, "allocation %d", n);
  }
  unlink(path);
}
