/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RECORDING_H
#define TESTS_RECORDING_H

/* A recording of two ranks that add a chunk and copy it, with every line
 * type. */
static const char recording[] =
    "{\"type\":\"run\",\"version\":1,\"collective\":\"allreduce\","
    "\"algorithm\":\"test\",\"ranks\":2,\"backend\":\"threads\","
    "\"devices\":[\"a CPU\",\"two\"],\"type_name\":\"float32\",\"op\":\"avg\","
    "\"root\":0,\"count\":2,\"steps\":2,\"in_place\":true,\"pieces\":1,"
    "\"scratch\":0,\"topology\":\"ring\",\"pace\":\"lockstep\","
    "\"place\":\"core\",\"places\":2,\"rank_devices\":[1,0],\"cores\":[-1,3],"
    "\"messages\":false,\"clock_ns\":250}\n"
    "{\"type\":\"step\",\"step\":1,\"phase\":\"reduce\","
    "\"transfers\":[[0,0,1,0,1,\"reduce\",0]]}\n"
    "{\"type\":\"step\",\"step\":2,\"phase\":\"broadcast\","
    "\"transfers\":[[1,0,0,0,1,\"copy\",0]]}\n"
    "{\"type\":\"input\",\"rank\":0,\"slot\":0,\"slots\":1,"
    "\"ledger\":[[[0,0,1]]],\"length\":[2],\"values\":[[1,0.1]]}\n"
    "{\"type\":\"input\",\"rank\":1,\"slot\":0,\"slots\":1,"
    "\"ledger\":[[[1,0,1]]],\"length\":[2],\"values\":[[2,\"inf\"]]}\n"
    "{\"type\":\"transfer\",\"step\":1,\"phase\":\"reduce\",\"src\":0,"
    "\"dst\":1,\"src_slot\":0,\"dst_slot\":0,\"slots\":1,\"op\":\"reduce\","
    "\"bytes\":8,\"begin_ns\":5,\"end_ns\":9,\"slice\":0,\"wait_ns\":2,"
    "\"waited_for\":0,\"fault\":\"repeat\","
    "\"ledger\":[[[0,0,2],[1,0,1]]],\"length\":[2],\"values\":[[4,\"inf\"]]}\n"
    "{\"type\":\"transfer\",\"step\":2,\"phase\":\"broadcast\",\"src\":1,"
    "\"dst\":0,\"src_slot\":0,\"dst_slot\":0,\"slots\":1,\"op\":\"copy\","
    "\"bytes\":8,\"begin_ns\":10,\"end_ns\":12,\"slice\":0,\"wait_ns\":0,"
    "\"waited_for\":-1,"
    "\"ledger\":[[[0,0,2],[1,0,1]]],\"length\":[2],\"values\":[[4,\"inf\"]]}\n"
    "{\"type\":\"divide\",\"rank\":0,\"by\":2,\"slot\":0,\"slots\":1,"
    "\"begin_ns\":12,\"end_ns\":12,\"slice\":0,\"wait_ns\":0,"
    "\"waited_for\":-1,"
    "\"ledger\":[[[0,0,2],[1,0,1]]],\"length\":[2],\"values\":[[2,\"inf\"]]}\n"
    "{\"type\":\"result\",\"correct\":false,\"wrong\":1,"
    "\"unequal\":2,\"overflowed\":1,\"steps\":2,"
    "\"bytes_sent\":[8,8],\"wall_ns\":12,\"first_wrong\":\"the run hangs: "
    "rank 1 waits for rank 0 (step 2), rank 0 stopped at a message of 2 "
    "elements from rank 1 where it expects 1 (step 1); 1 more waits\","
    "\"why\":{\"kind\":\"hangs\",\"waits\":[{\"kind\":\"receive\",\"rank\":1,"
    "\"peer\":0,\"step\":2},{\"kind\":\"truncated\",\"rank\":0,\"peer\":1,"
    "\"step\":1,\"length\":2,\"room\":1}],\"others\":1},"
    "\"native\":{\"name\":\"ncclAllReduce\",\"inside\":\"RING\","
    "\"wall_ns\":7,\"wrong\":0,\"differ\":1,"
    "\"apart\":{\"elements\":1,\"rank\":1,\"chunk\":0,\"element\":1,"
    "\"own\":\"nan\",\"ours\":\"inf\"}}}\n"
    "{\"type\":\"end\",\"complete\":true,\"lines\":10}\n";

#endif
