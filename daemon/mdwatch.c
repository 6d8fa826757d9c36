/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "common/sysroot.h"
#include "daemon/mdwatch.h"

#define TEXT_MAX 64

static const char *const attributes[] = {"array_state", "sync_action", "degraded"};

/* One array. Its directory in sysfs is another one, by inode, when it has been stopped and made again. */
struct array {
        struct array *next;
        struct mdwatch *watch;
        char *sysname;
        ino_t inode;
        bool followed; /* by the topology that is being gone through */
        sd_event_source *sources[ARRAY_SIZE(attributes)];
        char texts[ARRAY_SIZE(attributes)][TEXT_MAX]; /* when last read */
};

struct mdwatch {
        sd_event *event;
        mdwatch_handler handler;
        void *userdata;
        struct array *arrays;
};

int mdwatch_new(sd_event *event, mdwatch_handler handler, void *userdata, struct mdwatch **ret) {
        struct mdwatch *watch = calloc(1, sizeof(*watch));

        if (!watch)
                return -ENOMEM;
        *watch = (struct mdwatch){.event = event, .handler = handler, .userdata = userdata};
        *ret = watch;
        return 0;
}

/* The sources own their descriptors. */
static void array_free(struct array *array) {
        for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
                sd_event_source_disable_unref(array->sources[i]);
        free(array->sysname);
        free(array);
}

DEFINE_CLEANUP(struct array *, array_free);

void mdwatch_free(struct mdwatch *watch) {
        if (!watch)
                return;
        while (watch->arrays) {
                struct array *array = watch->arrays;

                watch->arrays = array->next;
                array_free(array);
        }
        free(watch);
}

/* An array that is written to goes to and fro between these many times a minute. */
static const char *running_state(const char *text) {
        static const char *const running[] = {"clean", "active", "active-idle", "write-pending"};

        for (size_t i = 0; i < ARRAY_SIZE(running); i++)
                if (strcmp(text, running[i]) == 0)
                        return running[0];
        return text;
}

/*
 * An attribute wakes pollers until it has been read from its start again. Returns 1 if it says something else than when
 * it was last read, 0, or a negative errno.
 */
static int read_again(int fd, char last[static TEXT_MAX]) {
        char text[TEXT_MAX];
        const char *state;
        ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

        if (n < 0)
                return -errno;
        text[n] = '\0';
        text[strcspn(text, "\n")] = '\0';
        state = running_state(text);
        if (strcmp(state, last) == 0)
                return 0;
        snprintf(last, TEXT_MAX, "%s", state);
        return 1;
}

static size_t attribute_of(const struct array *array, const sd_event_source *source) {
        size_t i = 0;

        while (array->sources[i] != source)
                i++;
        return i;
}

static int on_attribute(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        struct array *array = userdata;
        int r = read_again(fd, array->texts[attribute_of(array, source)]);

        /* An array that is gone would wake for ever; the scan to come drops or replaces it. */
        if (r < 0)
                sd_event_source_set_enabled(source, SD_EVENT_OFF);
        if (r != 0)
                array->watch->handler(array->sysname, array->watch->userdata);
        return 0;
}

static bool is_watched(const struct array *array, size_t i) {
        int enabled = SD_EVENT_OFF;

        return array->sources[i] && sd_event_source_get_enabled(array->sources[i], &enabled) > 0;
}

/* Returns 1, 0 where there is no such attribute, or a negative errno. */
static int watch_attribute(struct array *array, size_t i) {
        _cleanup_(closep) int fd = -1;
        _cleanup_(freep) char *path = NULL;
        int r;

        array->sources[i] = sd_event_source_disable_unref(array->sources[i]);
        if (asprintf(&path, "/sys/class/block/%s/md/%s", array->sysname, attributes[i]) < 0) {
                path = NULL;
                return -ENOMEM;
        }
        fd = open(path, O_RDONLY | O_CLOEXEC);
        r = fd < 0 ? -errno : read_again(fd, array->texts[i]);
        if (r < 0)
                return sysroot_is_failure(r) ? r : 0;
        r = sd_event_add_io(array->watch->event, &array->sources[i], fd, EPOLLPRI, on_attribute, array);
        if (r < 0)
                return r;
        r = sd_event_source_set_io_fd_own(array->sources[i], true);
        if (r < 0)
                return r;
        TAKE_FD(fd);
        return 1;
}

/* Some come with the array's start, and some with another level. */
static int watch_attributes(struct array *array) {
        bool news = false;

        for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
                int r = is_watched(array, i) ? 0 : watch_attribute(array, i);

                if (r < 0)
                        return r;
                news |= r > 0;
        }
        /* It may have changed since it was read. */
        if (news)
                array->watch->handler(array->sysname, array->watch->userdata);
        return 0;
}

/* Returns 1, 0 where there is no such array (any more), or a negative errno. */
static int find_inode(const char *sysname, ino_t *ret) {
        _cleanup_(freep) char *path = NULL;
        struct stat st;

        if (asprintf(&path, "/sys/class/block/%s/md", sysname) < 0) {
                path = NULL;
                return -ENOMEM;
        }
        if (stat(path, &st) < 0)
                return sysroot_is_failure(-errno) ? -errno : 0;
        *ret = st.st_ino;
        return 1;
}

static int add_array(struct mdwatch *watch, const char *sysname, ino_t inode) {
        _cleanup_(array_freep) struct array *array = calloc(1, sizeof(*array));

        if (!array)
                return -ENOMEM;
        *array = (struct array){.watch = watch, .inode = inode, .followed = true, .sysname = strdup(sysname)};
        if (!array->sysname)
                return -ENOMEM;
        array->next = watch->arrays;
        watch->arrays = array;
        return watch_attributes(TAKE_PTR(array));
}

static struct array *find_array(const struct mdwatch *watch, const char *sysname, ino_t inode) {
        for (struct array *array = watch->arrays; array; array = array->next)
                if (array->inode == inode && strcmp(array->sysname, sysname) == 0)
                        return array;
        return NULL;
}

/* Those that are not followed; of SYSNAME only, or (NULL) all. */
static void drop_others(struct mdwatch *watch, const char *sysname) {
        for (struct array **link = &watch->arrays; *link;) {
                struct array *array = *link;

                if (array->followed || (sysname && strcmp(array->sysname, sysname) != 0)) {
                        link = &array->next;
                        continue;
                }
                *link = array->next;
                array_free(array);
        }
}

static void begin_following(struct mdwatch *watch) {
        for (struct array *array = watch->arrays; array; array = array->next)
                array->followed = false;
}

static int follow_array(struct mdwatch *watch, const char *sysname) {
        struct array *array;
        ino_t inode = 0;
        int r;

        r = find_inode(sysname, &inode);
        if (r <= 0)
                return r;
        array = find_array(watch, sysname, inode);
        if (!array)
                return add_array(watch, sysname, inode);
        array->followed = true;
        return watch_attributes(array);
}

/* Another array of its name, or a device that is none, has taken the place of what was watched. */
static void drop_replaced(struct mdwatch *watch, const struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++)
                if (!topology->layers[i]->carried)
                        drop_others(watch, topology->layers[i]->sysname);
        for (size_t i = 0; i < topology->n_gone; i++)
                drop_others(watch, topology->gone[i]);
}

static int first_error(int before, int r) {
        return before < 0 ? before : r;
}

int mdwatch_follow(struct mdwatch *watch, const struct topology *topology, bool all) {
        int r = 0;

        begin_following(watch);
        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i]->md && !topology->layers[i]->carried)
                        r = first_error(r, follow_array(watch, topology->layers[i]->sysname));
        if (all)
                drop_others(watch, NULL);
        else
                drop_replaced(watch, topology);
        return r;
}
