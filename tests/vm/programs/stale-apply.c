/* SPDX-License-Identifier: MIT */

/*
 * stale-apply LABEL [forget-diskseq]: plans the change of the layer by the installed policy and says so; once there is a
 * line on standard input, makes it, in a worker, as setrad would, without looking again. What happens to the device in
 * between is the scenario's business. With forget-diskseq as on a kernel that has no disk sequence numbers.
 */

#include <errno.h>
#include <string.h>

#include "common/change.h"
#include "common/sysroot.h"
#include "common/worker.h"

#define DEADLINE_MSEC 10000U

static _Noreturn void die(const char *what, int error) {
        fprintf(stderr, "stale-apply: %s: %s\n", what, strerror(-error));
        exit(1);
}

static struct apply_request plan_change(const char *label) {
        static const char *const directories[] = {POLICY_DIRECTORY_VENDOR, POLICY_DIRECTORY_LOCAL, NULL};
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        _cleanup_(policy_freep) struct policy *policy = NULL;
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(survey_unrefp) struct survey *survey = NULL;
        struct apply_request request;
        int r;

        r = policy_load_directories(directories, &policy, &errors);
        if (r < 0)
                die("policy", r);
        r = sysroot_open(NULL, &root);
        if (r < 0)
                die("root", r);
        r = survey_run(root, policy, &survey);
        if (r < 0)
                die("survey", r);
        for (size_t i = 0; i < survey->plan.n_decisions; i++) {
                const struct decision *decision = &survey->plan.decisions[i];

                if (strcmp(decision->layer->label, label) != 0)
                        continue;
                r = change_request(survey, decision, &request);
                if (r < 0)
                        die("no change is planned", r);
                return request;
        }
        die(label, -ENOENT);
}

static int run_apply(const void *input, void *result) {
        return apply_change(input, result);
}

static const char *outcome(const struct apply_result *result) {
        if (result->error == 0)
                return "changed";
        return strerrorname_np(-result->error);
}

int main(int argc, char **argv) {
        struct apply_request request;
        struct apply_result result;
        int r;

        if (argc < 2) {
                fprintf(stderr, "Usage: stale-apply LABEL [forget-diskseq]\n");
                return 2;
        }
        request = plan_change(argv[1]);
        request.probe = false;
        if (argc > 2)
                request.device.diskseq = 0;
        printf("planned %s: %u:%u, disk sequence %llu, uuid '%s', map '%s', %llu to %llu sectors\n", argv[1],
                        request.device.major, request.device.minor, (unsigned long long)request.device.diskseq,
                        request.device.dm_uuid, request.device.dm_name, (unsigned long long)request.from_sectors,
                        (unsigned long long)request.to_sectors);
        fflush(stdout);

        if (getchar() == EOF)
                return 1;
        r = worker_run(run_apply, &request, &result, sizeof(result), DEADLINE_MSEC);
        if (r < 0)
                die("worker", r);
        printf("%s at %s\n", outcome(&result), apply_step_name(result.step));
        return 0;
}
