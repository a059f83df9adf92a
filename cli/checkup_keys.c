/* SPDX-License-Identifier: MIT */
#include "cli/checkup_keys.h"

#include <string.h>

#include "cache/signature.h"
#include "cli/text.h"

static void add_problem(void *data, const char *file, unsigned line,
			const char *problem)
{
	struct occ_checkup *checkup = data;

	if (line)
		occ_checkup_warn(checkup, "correct or remove the line",
				 "%s, line %u: %s", file, line, problem);
	else
		occ_checkup_warn(
			checkup,
			"correct it; until then the whole file is ignored",
			"%s %s", file, problem);
}

/* Is it good for who trusts these? As if it had been signed. */
static bool is_trusted(const struct occ_trusted_keys *trusted,
		       const struct occ_signing_key *key)
{
	struct occ_secure_digest digest;
	struct occ_signature signature;

	occ_secure_digest_of("oclcache doctor", NULL, 0, &digest);
	occ_sign(key, &digest, &signature);
	return occ_signature_is_good(trusted, &digest, &signature);
}

static void look_at_signing_key(struct occ_checkup *checkup,
				const struct occ_settings *settings,
				const struct occ_remote_setting *remote,
				const struct occ_trusted_keys *trusted,
				struct occ_checkup_keys *keys)
{
	struct occ_signing_key key;
	const char *problem = NULL;
	int error = occ_signing_key_read(settings, &key, &problem);

	keys->has_signing_key = !error;
	if (error == OCC_E_NOT_FOUND && remote->read_only)
		return;
	if (error == OCC_E_NOT_FOUND && remote->accepts_unsigned)
		occ_checkup_ok(
			checkup,
			"no signing key: entries are sent without a signature");
	else if (error == OCC_E_NOT_FOUND)
		occ_checkup_warn(
			checkup,
			"run 'oclcache key generate', or add read-only to "
			"OCLCACHE_REMOTE",
			"no signing key: machines that require signatures "
			"don't accept entries from this one");
	else if (error)
		occ_checkup_warn(checkup, "see 'oclcache key'",
				 "the signing key %s",
				 problem ? problem : occ_error_string(error));
	else if (is_trusted(trusted, &key))
		occ_checkup_ok(checkup,
			       "entries are signed with the key %s, which is "
			       "also trusted here",
			       key.name);
	else
		occ_checkup_warn(checkup,
				 "run 'oclcache key trust' here and on every "
				 "machine that is to accept its entries",
				 "entries are signed with the key %s, which "
				 "isn't trusted here",
				 key.name);
	if (!error)
		occ_signing_key_wipe(&key);
}

void occ_checkup_keys(struct occ_checkup *checkup,
		      const struct occ_settings *settings,
		      const struct occ_remote_setting *remote,
		      struct occ_checkup_keys *ret_keys)
{
	struct occ_trusted_keys trusted = {.count = 0};

	occ_trusted_keys_read(settings, &trusted, add_problem, checkup);
	ret_keys->trusted = trusted.count;
	if (trusted.count)
		occ_checkup_ok(checkup, "%zu key%s trusted, for example %s",
			       trusted.count,
			       trusted.count == 1 ? " is" : "s are",
			       trusted.keys[0].name);
	else if (remote->accepts_unsigned)
		occ_checkup_ok(checkup, "no key is trusted: only unsigned "
					"entries are accepted");
	else
		occ_checkup_warn(
			checkup,
			"run 'oclcache key trust KEY'; or set unsigned=accept "
			"if everybody who can write to the server may decide "
			"what runs here",
			"no key is trusted: no entry is accepted from there");
	look_at_signing_key(checkup, settings, remote, &trusted, ret_keys);
}
