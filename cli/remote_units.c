/* SPDX-License-Identifier: MIT */
#include "cli/remote_units.h"

#include <stdlib.h>

#include "cli/text.h"
#include "cli/timer.h"

char *occ_remote_units_socket(const char *name)
{
	return occ_text(
		"[Unit]\n"
		"Description=Remote storage of compiled OpenCL programs\n"
		"Documentation=man:oclcache-storage(1)\n"
		"\n"
		"[Socket]\n"
		"ListenStream=%%t/%s\n"
		"SocketMode=0600\n"
		"DirectoryMode=0700\n"
		"\n"
		"[Install]\n"
		"WantedBy=sockets.target\n",
		name);
}

/*
 * It has its server from the configuration file, so that nothing is in its
 * arguments. It is started with the user's session, and stays: to be started by
 * the first question would take longer than that may wait. What is
 * forbidden it never needs (names are looked up with AF_NETLINK); what needs a
 * mount namespace isn't asked for, since not every machine lets a user have
 * one.
 */
char *occ_remote_units_service(const char *program)
{
	char *escaped = occ_timer_escape(program), *text;

	text = occ_text(
		"[Unit]\n"
		"Description=Helper for the remote storage of compiled OpenCL "
		"programs\n"
		"Documentation=man:oclcache-storage(1)\n"
		"ConditionFileIsExecutable=%s\n"
		"\n"
		"[Service]\n"
		"ExecStart=\"%s\" --idle 0\n"
		"UMask=0077\n"
		"TimeoutStopSec=10\n"
		"NoNewPrivileges=true\n"
		"LockPersonality=true\n"
		"MemoryDenyWriteExecute=true\n"
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n"
		"RestrictNamespaces=true\n"
		"RestrictRealtime=true\n"
		"RestrictSUIDSGID=true\n"
		"SystemCallArchitectures=native\n"
		"SystemCallFilter=@system-service\n"
		"\n"
		"[Install]\n"
		"WantedBy=default.target\n",
		escaped, escaped);
	free(escaped);
	return text;
}
