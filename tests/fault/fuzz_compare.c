// Fuzzes `voussoir compare`: one file of a small reference is what the bytes say. Its first byte
// says which one, and whether the results hold it too: what is compared with itself is equal.
#include <sys/stat.h>

#include "../support/fuzz_file.h"
#include "app/compare.h"
#include "base/mem.h"

static const char *const name[] = {"history.csv", "summary.json", "tolerances.txt",
                                   "history_b.csv"},
                         *const sound[] = {"# units: s,N\ntime,force\n0,1\n1,2\n",
                                           "{\"status\": \"done\", \"energy\": {\"kinetic\": 1}}\n",
                                           "force 1e-3 - one in a thousand\n", "time,x\n0,1\n"};
enum { N_NAMES = sizeof name / sizeof name[0] };

static void fill(const char *folder, int which, const uint8_t *data, size_t size) {
  mkdir(folder, 0700);
  for (int k = 0; k < N_NAMES; k++) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name[k]);
    if (k == which)
      fuzz_write(path, data, size);
    else
      fuzz_write(path, sound[k], strlen(sound[k]));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const char *folder = fuzz_path("results"), *reference = fuzz_path("reference");
  int both = data[0] & 1, which = data[0] / 2 % N_NAMES;
  fill(reference, which, data + 1, size - 1);
  fill(folder, both ? which : -1, data + 1, size - 1);
  Err err = {0};
  CompareReport report;
  Status status = compare_folders(&report, &(CompareSettings){folder, reference, NULL, 0}, &err);
  if (status != OK && status != ERR_INPUT) abort();
  if (status == OK && both && which != 2 && report.n_different > 0) abort();
  compare_free(&report);
  if (mem_live_blocks() != 0) abort();
  return 0;
}
