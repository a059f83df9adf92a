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
		occ_checkup_warn(checkup, "mend or remove the line",
				 "%s, line %u: %s", file, line, problem);
	else
		occ_checkup_warn(checkup, "see to it: nothing of it is heeded",
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
		occ_checkup_ok(checkup, "there is no signing key: what is sent "
					"isn't signed");
	else if (error == OCC_E_NOT_FOUND)
		occ_checkup_warn(checkup,
				 "'oclcache key generate', or add read-only "
				 "to OCLCACHE_REMOTE",
				 "there is no signing key: nobody takes what "
				 "is sent, who asks for signatures");
	else if (error)
		occ_checkup_warn(checkup, "see 'oclcache key'",
				 "the signing key %s",
				 problem ? problem : occ_error_string(error));
	else if (is_trusted(trusted, &key))
		occ_checkup_ok(checkup,
			       "what is sent is signed by %s, which is trusted "
			       "here, too",
			       key.name);
	else
		occ_checkup_warn(checkup,
				 "'oclcache key trust' here, and wherever it "
				 "is to be taken",
				 "what is sent is signed by %s, which isn't "
				 "trusted here",
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
		occ_checkup_ok(checkup, "%zu key%s trusted, such as %s",
			       trusted.count,
			       trusted.count == 1 ? " is" : "s are",
			       trusted.keys[0].name);
	else if (remote->accepts_unsigned)
		occ_checkup_ok(checkup,
			       "no key is trusted: only what nobody has signed "
			       "is taken");
	else
		occ_checkup_warn(checkup,
				 "'oclcache key trust KEY', or unsigned=accept "
				 "where whoever can write to the server may "
				 "decide what runs here",
				 "no key is trusted: nothing is taken from "
				 "there");
	look_at_signing_key(checkup, settings, remote, &trusted, ret_keys);
}
