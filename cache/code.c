/* SPDX-License-Identifier: MIT */
#include "cache/code.h"

#include <string.h>

void occ_code_append(const struct occ_code *code, struct occ_buffer *section)
{
	unsigned char head[OCC_CODE_HEAD_SIZE];

	memset(head, 0, sizeof(head));
	occ_put_u32(head, code->maker);
	occ_put_u32(head + 4, code->capability);
	occ_buffer_append(section, head, sizeof(head));
	occ_buffer_append(section, code->bytes.data, code->bytes.size);
}

bool occ_code_parse(struct occ_span section, struct occ_code *ret_code)
{
	if (section.size <= OCC_CODE_HEAD_SIZE)
		return false;
	ret_code->maker = occ_get_u32(section.data);
	ret_code->capability = occ_get_u32(section.data + 4);
	ret_code->bytes.data = section.data + OCC_CODE_HEAD_SIZE;
	ret_code->bytes.size = section.size - OCC_CODE_HEAD_SIZE;
	return true;
}
