#define _XOPEN_SOURCE 700
#include "scratch.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <math.h>

#include "file/chart.h"

typedef struct {
  xmlDocPtr doc;
  xmlXPathContextPtr paths;
} Svg;

static Svg svg_open(const char *path) {
  Svg svg = {.doc = xmlReadFile(path, NULL, 0)};
  cr_assert_not_null(svg.doc, "%s is not well-formed", path);
  svg.paths = xmlXPathNewContext(svg.doc);
  return svg;
}

static void svg_close(Svg *svg) {
  xmlXPathFreeContext(svg->paths);
  xmlFreeDoc(svg->doc);
  xmlCleanupParser();
}

static double number(const Svg *svg, const char *path) {
  xmlXPathObjectPtr found = xmlXPathEvalExpression((const xmlChar *)path, svg->paths);
  double value = found ? xmlXPathCastToNumber(found) : (double)NAN;
  xmlXPathFreeObject(found);
  return value;
}

// The number that the ticks of an axis give to a place: from the first and the last of them.
static double read_off(const Svg *svg, char axis, double at) {
  char path[128];
  double place[2], label[2];
  for (int k = 0; k < 2; k++) {
    const char *which = k ? "last()" : "1";
    snprintf(path, sizeof path, "string((//*[@class='%c'])[%s]/@%c)", axis, which, axis);
    place[k] = number(svg, path);
    snprintf(path, sizeof path, "string((//*[@class='%c'])[%s])", axis, which);
    label[k] = number(svg, path);
  }
  return label[0] + (label[1] - label[0]) * (at - place[0]) / (place[1] - place[0]);
}

Test(chart, points_stand_where_the_ticks_say) {
  scratch_make();
  double x[] = {-0.21, 0.03, (double)NAN, 0.184}, y[] = {0.4, 0.11, 0.2, 0.333};
  ChartSeries series = {
      .name = "a < b & c", .style = CHART_POINTS, .n = 4, .stride = 1, .x = x, .y = y};
  Chart chart = {.title = "one & two",
                 .label = {"x", "y"},
                 .unit = {"1", "1"},
                 .n_series = 1,
                 .series = &series};
  Err err = {0};
  const char *path = in_scratch("chart.svg");
  cr_assert_eq(chart_write(&chart, path, &err), OK, "%s", err.text);
  Svg svg = svg_open(path);
  cr_assert_eq(number(&svg, "count(//*[local-name()='circle'])"), 3); // without the NaN
  cr_assert_eq(number(&svg, "count(//*[string()='a < b & c'])"), 1);
  static const int of[] = {0, 1, 3};
  for (int k = 0; k < 3; k++) {
    char cx[64], cy[64];
    snprintf(cx, sizeof cx, "string((//*[local-name()='circle'])[%d]/@cx)", k + 1);
    snprintf(cy, sizeof cy, "string((//*[local-name()='circle'])[%d]/@cy)", k + 1);
    // places are rounded to 0.01 px of about 500
    cr_assert_float_eq(read_off(&svg, 'x', number(&svg, cx)), x[of[k]], 2e-5);
    cr_assert_float_eq(read_off(&svg, 'y', number(&svg, cy)), y[of[k]], 2e-5);
  }
  svg_close(&svg);
  scratch_remove();
}

Test(chart, large_and_small_numbers_get_a_prefix_of_their_unit) {
  scratch_make();
  const double table[] = {0, 0, 0.02, 40e3, 0.06, 86.7e3}; // stroke, force
  ChartSeries series[2] = {{.name = "F", .n = 3, .stride = 2, .x = table, .y = table + 1}};
  series[1] = series[0];
  Chart chart = {.title = "t",
                 .label = {"stroke", "force"},
                 .unit = {"m", "N"},
                 .n_series = 2,
                 .series = series};
  Err err = {0};
  const char *path = in_scratch("chart.svg");
  cr_assert_eq(chart_write(&chart, path, &err), OK, "%s", err.text);
  Svg svg = svg_open(path);
  cr_assert_eq(number(&svg, "count(//*[string()='stroke [mm]'])"), 1);
  cr_assert_eq(number(&svg, "count(//*[string()='force [kN]'])"), 1);
  cr_assert_eq(number(&svg, "string((//*[@class='x'])[last()])"), 60);
  cr_assert_eq(number(&svg, "string((//*[@class='y'])[last()])"), 100);
  cr_assert_eq(number(&svg, "count(//*[local-name()='path'])"), 2);
  svg_close(&svg);
  scratch_remove();
}

Test(chart, prefixes_look_at_negative_numbers_too) {
  scratch_make();
  const double x[] = {0, 1}, y[] = {-86.7e3, 10};
  ChartSeries series = {.name = "F", .n = 2, .stride = 1, .x = x, .y = y};
  Chart chart = {
      .title = "t", .label = {"x", "force"}, .unit = {"1", "N"}, .n_series = 1, .series = &series};
  Err err = {0};
  cr_assert_eq(chart_write(&chart, in_scratch("chart.svg"), &err), OK, "%s", err.text);
  Svg svg = svg_open(in_scratch("chart.svg"));
  cr_assert_eq(number(&svg, "count(//*[string()='force [kN]'])"), 1);
  svg_close(&svg);
  scratch_remove();
}

Test(chart, nothing_to_draw_is_refused) {
  scratch_make();
  const double nan = (double)NAN;
  ChartSeries series = {.name = "F", .n = 1, .stride = 1, .x = &nan, .y = &nan};
  Chart chart = {
      .title = "t", .label = {"x", "y"}, .unit = {"m", "N"}, .n_series = 1, .series = &series};
  cr_assert_eq(chart_write(&chart, in_scratch("a.svg"), NULL), ERR_INPUT);
  chart.n_series = 0;
  cr_assert_eq(chart_write(&chart, in_scratch("a.svg"), NULL), ERR_INPUT);
  cr_assert_not(file_exists(in_scratch("a.svg")));
  scratch_remove();
}

Test(chart, a_constant_line_and_a_single_point_have_axes) {
  scratch_make();
  const double x[] = {1, 2}, y[] = {5, 5};
  ChartSeries series = {.name = "F", .n = 2, .stride = 1, .x = x, .y = y};
  Chart chart = {
      .title = "t", .label = {"x", "y"}, .unit = {"s", "kg m/s"}, .n_series = 1, .series = &series};
  for (series.n = 1; series.n <= 2; series.n++) {
    const char *path = in_scratch("chart.svg");
    cr_assert_eq(chart_write(&chart, path, NULL), OK);
    Svg svg = svg_open(path);
    cr_assert_gt(number(&svg, "count(//*[@class='y'])"), 3);
    cr_assert_eq(number(&svg, "count(//*[string()='y [kg m/s]'])"), 1);
    svg_close(&svg);
  }
  scratch_remove();
}

Test(chart, an_axis_begins_at_zero_when_what_lies_beyond_is_too_little_to_see) {
  const double table[][2] = {{-1.7e-3, 0},
                             {-3e3, -20}}; // a force that wavers about zero, one that does not
  for (int k = 0; k < 2; k++) {
    scratch_make();
    double x[] = {0, 0.01, 0.02}, y[] = {table[k][0], 50e3, 90e3};
    ChartSeries series = {.name = "F", .n = 3, .stride = 1, .x = x, .y = y};
    Chart chart = {.title = "t",
                   .label = {"stroke", "force"},
                   .unit = {"m", "N"},
                   .n_series = 1,
                   .series = &series};
    Err err = {0};
    const char *path = in_scratch("chart.svg");
    cr_assert_eq(chart_write(&chart, path, &err), OK, "%s", err.text);
    Svg svg = svg_open(path);
    cr_assert_eq(number(&svg, "string((//*[@class='y'])[1])"), table[k][1]);
    svg_close(&svg);
    scratch_remove();
  }
}
