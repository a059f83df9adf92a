/* SPDX-License-Identifier: MIT */
#include "storage/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/remote_setting.h"
#include "cache/settings.h"

bool occ_configuration_has_crsh(void)
{
	const char *endpoint = getenv("CRSH_IPC_ENDPOINT");

	return endpoint && *endpoint;
}

bool occ_configuration_from_crsh(struct occ_storage_configuration *ret,
				 char *problem, size_t size)
{
	const char *endpoint = getenv("CRSH_IPC_ENDPOINT");

	memset(ret, 0, sizeof(*ret));
	if (!endpoint || strlen(endpoint) >= sizeof(ret->socket)) {
		snprintf(problem, size,
			 "CRSH_IPC_ENDPOINT isn't a path, or is too long");
		return false;
	}
	snprintf(ret->socket, sizeof(ret->socket), "%s", endpoint);
	return occ_storage_options_from_crsh(&ret->options, problem, size);
}

static bool understand(const char *text, struct occ_remote_setting *ret_setting,
		       char *problem, size_t size)
{
	const char *wrong = occ_remote_setting_parse(text, ret_setting);

	if (wrong)
		snprintf(problem, size, "OCLCACHE_REMOTE: %s", wrong);
	return !wrong;
}

/* All users see arguments. */
static bool may_be_argument(const char *url)
{
	return !strpbrk(url, "@? \t");
}

/* *ret_settings is to be released where it is true. */
static bool read_setting(const char *url,
			 struct occ_remote_setting *ret_setting, char *problem,
			 size_t size)
{
	struct occ_settings *settings;
	bool good = false;

	if (url && !may_be_argument(url)) {
		snprintf(
			problem, size,
			"everybody can see arguments; set OCLCACHE_REMOTE "
			"instead if the URL has a user, a query or attributes");
		return false;
	}
	if (url)
		return understand(url, ret_setting, problem, size);
	settings = malloc(sizeof(*settings));
	if (!settings) {
		snprintf(problem, size, "out of memory");
		return false;
	}
	occ_settings_read(settings);
	/* Also one that isn't understood: it is to say why. */
	if (settings->values[OCC_SETTING_REMOTE].text)
		good = understand(settings->values[OCC_SETTING_REMOTE].text,
				  ret_setting, problem, size);
	else
		snprintf(problem, size,
			 "OCLCACHE_REMOTE isn't set; set it to the server's "
			 "URL");
	occ_settings_release(settings);
	free(settings);
	return good;
}

static bool fill_options(const struct occ_remote_setting *setting,
			 struct occ_storage_options *ret_options, char *problem,
			 size_t size)
{
	if (!strncmp(setting->url, "crsh:", 5)) {
		snprintf(problem, size,
			 "crsh: names the socket of a helper, not a server");
		return false;
	}
	if (!occ_storage_options_begin(ret_options, setting->url, problem,
				       size))
		return false;
	for (size_t i = 0; i < setting->attribute_count; i++)
		if (!occ_storage_options_add(ret_options,
					     setting->attributes[i].key,
					     setting->attributes[i].value)) {
			snprintf(problem, size, "out of memory");
			return false;
		}
	ret_options->idle_s = OCC_STORAGE_IDLE_S;
	return occ_storage_options_end(ret_options, problem, size);
}

static bool find_socket(const struct occ_remote_setting *setting, char *socket,
			size_t socket_size, char *problem, size_t size)
{
	if (occ_remote_setting_socket(setting, socket, socket_size))
		return true;
	snprintf(problem, size,
		 "the path of the socket is too long; set XDG_RUNTIME_DIR to a "
		 "shorter one");
	return false;
}

bool occ_configuration_from_setting(const char *url,
				    struct occ_storage_configuration *ret,
				    char *problem, size_t size)
{
	struct occ_remote_setting setting;
	bool good;

	memset(ret, 0, sizeof(*ret));
	if (!read_setting(url, &setting, problem, size))
		return false;
	good = fill_options(&setting, &ret->options, problem, size) &&
	       find_socket(&setting, ret->socket, sizeof(ret->socket), problem,
			   size);
	occ_remote_setting_release(&setting);
	return good;
}

bool occ_configuration_socket(const char *url, char *socket, size_t socket_size,
			      char *problem, size_t size)
{
	struct occ_remote_setting setting;
	bool good;

	if (!read_setting(url, &setting, problem, size))
		return false;
	good = find_socket(&setting, socket, socket_size, problem, size);
	occ_remote_setting_release(&setting);
	return good;
}

void occ_configuration_release(struct occ_storage_configuration *configuration)
{
	occ_storage_options_release(&configuration->options);
}
