#include "input/load.h"

#include <ctype.h>
#include <string.h>

// Parameters that quote each other twice would double at each step: no value needs to be longer.
enum { MAX_LENGTH = 1 << 16 }; // [bytes]

// They are searched one by one.
enum { MAX_PARAMETERS = 1000 };

static const ParamSpec parameter_params[] = {
    {"name", PARAM_TEXT, "", NULL, NULL, NULL, "how ${...} and --set call it"},
    {"value", PARAM_TEXT, "", NULL, NULL, NULL, "text that replaces ${name}; --set overrides it"},
    {"doc", PARAM_TEXT, "", "", NULL, NULL, "what it means"}};

const SchemaElement parameter_element = {
    .name = "parameter",
    .doc = "A named value: ${name} in any attribute below is replaced by it.",
    .params = parameter_params,
    .n_params = 3};

static const ParamSpec include_params[] = {
    {"href", PARAM_FILE, "", NULL, NULL, NULL, "file, relative to the file it stands in"},
    {"parse", PARAM_CHOICE, "", "xml", NULL, "xml", "for XInclude's sake"}};

const SchemaElement include_element = {.name = "include",
                                       .doc = "Puts in the elements of another file.",
                                       .params = include_params,
                                       .n_params = 2};

// One text with references, and where complaints about it go.
typedef struct {
  const char *text;
  bool numeric;
  SrcPos pos;
  const char *what;
} Template;

static bool is_name(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_') return false;
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && !strchr("_-.", *text)) return false;
  return true;
}

static const InputParameter *find(const Input *in, const char *name, size_t n, int n_known) {
  for (int k = 0; k < n_known; k++)
    if (strlen(in->parameters[k].name) == n && strncmp(in->parameters[k].name, name, n) == 0)
      return &in->parameters[k];
  return NULL;
}

static const char *nearest(const Loader *load, const char *name) {
  const Input *in = load->in;
  if (load->diag->n > MAX_PROPOSALS) return NULL;
  const char *found = NULL;
  int distance = DIAG_FAR;
  for (int k = 0; k < in->n_parameters; k++)
    if (diag_nearer(name, in->parameters[k].name, strlen(in->parameters[k].name), &distance))
      found = in->parameters[k].name;
  return found;
}

static void report_undefined(Loader *load, const Template *form, const char *name, size_t n) {
  char word[DIAG_SHORT];
  snprintf(word, sizeof word, "%.*s", (int)(n < DIAG_SHORT ? n : DIAG_SHORT), name);
  if (find(load->in, name, n, load->in->n_parameters)) {
    diag_add(load->diag, form->pos, "%s: parameter ${%s} is declared only below", form->what, word);
    return;
  }
  const char *near = nearest(load, word);
  diag_add(load->diag, form->pos, "%s: parameter ${%s} is not defined%s%s%s", form->what, word,
           near ? "; did you mean ${" : "", near ? near : "", near ? "}?" : "");
}

static void put(char *target, size_t *used, const char *text, size_t n) {
  if (target) memcpy(target + *used, text, n);
  *used += n;
}

// Writes the text with its references replaced, or only measures it (target NULL). False after a
// defect, which the measuring pass reports.
static bool expand(Loader *load, const Template *form, int n_known, char *target, size_t *used) {
  *used = 0;
  for (const char *c = form->text; *c;) {
    const char *open = strstr(c, "${");
    if (!open) {
      put(target, used, c, strlen(c));
      break;
    }
    put(target, used, c, (size_t)(open - c));
    const char *close = strchr(open, '}');
    if (!close) {
      diag_add(load->diag, form->pos, "%s: \"${\" without \"}\"", form->what);
      return false;
    }
    const char *name = open + 2;
    size_t n = (size_t)(close - name);
    const InputParameter *parameter = find(load->in, name, n, n_known);
    if (!parameter) {
      report_undefined(load, form, name, n);
      return false;
    }
    if (!parameter->value) return false; // reported where it is declared
    bool alone = open == form->text && close[1] == 0;
    bool wrapped = form->numeric && !alone;
    const char *value = form->numeric ? parameter->numeric : parameter->value;
    if (wrapped) put(target, used, "(", 1);
    put(target, used, value, strlen(value));
    if (wrapped) put(target, used, ")", 1);
    c = close + 1;
  }
  if (*used <= MAX_LENGTH) return true;
  diag_add(load->diag, form->pos, "%s: longer than %d characters with its parameters put in",
           form->what, MAX_LENGTH);
  return false;
}

static Status fill(Loader *load, const Template *form, int n_known, char **result) {
  *result = NULL;
  size_t n;
  if (!expand(load, form, n_known, NULL, &n)) return OK;
  char *target = load_take(load, n + 1, 1);
  if (!target) return ERR_SYSTEM;
  expand(load, form, n_known, target, &n);
  *result = target;
  return OK;
}

Status parameters_apply(Loader *load, const char *text, bool numeric, SrcPos pos, const char *what,
                        char **result) {
  if (!strstr(text, "${")) {
    *result = load_copy(load, text, strlen(text));
    return *result ? OK : ERR_SYSTEM;
  }
  Template form = {text, numeric, pos, what};
  return fill(load, &form, load->in->n_parameters, result);
}

static const RawAttr *find_attr(const RawNode *node, const char *name) {
  for (int k = 0; k < node->n_attrs; k++)
    if (strcmp(node->attrs[k].name, name) == 0) return &node->attrs[k];
  return NULL;
}

static void check_shape(Loader *load, const RawNode *node) {
  for (int k = 0; k < node->n_attrs; k++)
    if (!schema_param(&parameter_element, NULL, node->attrs[k].name))
      check_unknown_attr(load, &parameter_element, node, &node->attrs[k]);
  if (node->first || node->text_line > 0)
    diag_add(load->diag, node->pos, "<parameter> must be empty");
}

// Declares one parameter with its raw value; its value is filled in later.
static void declare(Loader *load, const RawNode *node) {
  Input *in = load->in;
  const RawAttr *name = find_attr(node, "name"), *value = find_attr(node, "value");
  check_shape(load, node);
  if (!name || !value)
    diag_add(load->diag, node->pos, "<parameter> needs the attribute '%s' (%s)",
             name ? "value" : "name", parameter_params[name ? 1 : 0].doc);
  if (!name) return;
  SrcPos pos = {node->pos.file, name->line};
  char buffer[DIAG_SHORT];
  const char *word = diag_short(name->value, buffer);
  if (!is_name(name->value)) {
    diag_add(load->diag, pos,
             "the parameter name \"%s\" must be a letter followed by letters, digits, _ - .", word);
    return;
  }
  const InputParameter *old = find(in, name->value, strlen(name->value), in->n_parameters);
  if (old) {
    diag_add(load->diag, pos, "the parameter \"%s\" is already declared at %s:%d", word,
             old->pos.file, old->pos.line);
    return;
  }
  // Without a value it is declared all the same, so that its uses are not reported as well.
  in->parameters[in->n_parameters++] =
      (InputParameter){.name = name->value, .value = value ? value->value : NULL, .pos = node->pos};
}

static Status override(Loader *load, const InputSetting *setting) {
  Input *in = load->in;
  for (int k = 0; k < in->n_parameters; k++) {
    if (strcmp(in->parameters[k].name, setting->name) != 0) continue;
    in->parameters[k].value = load_copy(load, setting->value, strlen(setting->value));
    return in->parameters[k].value ? OK : ERR_SYSTEM;
  }
  char buffer[DIAG_SHORT];
  const char *near = nearest(load, setting->name);
  diag_add(load->diag, (SrcPos){"--set", 0}, "the input has no parameter '%s'%s%s%s",
           diag_short(setting->name, buffer), near ? "; did you mean '" : "", near ? near : "",
           near ? "'?" : "");
  return OK;
}

Status parameters_read(Loader *load, const RawNode *root, const InputSetting *settings,
                       int n_settings) {
  Input *in = load->in;
  int n = 0;
  for (const RawNode *node = root->first; node; node = node->next)
    n += strcmp(node->name, parameter_element.name) == 0;
  if (n > MAX_PARAMETERS) {
    diag_add(load->diag, root->pos, "there are %d parameters, at most %d are possible", n,
             MAX_PARAMETERS);
    return OK;
  }
  in->parameters = load_take(load, n, sizeof *in->parameters);
  if (!in->parameters) return ERR_SYSTEM;
  for (const RawNode *node = root->first; node; node = node->next)
    if (strcmp(node->name, parameter_element.name) == 0) declare(load, node);
  for (int k = 0; k < n_settings; k++) TRY(override(load, &settings[k]));
  for (int k = 0; k < in->n_parameters; k++) {
    InputParameter *parameter = &in->parameters[k];
    if (!parameter->value) continue;
    char what[100], buffer[DIAG_SHORT];
    snprintf(what, sizeof what, "parameter \"%s\"", diag_short(parameter->name, buffer));
    Template text = {parameter->value, false, parameter->pos, what};
    Template numeric = {parameter->value, true, parameter->pos, what};
    TRY(fill(load, &text, k, &parameter->value));
    if (parameter->value) TRY(fill(load, &numeric, k, &parameter->numeric));
    if (!parameter->numeric) parameter->value = NULL;
  }
  return OK;
}
