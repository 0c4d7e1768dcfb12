#include "file/chart.h"

#include <math.h>
#include <string.h>

#include "file/atomic.h"

// Size of the picture and of the field between its axes [px].
enum { WIDTH = 900, HEIGHT = 560, LEFT = 84, RIGHT = 690, TOP = 48, BOTTOM = 500 };
enum { N_TICKS = 7 }; // about

// Colours that people who see fewer of them can tell apart, black for the first.
static const char *const colour[CHART_MAX_SERIES] = {"#222222", "#0072b2", "#d55e00", "#009e73",
                                                     "#cc79a7", "#e69f00", "#56b4e9", "#777777",
                                                     "#8c510a", "#5e3c99", "#a6a600", "#b2182b"};

typedef struct {
  double low, high, step; // of the values
  double factor;          // shown number = value * factor
  char unit[32];          // with its prefix, in brackets; "" without unit
} Axis;

static void put_text(FILE *out, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '<')
      fputs("&lt;", out);
    else if (*c == '>')
      fputs("&gt;", out);
    else if (*c == '&')
      fputs("&amp;", out);
    else if ((unsigned char)*c >= 32)
      fputc(*c, out);
  }
}

// 1, 2 or 5 times a power of ten.
static double nice_step(double range) {
  double raw = range / N_TICKS, power = pow(10, floor(log10(raw))), ratio = raw / power;
  return power * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
}

static void choose_prefix(Axis *axis, const char *unit) {
  static const struct {
    int power;
    const char *text;
  } prefix[] = {{-6, "\xc2\xb5"}, {-3, "m"}, {0, ""}, {3, "k"}, {6, "M"}, {9, "G"}};
  double most = fmax(fabs(axis->low), fabs(axis->high));
  axis->factor = 1;
  axis->unit[0] = 0;
  if (strcmp(unit, "1") == 0 || !unit[0]) return;
  size_t k = 2, n = sizeof prefix / sizeof prefix[0];
  int simple = strlen(unit) <= 2 && strcmp(unit, "kg") != 0; // m/s, rad... stay as they are
  while (simple && k > 0 && most < pow(10, prefix[k].power)) k--;
  while (simple && k + 1 < n && most >= 10 * pow(10, prefix[k + 1].power)) k++;
  axis->factor = pow(10, -prefix[k].power);
  snprintf(axis->unit, sizeof axis->unit, " [%s%.24s]", prefix[k].text, unit);
}

static Status find_range(const Chart *chart, Axis axis[2], Err *err) {
  for (int a = 0; a < 2; a++) axis[a] = (Axis){.low = (double)INFINITY, .high = -(double)INFINITY};
  for (int s = 0; s < chart->n_series; s++) {
    const ChartSeries *series = &chart->series[s];
    for (long k = 0; k < series->n; k++) {
      const double v[2] = {series->x[k * series->stride], series->y[k * series->stride]};
      if (!isfinite(v[0]) || !isfinite(v[1])) continue;
      for (int a = 0; a < 2; a++) {
        axis[a].low = fmin(axis[a].low, v[a]);
        axis[a].high = fmax(axis[a].high, v[a]);
      }
    }
  }
  if (!(axis[0].low <= axis[0].high))
    return err_set(err, ERR_INPUT, "the diagram '%s' has no point", chart->title);
  for (int a = 0; a < 2; a++) {
    const double near = 0.4; // zero is shown when it is this near, of the range
    const double hidden =
        1e-3; // of the range: less beyond zero is no more than the width of a line
    double range = axis[a].high - axis[a].low;
    if (axis[a].low < 0 && -axis[a].low < hidden * range) axis[a].low = 0;
    if (axis[a].high > 0 && axis[a].high < hidden * range) axis[a].high = 0;
    if (axis[a].low > 0 && axis[a].low < near * axis[a].high) axis[a].low = 0;
    if (axis[a].high < 0 && -axis[a].high < -near * axis[a].low) axis[a].high = 0;
    if (!(range > 0)) {
      double more = axis[a].low != 0 ? 0.5 * fabs(axis[a].low) : 1;
      axis[a].low -= more;
      axis[a].high += more;
    }
    choose_prefix(&axis[a], chart->unit[a]);
    // Whole steps, a hair less so that a value on a step ends the axis there.
    const double hair = 1e-9;
    axis[a].step = nice_step((axis[a].high - axis[a].low) * axis[a].factor) / axis[a].factor;
    axis[a].low = axis[a].step * floor(axis[a].low / axis[a].step + hair);
    axis[a].high = axis[a].step * ceil(axis[a].high / axis[a].step - hair);
  }
  return OK;
}

static double place(const Axis axis[2], int a, double value) {
  double share = (value - axis[a].low) / (axis[a].high - axis[a].low);
  return a == 0 ? LEFT + share * (RIGHT - LEFT) : BOTTOM - share * (BOTTOM - TOP);
}

static void put_axes(FILE *out, const Chart *chart, const Axis axis[2]) {
  for (int a = 0; a < 2; a++) {
    int n = (int)round((axis[a].high - axis[a].low) / axis[a].step);
    for (int k = 0; k <= n; k++) {
      double value = axis[a].low + k * axis[a].step, at = place(axis, a, value);
      double number = value * axis[a].factor, step = axis[a].step * axis[a].factor;
      if (fabs(number) < 1e-9 * step) number = 0;
      const char *grid = number == 0 ? "#999999" : "#e4e4e4";
      if (a == 0)
        fprintf(out,
                "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\" stroke=\"%s\"/>\n"
                "<text class=\"x\" x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                at, TOP, at, BOTTOM, grid, at, BOTTOM + 20, number);
      else
        fprintf(out,
                "<line x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\" stroke=\"%s\"/>\n"
                "<text class=\"y\" x=\"%d\" y=\"%.2f\" text-anchor=\"end\" dy=\"5\">%.6g</text>\n",
                LEFT, at, RIGHT, at, grid, LEFT - 8, at, number);
    }
  }
  fprintf(out,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333333\"/>\n",
          LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
  fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + RIGHT) / 2, BOTTOM + 44);
  put_text(out, chart->label[0]);
  fprintf(out,
          "%s</text>\n<text transform=\"translate(22 %d) rotate(-90)\" text-anchor=\"middle\">",
          axis[0].unit, (TOP + BOTTOM) / 2);
  put_text(out, chart->label[1]);
  fprintf(out, "%s</text>\n<text x=\"%d\" y=\"28\" font-size=\"17\">", axis[1].unit, LEFT);
  put_text(out, chart->title);
  fprintf(out, "</text>\n");
}

static void put_points(FILE *out, const ChartSeries *series, const Axis axis[2], const char *ink) {
  fprintf(out, "<g fill=\"%s\" fill-opacity=\"0.55\">\n", ink);
  for (long k = 0; k < series->n; k++) {
    double x = series->x[k * series->stride], y = series->y[k * series->stride];
    if (isfinite(x) && isfinite(y))
      fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2\"/>\n", place(axis, 0, x),
              place(axis, 1, y));
  }
  fprintf(out, "</g>\n");
}

static void put_line(FILE *out, const ChartSeries *series, const Axis axis[2], const char *ink) {
  int down = 0; // the pen
  fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", ink);
  for (long k = 0; k < series->n; k++) {
    double x = series->x[k * series->stride], y = series->y[k * series->stride];
    int shown = isfinite(x) && isfinite(y);
    if (shown)
      fprintf(out, "%s%.2f %.2f\n", down ? "L" : "M", place(axis, 0, x), place(axis, 1, y));
    down = shown;
  }
  fprintf(out, "\"/>\n");
}

static void put_legend(FILE *out, const Chart *chart) {
  for (int s = 0; s < chart->n_series; s++) {
    int y = TOP + 14 + 24 * s, x = RIGHT + 16;
    if (chart->series[s].style == CHART_POINTS)
      fprintf(out, "<ellipse cx=\"%d\" cy=\"%d\" rx=\"4\" ry=\"4\" fill=\"%s\"/>\n", x + 12, y,
              colour[s]);
    else
      fprintf(out,
              "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"3\"/>\n",
              x, y, x + 24, y, colour[s]);
    fprintf(out, "<text x=\"%d\" y=\"%d\">", x + 32, y + 5);
    put_text(out, chart->series[s].name);
    fprintf(out, "</text>\n");
  }
}

Status chart_write(const Chart *chart, const char *path, Err *err) {
  Axis axis[2];
  AtomicFile file;
  if (chart->n_series < 1 || chart->n_series > CHART_MAX_SERIES)
    return err_set(err, ERR_INPUT, "a diagram has 1 to %d curves, not %d", CHART_MAX_SERIES,
                   chart->n_series);
  TRY(find_range(chart, axis, err));
  TRY(atomic_open(&file, path, err));
  FILE *out = file.stream;
  fprintf(out,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
          "%d\" font-family=\"sans-serif\" font-size=\"14\">\n"
          "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
  put_axes(out, chart, axis);
  for (int s = 0; s < chart->n_series; s++) {
    const ChartSeries *series = &chart->series[s];
    (series->style == CHART_POINTS ? put_points : put_line)(out, series, axis, colour[s]);
  }
  put_legend(out, chart);
  fprintf(out, "</svg>\n");
  return atomic_commit(&file, err);
}
