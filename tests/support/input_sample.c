#define _XOPEN_SOURCE 700
#include "input_sample.h"

#include "scratch_path.h"
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// clang-format off
static const ParamSpec root_params[] = {
    {"title", PARAM_TEXT, "", "", NULL, NULL, "what the run shows"}};

static const ParamSpec material_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "how blocks refer to it"},
    {"density", PARAM_REAL, "kg/m^3", NULL, "]0,inf[", NULL, "mass per volume"},
    {"model", PARAM_CHOICE, "", "elastic", NULL, NULL, "bulk law"}};
static const ParamSpec elastic_params[] = {
    {"young", PARAM_REAL, "Pa", "1e9", "]0,inf[", NULL, "Young's modulus"},
    {"poisson", PARAM_REAL, "1", "0.2", "]-1,0.5[", NULL, "Poisson's ratio"}};
static const ParamSpec plastic_params[] = {
    {"young", PARAM_REAL, "Pa", "1e9", "]0,inf[", NULL, "Young's modulus"},
    {"yield", PARAM_REAL, "Pa", NULL, "[0,inf[", NULL, "yield stress"}};
static const SchemaVariant models[] = {
    {"elastic", "Hooke's law", elastic_params, 2},
    {"plastic", "von Mises", plastic_params, 2}};

static const ParamSpec block_params[] = {
    {"name", PARAM_NAME, "", "", NULL, NULL, "name of the block"},
    {"material", PARAM_REF, "", NULL, NULL, "material", "what it is made of"},
    {"size", PARAM_LIST, "m", "1 1", "]0,inf[", NULL, "length and height"},
    {"cells", PARAM_COUNTS, "1", "1 1", "[1,9]", NULL, "along length and height"},
    {"fixed", PARAM_BOOL, "", "no", NULL, NULL, "does not move"}};

static const ParamSpec group_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "name of the group"}};

static const ParamSpec drive_params[] = {
    {"on", PARAM_REF, "", NULL, NULL, "block|group", "what is moved"},
    {"kind", PARAM_CHOICE, "", "force", NULL, "force|velocity|displacement", "what is prescribed"},
    {"value", PARAM_FUNCTION, "N", "0", NULL, NULL, "how much"}};

static const ParamSpec function_params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "how others refer to it"},
    {"file", PARAM_FILE, "", "", NULL, NULL, "table"}};

static const ParamSpec time_params[] = {
    {"step", PARAM_REAL, "s", NULL, "]0,inf[", NULL, "step size"},
    {"steps", PARAM_INTEGER, "1", "100", "[1,1000000]", NULL, "number of steps"},
    {"until", PARAM_REAL, "s", "", NULL, NULL, "end"}};

static const SchemaElement elements[] = {
    {.name = "voussoir", .doc = "A run.", .params = root_params, .n_params = 1,
     .children = "description|material|block|group|drive|function|time"},
    {.name = "description", .doc = "What it is about.", .has_text = 1, .max_count = 1},
    {.name = "material", .doc = "What blocks are made of.", .params = material_params, .n_params = 3,
     .selector = "model", .variants = models, .n_variants = 2},
    {.name = "block", .doc = "A block.", .params = block_params, .n_params = 5},
    {.name = "group", .doc = "Blocks & groups.", .params = group_params, .n_params = 1,
     .children = "block|group"},
    {.name = "drive", .doc = "A load.", .params = drive_params, .n_params = 3},
    {.name = "function", .doc = "A function of time.", .params = function_params, .n_params = 2},
    {.name = "time", .doc = "Steps.", .params = time_params, .n_params = 3, .min_count = 1,
     .max_count = 1}};
// clang-format on

const Schema sample_schema = {elements, sizeof elements / sizeof *elements};

static char folder[512];

void sample_enter(void) {
  scratch_path(folder, sizeof folder, "input");
  if (!mkdtemp(folder) || chdir(folder) != 0) abort();
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk) {
  (void)info, (void)kind, (void)walk;
  return remove(path);
}

void sample_leave(void) {
  if (chdir("/") != 0 || nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) != 0) abort();
}

void sample_write_bytes(const char *path, const void *bytes, size_t n) {
  FILE *stream = fopen(path, "wb");
  if (!stream || fwrite(bytes, 1, n, stream) != n || fclose(stream) != 0) abort();
}

void sample_write(const char *path, const char *text) {
  sample_write_bytes(path, text, strlen(text));
}

const char *sample_defects(const char *path, const InputSetting *settings, int n_settings) {
  static char text[1 << 16];
  memset(text, 0, sizeof text);
  Input in;
  Diag diag = {0};
  Err err = {0};
  Status status = input_load(path, &sample_schema, settings, n_settings, &in, &diag, &err);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (!stream) abort();
  diag_print(&diag, stream);
  if (status == ERR_SYSTEM || status == ERR_BUG) fprintf(stream, "status %d: %s", status, err.text);
  if ((status == ERR_INPUT) != (diag.n > 0)) fputs("status and defects contradict", stream);
  fclose(stream);
  input_free(&in);
  diag_free(&diag);
  return text;
}

const char *sample_judge(const char *xml) {
  sample_write("main.xml", xml);
  return sample_defects("main.xml", NULL, 0);
}
