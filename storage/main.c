/* SPDX-License-Identifier: MIT */
/*
 * oclcache-storage: a remote storage helper, for oclcache and for ccache. Reads
 * its command line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/version.h"
#include "storage/backends.h"
#include "storage/configuration.h"
#include "storage/control.h"
#include "storage/daemon.h"
#include "storage/message.h"

#define EXIT_USAGE 2

struct arguments {
	const char *word; /* info, stop, flush */
	const char *url;
	const char *socket;
	const char *idle;
	bool in_background;
	bool help, version;
};

static void print_help(void)
{
	const char *scheme;

	printf("usage: oclcache-storage [--background] [--socket PATH] [--idle "
	       "SECONDS] [URL]\n"
	       "       oclcache-storage info|flush|stop [--socket PATH] [URL]\n"
	       "\n"
	       "Helper that keeps connections to a server of compiled "
	       "programs, for oclcache or\n"
	       "ccache. It uses the server of OCLCACHE_REMOTE, unless a URL is "
	       "given.\n"
	       "\n"
	       "  info             show the helper's state and counters\n"
	       "  flush            wait until everything is uploaded\n"
	       "  stop             stop the helper\n"
	       "  --background     return as soon as the helper is listening\n"
	       "  --foreground     stay in the foreground (default)\n"
	       "  --socket PATH    listen on this socket\n"
	       "  --idle SECONDS   exit after this time without a request; 0: "
	       "never (default %d)\n"
	       "  --help, --version\n"
	       "\n"
	       "URL schemes:",
	       OCC_STORAGE_IDLE_S);
	for (size_t i = 0; (scheme = occ_backend_scheme(i)); i++)
		printf(" %s://", scheme);
	puts("\nSee oclcache-storage(1) for attributes and credentials.");
}

static bool complain(const char *what, const char *word)
{
	occ_storage_say("%s %s; see --help", what, word);
	return false;
}

/* The value of an option: "--NAME=VALUE", or the next argument. */
static bool take_value(int argc, char **argv, int *at, const char *name,
		       const char **ret_value)
{
	size_t length = strlen(name);

	if (strncmp(argv[*at], name, length) != 0 ||
	    (argv[*at][length] && argv[*at][length] != '='))
		return false;
	if (argv[*at][length] == '=')
		*ret_value = argv[*at] + length + 1;
	else if (*at + 1 < argc)
		*ret_value = argv[++*at];
	else
		*ret_value = "";
	return true;
}

static bool take_flag(const char *word, struct arguments *arguments)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		arguments->help = true;
	else if (!strcmp(word, "--version"))
		arguments->version = true;
	else if (!strcmp(word, "--background"))
		arguments->in_background = true;
	else if (!strcmp(word, "--foreground"))
		arguments->in_background = false;
	else
		return false;
	return true;
}

static bool parse(int argc, char **argv, struct arguments *arguments)
{
	for (int i = 1; i < argc; i++) {
		if (take_flag(argv[i], arguments) ||
		    take_value(argc, argv, &i, "--socket",
			       &arguments->socket) ||
		    take_value(argc, argv, &i, "--idle", &arguments->idle))
			continue;
		if (*argv[i] == '-')
			return complain("unknown option", argv[i]);
		if (!arguments->word && !arguments->url &&
		    occ_control_is_word(argv[i]))
			arguments->word = argv[i];
		else if (!arguments->url)
			arguments->url = argv[i];
		else
			return complain("unexpected argument", "another");
	}
	if (arguments->socket && *arguments->socket != '/')
		return complain("--socket needs an absolute path, not",
				arguments->socket);
	return true;
}

static int fail(const char *problem)
{
	occ_storage_say("%s", problem);
	return EXIT_FAILURE;
}

static int control(const struct arguments *arguments)
{
	char socket[108], problem[512];

	if (arguments->socket)
		return occ_control_run(arguments->word, arguments->socket);
	if (!occ_configuration_socket(arguments->url, socket, sizeof(socket),
				      problem, sizeof(problem)))
		return fail(problem);
	return occ_control_run(arguments->word, socket);
}

static bool set_idle(const char *text, struct occ_storage_options *options)
{
	char *end;
	unsigned long seconds = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || seconds > 1000000000)
		return complain("--idle needs a number of seconds, not", text);
	options->idle_s = (unsigned)seconds;
	return true;
}

static int start(const struct arguments *arguments, bool is_crsh)
{
	/* A service's threads use it until the process ends. */
	static struct occ_storage_configuration configuration;
	char problem[512];
	int status = EXIT_USAGE;

	if (is_crsh ? !occ_configuration_from_crsh(&configuration, problem,
						   sizeof(problem))
		    : !occ_configuration_from_setting(arguments->url,
						      &configuration, problem,
						      sizeof(problem))) {
		status = fail(problem);
	} else if (arguments->socket &&
		   strlen(arguments->socket) >= sizeof(configuration.socket)) {
		status = fail("the path of the socket is too long");
	} else if (!arguments->idle ||
		   set_idle(arguments->idle, &configuration.options)) {
		if (arguments->socket)
			snprintf(configuration.socket,
				 sizeof(configuration.socket), "%s",
				 arguments->socket);
		status = occ_daemon_run(&configuration,
					arguments->in_background);
	}
	occ_configuration_release(&configuration);
	return status;
}

/* Of a standard stream that is closed no socket takes the number. */
static void keep_streams(void)
{
	int file;

	do {
		file = open("/dev/null", O_RDWR);
	} while (file >= 0 && file <= STDERR_FILENO);
	if (file >= 0)
		close(file);
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.word = NULL};
	int status = EXIT_SUCCESS;

	keep_streams();
	occ_daemon_close_inherited();
	if (!parse(argc, argv, &arguments))
		return EXIT_USAGE;
	if (arguments.help)
		print_help();
	else if (arguments.version)
		puts("oclcache-storage " OCC_VERSION);
	else if (arguments.word)
		status = control(&arguments);
	else
		status = start(&arguments,
			       argc < 2 && occ_configuration_has_crsh());
	if (fflush(stdout) != 0)
		return fail("not all of the output could be written");
	return status;
}
