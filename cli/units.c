/* SPDX-License-Identifier: MIT */
#include "cli/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/file.h"
#include "cache/settings.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct unit {
	const char *name;
	double of;
};

/* Rising; three digits at least, where there are so many. */
static const char *format(double value, const struct unit *units, size_t count,
			  char *ret_text)
{
	size_t i = 0;

	/* What would be rounded up to the next unit is of that one. */
	while (i + 1 < count && value >= units[i + 1].of * 0.9995)
		i++;
	value /= units[i].of;
	snprintf(ret_text, OCC_UNITS_SIZE, "%.*f %s",
		 value < 9.95 && i > 0 ? 1 : 0, value, units[i].name);
	return ret_text;
}

const char *occ_units_size(uint64_t bytes, char ret_text[OCC_UNITS_SIZE])
{
	static const struct unit units[] = {
		{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};

	return format((double)bytes, units, COUNT(units), ret_text);
}

const char *occ_units_time(uint64_t nanoseconds, char ret_text[OCC_UNITS_SIZE])
{
	static const struct unit units[] = {
		{"us", 1e3},   {"ms", 1e6},   {"s", 1e9},
		{"min", 6e10}, {"h", 3.6e12}, {"d", 8.64e13},
	};

	return format((double)nanoseconds, units, COUNT(units), ret_text);
}

const char *occ_units_age(int64_t seconds, char ret_text[OCC_UNITS_SIZE])
{
	static const struct {
		const char *name;
		int64_t of;
	} units[] = {{"y", INT64_C(365) * 86400},
		     {"d", 86400},
		     {"h", 3600},
		     {"min", 60}};

	for (size_t i = 0; i < COUNT(units); i++) {
		if (seconds < units[i].of)
			continue;
		snprintf(ret_text, OCC_UNITS_SIZE, "%" PRId64 " %s",
			 seconds / units[i].of, units[i].name);
		return ret_text;
	}
	snprintf(ret_text, OCC_UNITS_SIZE, "now");
	return ret_text;
}

const char *occ_units_moment(int64_t seconds, char ret_text[OCC_UNITS_SIZE])
{
	time_t time = (time_t)seconds;
	struct tm parts;

	if (!localtime_r(&time, &parts) ||
	    !strftime(ret_text, OCC_UNITS_SIZE, "%Y-%m-%d %H:%M:%S", &parts))
		snprintf(ret_text, OCC_UNITS_SIZE, "-");
	return ret_text;
}

/* A number of digits, perhaps with a point; no sign, no exponent. */
static bool parse_number(const char *text, double *ret_number,
			 const char **ret_rest)
{
	size_t length = strspn(text, "0123456789.");
	char *end;

	*ret_number = strtod(text, &end);
	*ret_rest = end;
	return length && *text != '.' && end == text + length;
}

bool occ_units_parse_size(const char *text, uint64_t *ret_bytes)
{
	char known[sizeof("KiB")];
	double number, factor;
	const char *unit;

	if (!parse_number(text, &number, &unit))
		return false;
	unit += strspn(unit, " ");
	if (strlen(unit) >= sizeof(known))
		return false;
	/* As in settings, and the others in small letters as well. */
	memcpy(known, unit, strlen(unit) + 1);
	if (*known && strchr("mgt", *known))
		*known = (char)(*known + 'A' - 'a');
	factor = (double)occ_settings_unit(known);
	if (factor <= 0 || number * factor >= 0x1p63)
		return false;
	*ret_bytes = (uint64_t)(number * factor);
	return true;
}

bool occ_units_parse_age(const char *text, int64_t *ret_seconds)
{
	static const struct {
		const char *name;
		double of;
	} units[] = {{"s", 1},	  {"m", 60},	{"min", 60},
		     {"h", 3600}, {"d", 86400}, {"w", 604800}};
	double number;
	const char *unit;

	if (!parse_number(text, &number, &unit))
		return false;
	if (number == 0 && !*unit) {
		*ret_seconds = 0;
		return true;
	}
	unit += strspn(unit, " ");
	for (size_t i = 0; i < COUNT(units); i++) {
		if (strcmp(unit, units[i].name) != 0 ||
		    number * units[i].of >= 0x1p52)
			continue;
		*ret_seconds = (int64_t)(number * units[i].of);
		return true;
	}
	return false;
}

bool occ_units_parse_moment(const char *text, int64_t *ret_seconds)
{
	static const char *const times[] = {"%n%H:%M", "%n%H:%M:%S", "T%H:%M",
					    "T%H:%M:%S"};
	const char *rest, *end;
	struct tm date = {0};
	int64_t age;

	if (occ_units_parse_age(text, &age)) {
		*ret_seconds = occ_file_now() - age;
		return true;
	}
	rest = strptime(text, "%Y-%m-%d", &date);
	if (!rest)
		return false;
	if (!*rest) {
		*ret_seconds = (int64_t)timegm(&date);
		return true;
	}
	for (size_t i = 0; i < COUNT(times); i++) {
		struct tm moment = date;

		end = strptime(rest, times[i], &moment);
		moment.tm_isdst = -1;
		if (!end || *end)
			continue;
		*ret_seconds = (int64_t)mktime(&moment);
		return true;
	}
	return false;
}
