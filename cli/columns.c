/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include <libsmartcols.h>

#include "cli/columns.h"
#include "cli/text.h"
#include "common/units.h"

static const struct decision *decision_of(const struct row *row) {
        return &row->survey->plan.decisions[row->layer->index];
}

static const struct geometry *geometry_of(const struct row *row) {
        return &row->survey->geometry[row->layer->index];
}

__attribute__((format(printf, 1, 2))) static char *format_text(const char *format, ...) {
        char *text = NULL;
        va_list arguments;
        int r;

        va_start(arguments, format);
        r = vasprintf(&text, format, arguments);
        va_end(arguments);
        return r < 0 ? NULL : text;
}

static char *format_number(struct opt_int number) {
        return number.known ? format_text("%" PRId64, number.value) : strdup("");
}

static char *format_bytes(const struct row *row, struct opt_int bytes) {
        char buffer[UNITS_BUFFER];

        if (row->machine || row->bytes || !bytes.known || bytes.value <= 0)
                return format_number(bytes);
        return strdup(units_format_bytes(buffer, (uint64_t)bytes.value));
}

static char *format_name(const struct row *row) {
        _cleanup_(freep) char *title = NULL;

        if (row->machine)
                return strdup(row->layer->label);
        title = text_layer_title(row->layer);
        if (!title || !row->elsewhere)
                return TAKE_PTR(title);
        return format_text("%s …", title);
}

static char *format_kname(const struct row *row) {
        return strdup(row->layer->name);
}

static char *format_devno(const struct row *row) {
        return row->layer->has_devno ? format_text("%u:%u", row->layer->major, row->layer->minor) : strdup("");
}

static char *format_kind(const struct row *row) {
        return strdup(kind_name(row->layer->kind));
}

static char *format_size(const struct row *row) {
        struct opt_int sectors = row->layer->size_sectors;
        uint64_t bytes;

        if (!sectors.known || !sectors_to_bytes((uint64_t)sectors.value, &bytes) || bytes > INT64_MAX)
                return strdup("");
        return format_bytes(row, opt_some((int64_t)bytes));
}

static char *format_readahead(const struct row *row) {
        return format_number(row->layer->readahead_sectors);
}

static char *format_target(const struct row *row) {
        return format_number(decision_of(row)->target.sectors);
}

static char *format_stripe(const struct row *row) {
        const struct geometry *geometry = geometry_of(row);
        char stripe[UNITS_BUFFER];

        if (!geometry->known)
                return strdup("");
        if (row->machine)
                return format_text("%" PRIu64, geometry->stripe_bytes);
        if (geometry->chunk_bytes == 0)
                return row->bytes ? format_text("%" PRIu64, geometry->stripe_bytes)
                                  : strdup(units_format_bytes(stripe, geometry->stripe_bytes));
        if (row->bytes)
                return format_text("%u × %" PRIu64, geometry->data_disks, geometry->chunk_bytes);
        return format_text("%u × %s", geometry->data_disks, units_format_bytes(stripe, geometry->chunk_bytes));
}

static char *format_chunk(const struct row *row) {
        const struct geometry *geometry = geometry_of(row);

        if (!geometry->known || geometry->chunk_bytes == 0 || geometry->chunk_bytes > INT64_MAX)
                return strdup("");
        return format_bytes(row, opt_some((int64_t)geometry->chunk_bytes));
}

static char *format_data(const struct row *row) {
        const struct geometry *geometry = geometry_of(row);

        return geometry->known ? format_text("%u", geometry->data_disks) : strdup("");
}

/* TEXT, which it takes over, and ITEM with a comma between. */
static char *append_item(char *text, const char *item) {
        _cleanup_(freep) char *before = text;

        return before ? format_text("%s%s%s", before, *before ? "," : "", item) : NULL;
}

static char *format_from(const struct row *row) {
        const struct geometry *geometry = geometry_of(row);
        char *text = strdup("");

        for (size_t i = 0; geometry->known && i < geometry->n_from; i++)
                text = append_item(text, geometry->from[i]->name);
        return text;
}

static char *format_io_min(const struct row *row) {
        return format_bytes(row, row->layer->io_min_bytes);
}

static char *format_io_opt(const struct row *row) {
        return format_bytes(row, row->layer->io_opt_bytes);
}

static char *format_alignment(const struct row *row) {
        return format_number(row->layer->alignment_offset_bytes);
}

static char *format_use(const struct row *row) {
        const struct layer *layer = row->layer;
        char *text = strdup("");

        for (size_t i = 0; i < layer->n_uses; i++)
                text = append_item(text, layer->uses[i].type == USE_SWAP ? "[SWAP]" : layer->uses[i].path);
        return text;
}

static char *format_rule(const struct row *row) {
        return strdup(decision_of(row)->rule ?: "");
}

static char *format_state(const struct row *row) {
        const struct decision *decision = decision_of(row);
        const char *action = plan_action_name(decision->action);
        uint64_t sectors = (uint64_t)opt_or(decision->target.sectors, 0);
        char target[UNITS_BUFFER];
        uint64_t bytes;

        if (row->machine)
                return strdup(action);
        if (decision->action == ACTION_IGNORE)
                return strdup("");
        if (!decision_is_change(decision))
                return strdup(action);
        if (row->bytes && sectors_to_bytes(sectors, &bytes))
                return format_text("%s to %" PRIu64 " B", action, bytes);
        return format_text("%s to %s", action, units_format_sectors(target, sectors));
}

static char *format_reason(const struct row *row) {
        return strdup(decision_of(row)->reason ?: "");
}

static char *format_findings(const struct row *row) {
        size_t n = 0;
        const struct finding *findings = findings_of(&row->survey->findings, row->layer, &n);
        char *text = strdup("");

        for (size_t i = 0; findings && i < n; i++)
                text = append_item(text, finding_code_name(findings[i].code));
        return text;
}

static const struct column columns[] = {
                {"NAME", true, SCOLS_FL_TREE, "label, and kernel name where it differs", format_name},
                {"KNAME", false, 0, "kernel name", format_kname},
                {"MAJ:MIN", false, 0, "device number", format_devno},
                {"KIND", true, 0, "kind of layer", format_kind},
                {"SIZE", false, SCOLS_FL_RIGHT, "size", format_size},
                {"RA", true, SCOLS_FL_RIGHT, "readahead in 512-byte sectors, as blockdev --getra", format_readahead},
                {"TARGET", true, SCOLS_FL_RIGHT, "readahead that its rule asks for, in sectors", format_target},
                {"STRIPE", true, 0, "stripe beneath: data disks × chunk", format_stripe},
                {"CHUNK", false, SCOLS_FL_RIGHT, "chunk of that stripe", format_chunk},
                {"DATA", false, SCOLS_FL_RIGHT, "data disks of that stripe", format_data},
                {"FROM", false, SCOLS_FL_WRAP, "layers that the stripe comes from", format_from},
                {"IO-MIN", false, SCOLS_FL_RIGHT, "minimum I/O size", format_io_min},
                {"IO-OPT", false, SCOLS_FL_RIGHT, "optimal I/O size", format_io_opt},
                {"ALIGN", false, SCOLS_FL_RIGHT, "alignment offset in bytes; -1: inconsistent", format_alignment},
                {"USE", false, SCOLS_FL_WRAP, "mount points, [SWAP]", format_use},
                {"RULE", false, SCOLS_FL_WRAP, "rule of the policy that matched", format_rule},
                {"STATE", true, SCOLS_FL_WRAP, "raise, lower, keep, hold; nothing where it is left alone",
                                format_state},
                {"REASON", false, SCOLS_FL_WRAP, "why", format_reason},
                {"FINDING", false, SCOLS_FL_WRAP, "codes of what was found", format_findings},
};

static int add_column(struct column_list *list, const struct column *column) {
        if (list->n == COLUMNS_MAX) {
                text_error("more than %d columns", COLUMNS_MAX);
                return -EINVAL;
        }
        list->items[list->n++] = column;
        return 0;
}

static int add_by_name(struct column_list *list, const char *name, size_t length) {
        for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
                if (strlen(columns[i].name) == length && strncasecmp(columns[i].name, name, length) == 0)
                        return add_column(list, &columns[i]);
        text_error("no column '%.*s'; 'setractl scan --help' lists them", (int)length, name);
        return -EINVAL;
}

int columns_parse(const char *list, struct column_list *ret) {
        struct column_list chosen = {};
        int r;

        if (!list || *list == '+')
                for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
                        if (columns[i].usual)
                                chosen.items[chosen.n++] = &columns[i];
        if (list && *list == '+')
                list++;
        while (list) {
                const char *end = strchrnul(list, ',');

                r = add_by_name(&chosen, list, (size_t)(end - list));
                if (r < 0)
                        return r;
                list = *end ? end + 1 : NULL;
        }
        *ret = chosen;
        return 0;
}

void columns_print_help(FILE *stream) {
        for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
                fprintf(stream, "  %c %-8s %s\n", columns[i].usual ? '*' : ' ', columns[i].name, columns[i].help);
}
