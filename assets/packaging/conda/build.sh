#!/bin/bash
# SPDX-License-Identifier: MIT
set -eu
./configure --prefix="$PREFIX" --with-mpi --with-gif --with-microhttpd --enable-nls \
  --without-cuda --without-nccl --without-simgrid --without-vterm --without-gloo
make -j"${CPU_COUNT:-1}"
make install
