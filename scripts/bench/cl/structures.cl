/* SPDX-License-Identifier: MIT */
struct element {
	float position[3];
	uint kind;
};
struct settings {
	float weights[16];
	uint kinds[8];
	float4 offset;
	char flags[32];
};

kernel void structures(global const struct element *in, struct settings s,
		       float4 v, global struct element *out)
{
	uint i = get_global_id(0);
	struct element e = in[i];

	for (uint j = 0; j < 32; j++) {
		uint kind = s.kinds[(e.kind + j) & 7];

		e.position[j % 3] = e.position[(j + 1) % 3] *
					    s.weights[kind & 15] +
				    s.offset.x * v.y + s.flags[j];
		e.kind = e.kind * 5 + kind;
	}
	out[i] = e;
}
