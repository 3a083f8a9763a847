/* SPDX-License-Identifier: MIT */
#include "play/option_table.h"

#include <stddef.h>
#include <string.h>

#include "base/translate.h"
#include "coll/coll.h"

enum {
    FOR_STEPS = FOR_SCHEDULE | FOR_CHECK,
    FOR_HOMES = FOR_HOME | FOR_SERVE,
    FOR_RUNS = FOR_RUN | FOR_HOMES | FOR_CHANGE | FOR_EXPORT,
    FOR_BOTH = FOR_STEPS | FOR_RUNS | FOR_COMPARE,
    FOR_MEASURES = FOR_BENCH | FOR_MEASURE,
    FOR_TASKS = FOR_PRACTICE | FOR_EXAM,
};

#define FIELD(name) .field = offsetof(struct options, name)
#define FLAG(name) .kind = KIND_FLAG, FIELD(name)
#define SAID .kind = KIND_SAID /* a flag that options_given() knows */
#define TEXT(name) .kind = KIND_TEXT, FIELD(name)
#define INT(name, from, to) \
    .kind = KIND_INT, FIELD(name), .least = from, .most = to
#define INT64(name, from, to) \
    .kind = KIND_INT64, FIELD(name), .least = from, .most = to
#define BYTES(name) .kind = KIND_BYTES, FIELD(name)
#define WORD(name, list) .kind = KIND_WORD, FIELD(name), WORDS(list)
#define READ(function) .kind = KIND_OWN, .parse = function
#define CHART_MOST(number) .chart_most = number
#define LETTER(c) .letter = c
#define WORDS(list) .words = WORDS_##list
#define FIRST .first = true
#define HEAD(text) .heading = text

const struct option_row option_rows[] = {
    {"gpus", "N", (FOR_BOTH & ~FOR_CHECK) | FOR_LEARN | FOR_MEASURES |
     FOR_CHART, N_("ranks (default: 4, or as many as --input has)"),
     INT(nranks, 1, SCHEDULE_RANKS_MAX), CHART_MOST(COLL_RANKS_MODELLED), FIRST,
     HEAD(N_("the run"))},
    {"gpus", "N[..M]", FOR_CHECK,
     N_("ranks (default: 4); 1..33 proves it for each of them"),
     READ(parse_gpus)},
    {"ranks", "N", FOR_BOTH | FOR_LEARN | FOR_MEASURES | FOR_CHART,
     N_("the same as --gpus"), INT(nranks, 1, SCHEDULE_RANKS_MAX),
     CHART_MOST(COLL_RANKS_MODELLED)},
    {"count", "N", FOR_RUNS | FOR_CHECK | FOR_COMPARE,
     N_("elements of each rank (default: 2N)"),
     INT64(count, 0, INT64_C(1) << 40), FIRST},
    {"counts", "N,N/N,N...", FOR_BOTH,
     N_("uneven: of each rank; of all-to-all a row for each"), TEXT(counts)},
    {"root", "RANK", FOR_BOTH | FOR_CHART,
     N_("of broadcast, reduce, scatter, gather"),
     INT(root, 0, SCHEDULE_RANKS_MAX - 1), FIRST},
    {"chunks", "C", FOR_BOTH | FOR_MEASURES | FOR_CHART,
     N_("chunks in chains and trees; auto: as many as are best"),
     READ(parse_chunks), WORDS(CHUNKS)},
    {"shape", "XxY[xZ]", FOR_BOTH | FOR_MEASURES | FOR_CHART,
     N_("of tori and meshes: rows x columns; nodes x GPUs"), READ(parse_shape)},
    {"type", "TYPE", FOR_RUNS | FOR_CHECK | FOR_COMPARE, NULL, WORD(type, TYPE),
     FIRST},
    {"op", "OP", FOR_RUNS | FOR_COMPARE, NULL, WORD(op, OP), FIRST},
    {"input", "A,A/B,B/...", FOR_BOTH, N_("each rank's elements"), TEXT(input)},
    {"out-of-place", NULL, FOR_BOTH, N_("leave the input as it is"),
     FLAG(out_of_place)},
    {"bytes", "SIZE", FOR_CHART,
     N_("chart: of the data, to begin with (default: 1M)"), BYTES(bytes)},
    {"minbytes", "SIZE", FOR_MEASURES,
     N_("the first size: 8, 64K, 1M, 1G (default: 32M)"),
     BYTES(bench.min_bytes), LETTER('b'), HEAD(N_("bench"))},
    {"maxbytes", "SIZE", FOR_MEASURES, N_("the last size (default: 32M)"),
     BYTES(bench.max_bytes), LETTER('e')},
    {"stepbytes", "SIZE", FOR_MEASURES,
     N_("from one size to the next (default: 1M)"), BYTES(bench.step_bytes),
     LETTER('i')},
    {"stepfactor", "N", FOR_MEASURES,
     N_("each size is this many times the one before"),
     INT(bench.factor, 1, INT32_MAX), LETTER('f')},
    {"ngpus", "N", FOR_MEASURES, N_("the same as --gpus"),
     INT(nranks, 1, SCHEDULE_RANKS_MAX), LETTER('g')},
    {"iters", "N", FOR_MEASURES,
     N_("calls that are timed together (default: 20)"),
     INT(bench.calls, 1, INT32_MAX), LETTER('n')},
    {"warmup_iters", "N", FOR_MEASURES, N_("calls before them (default: 1)"),
     INT(bench.warm_up, 0, INT32_MAX), LETTER('w')},
    {"check", "N", FOR_MEASURES, N_("0: do not check the results"),
     INT(bench.checks, 0, INT32_MAX), LETTER('c')},
    {"op", "OP", FOR_MEASURES, NULL, WORD(op, BENCH_OP), LETTER('o')},
    {"datatype", "TYPE", FOR_MEASURES, NULL, READ(parse_bench_type),
     WORDS(BENCH_TYPE), LETTER('d')},
    {"root", "RANK", FOR_MEASURES,
     N_("of broadcast, reduce, scatter, gather; -1: each in turn"),
     INT(root, -1, SCHEDULE_RANKS_MAX - 1), LETTER('r')},
    {"output_file", "OUT", FOR_BENCH,
     N_("write the results as nccl-tests' JSON, too"), TEXT(bench.output),
     LETTER('J')},
    {"read", NULL, FOR_BENCH,
     N_("chart tables of nccl-tests instead of measuring"), FLAG(bench.read)},
    {"backend", "NAME", FOR_RUNS | FOR_LEARN | FOR_COMPARE | FOR_MEASURES, NULL,
     TEXT(backend), WORDS(BACKEND), FIRST, HEAD(N_("where it runs"))},
    {"launcher", "CMD", FOR_RUN | FOR_HOMES | FOR_EXPORT | FOR_LEARN |
     FOR_BENCH, N_("mpi: what starts the ranks, as in 'srun -N 2'"),
     TEXT(launcher)},
    {"network", "NETWORK", FOR_RUNS | FOR_STEPS | FOR_COMPARE | FOR_LEARN |
     FOR_CHART | FOR_BENCH,
     N_("times as on nvlink, ethernet, dgx-h100, FILE or 4x8,..."),
     READ(parse_network), FIRST},
    {"order", "ORDER", FOR_RUNS | FOR_STEPS | FOR_COMPARE | FOR_LEARN |
     FOR_CHART | FOR_BENCH,
     N_("on its hosts: block, cyclic, or ranks, as in 0,4,1,5"), TEXT(order)},
    {"native", NULL, FOR_RUNS | FOR_BENCH,
     N_("mpi, nccl: compare with the library's own collective"), FLAG(native)},
    {"native-algorithm", "A", FOR_RUNS | FOR_BENCH,
     N_("mpi: the algorithm that Open MPI's own takes, as in 'ring'"),
     TEXT(native_algorithm)},
    {"pace", "PACE", FOR_RUNS,
     N_("lockstep: all take a step, then the next; free: as they can"),
     WORD(pace, PACE), HEAD(N_("slow or wrong"))},
    {"delay", "RANK=MS", FOR_RUNS,
     N_("hold a rank up before each of its steps (inf: for good)"),
     READ(parse_delay)},
    {"fault", "KIND:STEP:SRC", FOR_RUNS,
     N_("drop, repeat or corrupt what rank SRC sends in STEP"),
     READ(parse_fault)},
    {"mismatch", "RANK=WHAT", FOR_RUNS,
     N_("give a rank another root:K, count:K or algorithm:NAME"),
     READ(parse_mismatch)},
    {"rules", "RULES", FOR_RUNS,
     N_("of a mismatch: which messages meet, as MPI or NCCL has it"),
     WORD(rules, RULES)},
    {"broken", "KIND:SEED", FOR_RUNS,
     N_("break the schedule by one change, as in lost:7"), READ(parse_broken)},
    {"timeout", "S", FOR_RUN,
     N_("without a screen: end a run that takes more than S seconds"),
     INT(timeout, 1, 86400)},
    {"record", "FILE", FOR_RUN, N_("write the run to a file, to replay"),
     TEXT(record), FIRST, HEAD(N_("output"))},
    {"over-gpus", NULL, FOR_CHART,
     N_("chart: over the number of GPUs, not over the size"), FLAG(over_gpus)},
    {"busbw", NULL, FOR_CHART | FOR_BENCH,
     N_("chart: the bus bandwidth instead of the time"), FLAG(busbw)},
    {"plain", NULL, FOR_RUN | FOR_HOME | FOR_LEARN | FOR_COMPARE | FOR_REPLAY
     | FOR_CHART | FOR_BENCH | FOR_TASKS | FOR_LIST | FOR_CHECK | FOR_DOCTOR,
     N_("print the run as text"), FLAG(plain), FIRST},
    {"watch", NULL, FOR_RUN,
     N_("on the screen: run the file again when it is saved"), FLAG(watch)},
    {"serve", "[ADDR:PORT]", FOR_RUN | FOR_LEARN | FOR_REPLAY | FOR_TASKS,
     N_("browsers follow the screen (default: 127.0.0.1:8017)"), TEXT(serve)},
    {"json", NULL, FOR_RUN | FOR_HOME | FOR_LIST | FOR_COMPARE | FOR_REPLAY |
     FOR_CHART, N_("print it as lines of JSON"), FLAG(json)},
    {"states", NULL, FOR_RUN | FOR_REPLAY | FOR_CHECK,
     N_("show the slots, or steps, of more than 16 ranks, too"), FLAG(states)},
    {"svg", NULL, FOR_EXPORT | FOR_CHART | FOR_BENCH,
     N_("export a film, or one --step, or a chart, as an SVG"), FLAG(svg)},
    {"asciicast", NULL, FOR_EXPORT, N_("export a film for asciinema"), SAID},
    {"gif", NULL, FOR_EXPORT, N_("export a film as a GIF"), SAID},
    {"trace", NULL, FOR_EXPORT,
     N_("export when each transfer took place, for Perfetto"), SAID},
    {"msccl", NULL, FOR_EXPORT, N_("export an algorithm as MSCCL's XML"), SAID},
    {"html", NULL, FOR_EXPORT,
     N_("export a run, or a LESSON, as a page to step through"), SAID},
    {"output", "FILE", FOR_EXPORT | FOR_CHART,
     N_("write the export to a file (default: standard output)"), TEXT(output),
     LETTER('o')},
    {"step", "K", FOR_EXPORT, N_("the state after step K; 0: the input"),
     INT(step, 0, INT32_MAX)},
    {"view", "VIEW", FOR_EXPORT, N_("the view with this name, as in timeline"),
     WORD(view, VIEW)},
    {"seconds", "S", FOR_EXPORT, N_("of a film (default: as many as it takes)"),
     INT(seconds, 1, 3600)},
    {"size", "COLSxROWS", FOR_EXPORT | FOR_CHART | FOR_BENCH,
     N_("of the export, in characters (default: 80x24)"), READ(parse_size)},
    {"seed", "HEX", FOR_TASKS,
     N_("up to 8 hexadecimal digits: the same tasks everywhere"), TEXT(seed),
     HEAD(N_("lessons"))},
    {"skills", "LIST", FOR_EXAM,
     N_("of wire,repair,predict,choose,diagnose (default: all)"), TEXT(skills)},
    {"minutes", "M", FOR_EXAM, N_("end the exam after M minutes"),
     INT(minutes, 1, 999)},
    {"paper", NULL, FOR_TASKS,
     N_("print the tasks as a sheet; --answers: their key"), FLAG(paper)},
    {"answers", NULL, FOR_LEARN | FOR_TASKS,
     N_("with --plain or --paper: the answers"), FLAG(answers)},
    {"lecture", NULL, FOR_LEARN | FOR_HOMES | FOR_EXPORT,
     N_("lessons: the pages for a lecture of 45 minutes"), FLAG(lecture)},
    {"present", NULL, FOR_LEARN | FOR_HOMES,
     N_("learn: the class answers aloud; Enter reveals"), FLAG(present)},
    {"quiz", NULL, FOR_LEARN | FOR_HOMES,
     N_("with --present: take the answers at the keys"), FLAG(quiz)},
    {"review", NULL, FOR_LEARN,
     N_("learn: what was missed, after 1, 3 and 7 days"), FLAG(review)},
    {"reset", NULL, FOR_LEARN, N_("learn: forget the progress made"),
     FLAG(reset)},
    {"check", NULL, FOR_LEARN, N_("learn: find errors in a lesson's file"),
     FLAG(check)},
    {"ascii", NULL, FOR_RUN | FOR_HOMES | FOR_LEARN | FOR_COMPARE | FOR_REPLAY
     | FOR_EXPORT | FOR_CHART | FOR_BENCH | FOR_TASKS,
     N_("use only ASCII characters on the screen"), FLAG(ascii),
     HEAD(N_("always"))},
    {"lang", "LANG", FOR_ALL & ~FOR_CHANGE,
     N_("en or zh_CN (default: the environment's)"), READ(parse_lang), FIRST},
    {"help", NULL, FOR_ALL, N_("print this help"), FLAG(help), LETTER('h')},
    {"version", NULL, FOR_ALL, N_("print the version"), FLAG(version)},
    {.name = NULL},
};
enum { ROWS = sizeof option_rows / sizeof option_rows[0] - 1 };
_Static_assert((int)ROWS <= (int)OPTIONS_MAX, "one for each row");

const struct option_row *
option_find(const char *word, unsigned use, const char **value)
{
    bool is_long = word[1] == '-', several = false;
    const char *name = word + 1 + is_long;
    size_t length = is_long ? strcspn(name, "=") : 1;
    const struct option_row *found = NULL;

    *value = name[length] != '\0' ? name + length + is_long : NULL;
    for (int i = ROWS - 1; i >= 0; i--) {
        const struct option_row *row = &option_rows[i];
        if ((row->use & use) != use ||
            (is_long ? strncmp(row->name, name, length) != 0
                     : row->letter != name[0]))
            continue;
        if (!is_long || row->name[length] == '\0')
            return row;
        several = several || (found != NULL &&
                              strcmp(row->name, found->name) != 0);
        found = found != NULL ? found : row;
    }
    return several ? NULL : found;
}
