/* SPDX-License-Identifier: MIT */
#include "layer/base/dispatch.h"

cl_icd_dispatch occ_target;
