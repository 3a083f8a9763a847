/* SPDX-License-Identifier: MIT */
/* The processor of this machine. */
#ifndef RUN_PROCESSOR_H
#define RUN_PROCESSOR_H

#include "event/event.h"

/* Its name, as the system reports it. */
void processor_name(char name[RUN_NAME_MAX]);

#endif
