/* SPDX-License-Identifier: MIT */
#include "hash/option.h"

#include <string.h>

#include "hash/word.h"

/* The first that fits counts. doc/drivers.md, "Options", has what was seen. */
static const struct occ_option_rule table[] = {
	{"-D", OCC_OPTION_JOINED, OCC_OPTION_DEFINES},
	{"-U", OCC_OPTION_JOINED, OCC_OPTION_UNDEFINES},
	/* "-I-" and "-I=x" mean other things to some: see is_place(). */
	{"-I", OCC_OPTION_JOINED, OCC_OPTION_NAMES_DIRECTORY},
	{"-isystem-after", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-isystem", OCC_OPTION_JOINED, OCC_OPTION_NAMES_DIRECTORY},
	{"-iquote", OCC_OPTION_JOINED, OCC_OPTION_NAMES_DIRECTORY},
	{"-idirafter", OCC_OPTION_JOINED, OCC_OPTION_NAMES_DIRECTORY},
	/* Compiled headers, not texts. */
	{"-include-pch", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-include-pth", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-include", OCC_OPTION_JOINED, OCC_OPTION_NAMES_FILE},
	{"-imacros", OCC_OPTION_JOINED, OCC_OPTION_NAMES_FILE},
	/*
	 * Other ways to change where files are found: -iframework, -isysroot,
	 * -iprefix, -iwithprefix, -ivfsoverlay, -imultilib, -internal-isystem.
	 */
	{"-ifr", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-imu", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-ind", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-internal-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-ip", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-is", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-iv", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-iw", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-working-directory", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-resource-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-cxx-isystem", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-stdlib", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-no-canonical-prefixes", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	/* The long forms of all of these, --config, --sysroot, --dump ... */
	{"--", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},

	/* Letters that a file's, directory's or library's name may follow. */
	{"-A", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-B", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-F", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-J", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-L", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-R", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-T", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-Y", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-l", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-o", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	/* Options for others, or another language: -Xclang, -cmc, -z. */
	{"-X", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-igc", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-cmc", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fcmocl", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-mllvm", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-z", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	/* Something else than a program comes out: -E, -M, -MD, -S, -c ... */
	{"-C", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-E", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-H", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-M", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-P", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-S", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-V", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-Z", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-c", OCC_OPTION_WHOLE, OCC_OPTION_UNSAFE},
	{"-analy", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-ast", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-code-completion", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-d", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-rewrite", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-remap", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fsyntax-only", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fembed", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	/*
	 * Other rules for where includes are looked for, and for words:
	 * -fms-compatibility, -fms-extensions, -fno-dollars-in-identifiers.
	 */
	{"-fms", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fdollars", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fno-dollars", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-traditional", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	/* Intel's GPU driver: code generator, and how loads are cached. */
	{"-vc-codegen", OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
	{"-cl-load-cache-default=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-cl-store-cache-default=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	/* What is printed on the process's own standard error. */
	{"-v", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-ftime-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-time", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-verify", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	/* Debug information has paths in it; Intel's -s names the source. */
	{"-g", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-s", OCC_OPTION_WHOLE, OCC_OPTION_UNSAFE},
	{"-fdebug-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-debug", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-split-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-pg", OCC_OPTION_WHOLE, OCC_OPTION_UNSAFE},
	{"-fprof", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fcov", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-ftest-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fxray-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fcrash-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fapi", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fbuild-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fimplicit-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fprebuilt-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-flto", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{"-fthin", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},

	/* The specification's. A value of any other -cl- could be a file. */
	{"-cl-std=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-cl-ext=", OCC_OPTION_PREFIX, OCC_OPTION_LIST},
	{"-spir-std=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-x", OCC_OPTION_JOINED, OCC_OPTION_NAME},
	{"-create-library", OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
	{"-enable-link-options", OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
	{"-w", OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
	/* GCC's and Clang's; commas would pass on options (-Wl,). */
	{"-std=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-W", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-O", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-ffp-contract=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-fno-builtin", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-fdenormal-fp-math=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-fvisibility=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-march=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-mcpu=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-mtune=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{NULL, OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
};

/* Of those that hand what they don't know to Clang's own command line. */
static const struct occ_option_rule of_clang[] = {
	{"-target-cpu", OCC_OPTION_WHOLE, OCC_OPTION_NAME},
	{"-triple", OCC_OPTION_WHOLE, OCC_OPTION_NAME},
	{NULL, OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
};

/* Of drivers that weren't had; AMD's: what is in the binary, dumps. */
static const struct occ_option_rule of_others[] = {
	{"-fbin-", OCC_OPTION_PREFIX, OCC_OPTION_UNSAFE},
	{NULL, OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
};

/* In words that aren't in the table: signs of files and side effects. */
static const char *const unsafe_parts[] = {
	"dir",	"dump",	  "emit",   "file", "include", "link",	 "load",
	"log",	"module", "out",    "path", "pch",     "plugin", "print",
	"prof", "record", "report", "save", "temp",    "trace",	 "write",
};

/* Letters, digits and what is in no file's name alone; also the `more` ones. */
static bool is_harmless(const char *text, size_t length, const char *more)
{
	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '+')
			continue;
		if (!c || !strchr(more, c))
			return false;
	}
	return true;
}

/* No file is called so: a number, or the name of a switch's state. */
static bool is_plain_value(const char *text, size_t length)
{
	static const char *const states[] = {"true", "false", "on",  "off",
					     "yes",  "no",    "none"};

	for (size_t i = 0; i < sizeof(states) / sizeof(char *); i++)
		if (length == strlen(states[i]) &&
		    !memcmp(text, states[i], length))
			return true;
	for (size_t i = 0; i < length; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return length > 0;
}

/* The first that fits, or NULL. */
static const struct occ_option_rule *find_in(
	const struct occ_option_rule *option, const struct occ_word *word)
{
	for (; option && option->word; option++) {
		size_t size = strlen(option->word);

		if (word->length >= size &&
		    !memcmp(word->text, option->word, size) &&
		    (word->length == size || option->form != OCC_OPTION_WHOLE))
			return option;
	}
	return NULL;
}

static const struct occ_option_rule *find(
	const struct occ_word *word, const struct occ_option_dialect *dialect)
{
	const struct occ_option_rule *option = find_in(table, word);

	if (!option)
		option = find_in(dialect ? dialect->options : of_others, word);
	if (!option && (!dialect || dialect->is_clang))
		option = find_in(of_clang, word);
	return option;
}

/* Blanks of one reading are what separates words in another. */
#define WHITE "\t\n\v\f\r"

/* An option that isn't in the table; what is behind '=' may be a file. */
static bool is_unknown_safe(const struct occ_word *word)
{
	const char *equals = memchr(word->text, '=', word->length);
	size_t length = equals ? (size_t)(equals - word->text) : word->length;

	for (size_t i = 0; i < sizeof(unsafe_parts) / sizeof(char *); i++)
		if (memmem(word->text, word->length, unsafe_parts[i],
			   strlen(unsafe_parts[i])))
			return false;
	if (equals && !is_plain_value(equals + 1, word->length - length - 1))
		return false;
	return word->length > 1 && is_harmless(word->text, length, WHITE);
}

/*
 * Is this what a directory or file may be called? Some take "-" for an option
 * of its own, "=" for a directory below another, "@" for a file with options.
 */
static bool is_place(const struct occ_word *word)
{
	return word->length && *word->text != '-' && *word->text != '=' &&
	       *word->text != '@';
}

/* A walk through the options in one reading. */
struct walk {
	const struct occ_option_dialect *dialect;
	bool is_own; /* the reading is the driver's */
	struct occ_words words;
	/* Called for every argument; NULL: only unsafe words matter. */
	bool (*take)(struct walk *walk, enum occ_option_class class,
		     const struct occ_word *argument);
	void *data;
	/* What stopped the walk, if it is a word; else its length is 0. */
	const char *unsafe;
	size_t unsafe_length;
};

static bool refuse(struct walk *walk, const struct occ_word *word)
{
	walk->unsafe = word->raw;
	walk->unsafe_length = word->raw_length;
	return false;
}

static bool take_argument(struct walk *walk, enum occ_option_class class,
			  const struct occ_word *argument)
{
	struct occ_word behind = *argument;

	if (class == OCC_OPTION_NAME)
		return is_harmless(argument->text, argument->length, "=.") ||
		       refuse(walk, argument);
	if (class == OCC_OPTION_NAMES_FILE && behind.length &&
	    *behind.text == '=') {
		/* Clang's other spelling; to others a part of the name. */
		if (walk->take && !walk->take(walk, class, argument))
			return false;
		behind.text++;
		behind.length--;
	}
	if ((class == OCC_OPTION_NAMES_FILE ||
	     class == OCC_OPTION_NAMES_DIRECTORY) &&
	    !is_place(&behind))
		return refuse(walk, argument);
	return !walk->take || walk->take(walk, class, &behind);
}

/* An option and what follows it. */
static bool walk_option(struct walk *walk, const struct occ_option_rule *option,
			struct occ_word *word)
{
	size_t size = strlen(option->word);
	struct occ_word first = *word;

	if (word->length > size) {
		word->text += size;
		word->length -= size;
		return take_argument(walk, option->class, word) ||
		       (walk->unsafe && refuse(walk, &first));
	}
	/* An argument that looks like an option may be one, to some. */
	if (!occ_word_next(&walk->words, word))
		return refuse(walk, &first);
	if (!word->length || *word->text == '-' || *word->text == '@')
		return refuse(walk, word);
	return take_argument(walk, option->class, word);
}

/* Is it how the driver is known to read what has a meaning in some reading? */
static bool is_own(const struct occ_option_dialect *dialect,
		   const char *options, unsigned reading)
{
	bool single = strchr(options, '\''), escapes = strchr(options, '\\');
	unsigned own;

	if (!dialect || (dialect->odd_backslash && escapes))
		return true;
	own = dialect->reading;
	if (!single)
		own &= ~(unsigned)OCC_READ_SINGLE_QUOTES;
	if (!(own & OCC_READ_SINGLE_QUOTES) && !strchr(options, '"'))
		own &= OCC_READ_ESCAPES;
	if (!escapes)
		own &= ~(unsigned)OCC_READ_ESCAPES;
	return (reading & ~(unsigned)OCC_READ_WHITE) == own;
}

static bool walk_word(struct walk *walk, struct occ_word *word)
{
	const struct occ_option_rule *option;

	/* No option: a file's name to a driver that reads it so. */
	if (!word->length || *word->text != '-')
		return (word->length && *word->text != '@' && !walk->is_own) ||
		       refuse(walk, word);
	option = find(word, walk->dialect);
	if (!option)
		return is_unknown_safe(word) || refuse(walk, word);
	if (option->class == OCC_OPTION_UNSAFE)
		return refuse(walk, word);
	if (option->class != OCC_OPTION_SAFE &&
	    option->class != OCC_OPTION_LIST)
		return walk_option(walk, option, word);
	return is_harmless(word->text, word->length,
			   option->class == OCC_OPTION_LIST ? "=.," WHITE
							    : "=." WHITE) ||
	       refuse(walk, word);
}

/* Walks in one reading. */
static bool walk_words(struct walk *walk, const char *options, unsigned reading)
{
	struct occ_word word;
	bool going = true;

	walk->is_own = is_own(walk->dialect, options, reading);
	walk->words = (struct occ_words){options, reading, OCC_BUFFER_INIT};
	while (going && occ_word_next(&walk->words, &word))
		going = walk_word(walk, &word);
	if (going && walk->words.text.failed) {
		/* All that could be unsafe: the rest. */
		walk->unsafe = walk->words.at;
		walk->unsafe_length = strlen(walk->words.at);
		going = false;
	}
	occ_buffer_release(&walk->words.text);
	return going;
}

const char *occ_option_unsafe(const char *options,
			      const struct occ_option_dialect *dialect,
			      size_t *ret_length)
{
	unsigned signs;

	if (!options)
		return NULL;
	signs = occ_word_signs(options);
	for (unsigned reading = 0; reading < OCC_READINGS; reading++) {
		struct walk walk = {.dialect = dialect};

		if (!occ_word_reading_differs(signs, reading))
			continue;
		if (!walk_words(&walk, options, reading)) {
			*ret_length = walk.unsafe_length;
			return walk.unsafe;
		}
	}
	return NULL;
}

/*
 * Arguments compared with those of other readings: programs have some hundreds,
 * twice or so.
 */
#define COMPARED_MAX ((size_t)4 << 20)

/* What was found so far, in all readings. */
struct found {
	struct occ_buffer items; /* struct item */
	struct occ_buffer bytes; /* their texts */
	unsigned reading;	 /* their number so far */
	size_t compared;
};

struct item {
	enum occ_option_class class;
	size_t offset;
	size_t length;
	unsigned readings; /* that have it */
	unsigned last;	   /* of these */
};

static size_t count_of(const struct found *found)
{
	return found->items.size / sizeof(struct item);
}

static struct item *item_of(const struct found *found, size_t i)
{
	/* The buffer's memory is aligned for anything. */
	return (struct item *)(void *)found->items.data + i;
}

static bool note(struct walk *walk, enum occ_option_class class,
		 const struct occ_word *argument)
{
	struct found *found = walk->data;
	struct item item = {class, found->bytes.size, argument->length, 1,
			    found->reading};
	bool known = false;

	if (found->reading > 1)
		found->compared += count_of(found);
	if (found->compared > COMPARED_MAX)
		return false;
	/* Most options have one reading: no need to look for others. */
	for (size_t i = 0; i < count_of(found) && found->reading > 1; i++) {
		struct item *old = item_of(found, i);

		if (old->class != class || old->length != argument->length ||
		    memcmp(found->bytes.data + old->offset, argument->text,
			   argument->length) != 0)
			continue;
		if (old->last != found->reading)
			old->readings++;
		old->last = found->reading;
		known = true;
	}
	if (known)
		return true;
	occ_buffer_append(&found->bytes, argument->text, argument->length);
	occ_buffer_append(&found->items, &item, sizeof(item));
	return !found->bytes.failed && !found->items.failed;
}

static bool tell(const struct found *found, occ_option_visit visit, void *data)
{
	static const enum occ_option_kind kinds[] = {
		[OCC_OPTION_NAMES_DIRECTORY] = OCC_OPTION_DIRECTORY,
		[OCC_OPTION_NAMES_FILE] = OCC_OPTION_FILE,
		[OCC_OPTION_DEFINES] = OCC_OPTION_DEFINE,
		[OCC_OPTION_UNDEFINES] = OCC_OPTION_UNDEFINE,
	};

	for (size_t i = 0; i < count_of(found); i++) {
		const struct item *item = item_of(found, i);

		if (!visit(kinds[item->class],
			   (const char *)found->bytes.data + item->offset,
			   item->length, item->readings == found->reading,
			   data))
			return false;
	}
	return true;
}

bool occ_option_walk(const char *options,
		     const struct occ_option_dialect *dialect,
		     occ_option_visit visit, void *data)
{
	unsigned signs = options ? occ_word_signs(options) : 0;
	struct found found = {.items = OCC_BUFFER_INIT};
	bool told = true;

	for (unsigned reading = 0; options && reading < OCC_READINGS && told;
	     reading++) {
		struct walk walk = {.dialect = dialect,
				    .take = note,
				    .data = &found};

		if (!occ_word_reading_differs(signs, reading))
			continue;
		found.reading++;
		told = walk_words(&walk, options, reading);
	}
	told = told && tell(&found, visit, data);
	occ_buffer_release(&found.items);
	occ_buffer_release(&found.bytes);
	return told;
}
