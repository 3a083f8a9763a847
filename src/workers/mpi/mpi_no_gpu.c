/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_device.h"

const struct mpi_device *const mpi_device = NULL;
