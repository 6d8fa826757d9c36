/* SPDX-License-Identifier: MIT */

/* Names of maps: libdm's mangling (libdm-common.c, mangle_string()) and LVM's "VG-LV-LAYER" with doubled hyphens. */

#include <errno.h>
#include <string.h>

#include "common/dmtable.h"

static int hex_digit(char c) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = c ? strchr(digits, c | 0x20) : NULL;

        return digit && *digit ? (int)(digit - digits) : -1;
}

/* The byte that "\xHH" at S stands for; -1 if there is no such thing, or it is NUL. */
static int mangled_byte(const char *s) {
        int high, low;

        if (s[0] != '\\' || s[1] != 'x')
                return -1;
        high = hex_digit(s[2]);
        low = high < 0 ? -1 : hex_digit(s[3]);
        if (low < 0 || (high == 0 && low == 0))
                return -1;
        return high << 4 | low;
}

char *dmname_demangle(struct arena *arena, const char *name) {
        char *demangled, *end;

        demangled = end = arena_strdup(arena, name);
        if (!demangled)
                return NULL;
        while (*name) {
                int byte = mangled_byte(name);

                *end++ = (char)(byte < 0 ? *name : byte);
                name += byte < 0 ? 1 : 4;
        }
        *end = 0;
        return demangled;
}

bool dmname_equals(const char *mangled, const char *name) {
        while (*mangled && *name) {
                int byte = mangled_byte(mangled);

                if ((byte < 0 ? *mangled : (char)byte) != *name++)
                        return false;
                mangled += byte < 0 ? 1 : 4;
        }
        return *mangled == *name;
}

/*
 * Takes the part at *NAME up to the next single hyphen, undoing doubled ones, and moves *NAME past it. NULL without
 * memory.
 */
static char *take_part(struct arena *arena, const char **name) {
        const char *s = *name;
        char *part, *end;

        part = end = arena_strdup(arena, s);
        if (!part)
                return NULL;
        while (*s && (s[0] != '-' || s[1] == '-')) {
                *end++ = *s;
                s += s[0] == '-' ? 2 : 1;
        }
        *end = 0;
        *name = *s ? s + 1 : s;
        return part;
}

int dmname_split_lvm(struct arena *arena, const char *name, const char *uuid, const char **ret_vg, const char **ret_lv,
                const char **ret_suffix) {
        const char *vg, *lv, *suffix = NULL, *hyphen;

        *ret_vg = *ret_lv = *ret_suffix = NULL;
        if (strncmp(uuid, "LVM-", 4) != 0)
                return 0;

        /* LVM's own characters have no hyphen. */
        hyphen = strchr(uuid + 4, '-');
        if (hyphen && hyphen[1]) {
                suffix = arena_strdup(arena, hyphen + 1);
                if (!suffix)
                        return -ENOMEM;
        }

        vg = take_part(arena, &name);
        if (!vg)
                return -ENOMEM;
        lv = take_part(arena, &name);
        if (!lv)
                return -ENOMEM;

        *ret_suffix = suffix;
        if (*vg && *lv) {
                *ret_vg = vg;
                *ret_lv = lv;
        }
        return 0;
}
