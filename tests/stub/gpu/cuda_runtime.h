/* SPDX-License-Identifier: MIT */
/* CUDA's header for lessons/code; tests/stub/gpu/fake.c has the functions. */
#include "../../fake_cuda/cuda_runtime_api.h"
