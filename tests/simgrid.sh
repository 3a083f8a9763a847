#!/bin/sh
# SPDX-License-Identifier: MIT
# A launcher whose ranks and network SimGrid simulates:
#
#     --launcher 'tests/simgrid.sh FOLDER PROGRAM NETWORK [ORDER]'
#
# PROGRAM is collviz-mpi compiled with SimGrid's smpicc (tests/collviz-smpi), whose
# ranks are threads of one process.  FOLDER takes the description of the network.
# collviz adds -n RANKS WORKER.
#
# Only messages take simulated time: not computation, whose speed here says
# nothing of the simulated hosts, and not looking for a message.  SimGrid's model
# is that of ports, alpha and beta: without SMPI's factors, TCP's window and
# acknowledgements, and with ranks that end a step when what they send has
# arrived: SMPI holds messages of less than 64 KiB for them, so that those of
# several steps share a NIC, and all of them come late.
set -eu
folder=$1 program=$2 network=$3 order=
shift 3
[ "$1" = -n ] || { order=$1 && shift; }
ranks=$2 describe="$(dirname "$0")/simgrid.py"
# Networks are described once.
platform=$folder/$ranks-$network-$order.xml
[ -e "$platform" ] ||
  python3 "$describe" "$ranks" "$network" ${order:+"$order"} >"$platform"
[ -e "$folder/$ranks.hosts" ] || python3 "$describe" "$ranks" hosts >"$folder/$ranks.hosts"
exec smpirun -no-privatize -quiet --cfg=smpi/simulate-computation:no \
  --cfg=smpi/test:0 --cfg=smpi/iprobe:0 --log=root.thres:error \
  --cfg=network/model:CM02 --cfg=network/TCP-gamma:0 \
  --cfg=network/crosstraffic:0 --cfg=network/weight-S:0 \
  --cfg=network/latency-factor:1 --cfg=network/bandwidth-factor:1 \
  --cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1 \
  --cfg=smpi/send-is-detached-thresh:0 \
  -np "$ranks" -platform "$platform" -hostfile "$folder/$ranks.hosts" "$program"
