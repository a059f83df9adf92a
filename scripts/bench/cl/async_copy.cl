/* SPDX-License-Identifier: MIT */
kernel void async_copy(global const uint *in, local uint *tile,
		       global uint *out)
{
	uint l = get_local_id(0), first = get_group_id(0) * 256, sum = 0;
	event_t event = async_work_group_copy(tile, in + first, 256, 0);

	wait_group_events(1, &event);
	for (uint j = 0; j < 64; j++)
		sum = sum * 3 + tile[(l * 7 + j) & 255];
	barrier(CLK_LOCAL_MEM_FENCE);
	tile[l] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	event = async_work_group_copy(out + first, tile, 256, 0);
	wait_group_events(1, &event);
}
