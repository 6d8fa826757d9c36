/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/discover-ledger.h"
#include "common/ledger-view.h"
#include "common/ledger-watch.h"

static void forget(struct ledger_view *view) {
        ledger_freep(&view->ledger);
        view->ledger = NULL;
        view->pending = false;
}

void ledger_view_done(struct ledger_view *view) {
        forget(view);
        closep(&view->watch);
        *view = LEDGER_VIEW_NONE;
}

static void watch(struct ledger_view *view) {
        closep(&view->watch);
        view->watch = ledger_watch(LEDGER_PATH);
}

void ledger_view_begin(struct ledger_view *view, const struct sysroot *root) {
        if (!sysroot_is_live(root)) {
                forget(view);
                return;
        }
        if (view->ledger && ledger_watch_is_same(view->watch, LEDGER_PATH))
                return;
        forget(view);
        watch(view);
}

static bool find_pending(const struct ledger *ledger) {
        for (size_t i = 0; i < ledger_count(ledger); i++)
                if (ledger_get(ledger, i)->pending)
                        return true;
        return false;
}

int ledger_view_end(struct ledger_view *view, const struct sysroot *root, bool *ret_steady) {
        bool same = sysroot_is_live(root) && ledger_watch_is_same(view->watch, LEDGER_PATH);
        int r = 0;

        if (!same) {
                forget(view);
                if (sysroot_is_live(root))
                        watch(view);
        }
        if (!view->ledger) {
                r = ledger_read(root, &view->ledger);
                view->pending = r == 0 && find_pending(view->ledger);
        }
        *ret_steady = r == 0 && same && !view->pending;
        return r == -ENOMEM ? r : 0;
}
