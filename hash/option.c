/* SPDX-License-Identifier: MIT */
#include "hash/option.h"

#include <string.h>

#include "hash/word.h"

#define ON(driver) (1u << OCC_OPTION_##driver)
#define EVERY	   (~0u)
/* Those that hand what they don't know to Clang's own command line. */
#define ON_CLANG   (ON(ANY_DRIVER) | ON(RUSTICL) | ON(OCLGRIND))

enum class {
	SAFE,	/* changes code or diagnostics only */
	LIST,	/* the same, with commas */
	NAME,	/* the same, by a harmless argument: a language, a number */
	UNSAFE, /* reads or writes files beyond includes, or has paths in the
		   binary, or what it does isn't known */
	FOLDER, /* the four kinds of enum occ_option_kind */
	FILE_,
	DEFINE,
	UNDEFINE,
};

enum form {
	WHOLE,	/* the word itself */
	PREFIX, /* anything that begins so, as far as it is harmless */
	JOINED, /* anything that begins so; the rest or, if that is empty, the
		   next word is its argument */
};

struct option {
	const char *word;
	enum form form;
	enum class class;
	unsigned drivers;
};

/* The first that fits counts. doc/drivers.md, "Options", has what was seen. */
static const struct option table[] = {
	{"-D", JOINED, DEFINE, EVERY},
	{"-U", JOINED, UNDEFINE, EVERY},

	/* "-I-" and "-I=x" mean other things to some: see is_place(). */
	{"-I", JOINED, FOLDER, EVERY},
	{"-isystem-after", PREFIX, UNSAFE, EVERY},
	{"-isystem", JOINED, FOLDER, EVERY},
	{"-iquote", JOINED, FOLDER, EVERY},
	{"-idirafter", JOINED, FOLDER, EVERY},
	/* Compiled headers, not texts. */
	{"-include-pch", PREFIX, UNSAFE, EVERY},
	{"-include-pth", PREFIX, UNSAFE, EVERY},
	{"-include", JOINED, FILE_, EVERY},
	{"-imacros", JOINED, FILE_, EVERY},
	/*
	 * Other ways to change where files are found: -iframework, -isysroot,
	 * -iprefix, -iwithprefix, -ivfsoverlay, -imultilib, -internal-isystem.
	 */
	{"-ifr", PREFIX, UNSAFE, EVERY},
	{"-imu", PREFIX, UNSAFE, EVERY},
	{"-ind", PREFIX, UNSAFE, EVERY},
	{"-internal-", PREFIX, UNSAFE, EVERY},
	{"-ip", PREFIX, UNSAFE, EVERY},
	{"-is", PREFIX, UNSAFE, EVERY},
	{"-iv", PREFIX, UNSAFE, EVERY},
	{"-iw", PREFIX, UNSAFE, EVERY},
	{"-working-directory", PREFIX, UNSAFE, EVERY},
	{"-resource-", PREFIX, UNSAFE, EVERY},
	{"-cxx-isystem", PREFIX, UNSAFE, EVERY},
	{"-stdlib", PREFIX, UNSAFE, EVERY},
	{"-no-canonical-prefixes", PREFIX, UNSAFE, EVERY},
	/* The long forms of all of these, --config, --sysroot, --dump ... */
	{"--", PREFIX, UNSAFE, EVERY},

	/* Letters that a file's, folder's or library's name may follow. */
	{"-A", PREFIX, UNSAFE, EVERY},
	{"-B", PREFIX, UNSAFE, EVERY},
	{"-F", PREFIX, UNSAFE, EVERY},
	{"-J", PREFIX, UNSAFE, EVERY},
	{"-L", PREFIX, UNSAFE, EVERY},
	{"-R", PREFIX, UNSAFE, EVERY},
	{"-T", PREFIX, UNSAFE, EVERY},
	{"-Y", PREFIX, UNSAFE, EVERY},
	{"-l", PREFIX, UNSAFE, EVERY},
	{"-o", WHOLE, UNSAFE, EVERY},
	/* Options for others: -Xclang, -Xcompiler, -Xs, -mllvm, -z. */
	{"-X", PREFIX, UNSAFE, EVERY},
	{"-mllvm", PREFIX, UNSAFE, EVERY},
	{"-z", PREFIX, UNSAFE, EVERY},
	/* Something else than a program comes out: -E, -M, -MD, -S, -c ... */
	{"-C", PREFIX, UNSAFE, EVERY},
	{"-E", PREFIX, UNSAFE, EVERY},
	{"-H", PREFIX, UNSAFE, EVERY},
	{"-M", PREFIX, UNSAFE, EVERY},
	{"-P", PREFIX, UNSAFE, EVERY},
	{"-S", PREFIX, UNSAFE, EVERY},
	{"-V", PREFIX, UNSAFE, EVERY},
	{"-Z", PREFIX, UNSAFE, EVERY},
	{"-c", WHOLE, UNSAFE, EVERY},
	{"-analy", PREFIX, UNSAFE, EVERY},
	{"-ast", PREFIX, UNSAFE, EVERY},
	{"-code-completion", PREFIX, UNSAFE, EVERY},
	{"-d", PREFIX, UNSAFE, EVERY},
	{"-rewrite", PREFIX, UNSAFE, EVERY},
	{"-remap", PREFIX, UNSAFE, EVERY},
	{"-fsyntax-only", PREFIX, UNSAFE, EVERY},
	{"-fembed", PREFIX, UNSAFE, EVERY},
	/*
	 * Other rules for where includes are looked for, and for words:
	 * -fms-compatibility, -fms-extensions, -fno-dollars-in-identifiers.
	 */
	{"-fms", PREFIX, UNSAFE, EVERY},
	{"-fdollars", PREFIX, UNSAFE, EVERY},
	{"-fno-dollars", PREFIX, UNSAFE, EVERY},
	{"-traditional", PREFIX, UNSAFE, EVERY},
	/* What is printed on the process's own standard error. */
	{"-v", PREFIX, UNSAFE, EVERY},
	{"-ftime-", PREFIX, UNSAFE, EVERY},
	{"-time", PREFIX, UNSAFE, EVERY},
	{"-verify", PREFIX, UNSAFE, EVERY},
	/*
	 * Debug information has paths and the current folder in it; Intel's
	 * and NEO's -s names the source's file.
	 */
	{"-g", PREFIX, UNSAFE, EVERY},
	{"-s", WHOLE, UNSAFE, EVERY},
	{"-fdebug-", PREFIX, UNSAFE, EVERY},
	{"-debug", PREFIX, UNSAFE, EVERY},
	{"-split-", PREFIX, UNSAFE, EVERY},
	{"-pg", WHOLE, UNSAFE, EVERY},
	{"-fprof", PREFIX, UNSAFE, EVERY},
	{"-fcov", PREFIX, UNSAFE, EVERY},
	{"-ftest-", PREFIX, UNSAFE, EVERY},
	{"-fxray-", PREFIX, UNSAFE, EVERY},
	{"-fcrash-", PREFIX, UNSAFE, EVERY},
	{"-fapi", PREFIX, UNSAFE, EVERY},
	{"-fbuild-", PREFIX, UNSAFE, EVERY},
	{"-fimplicit-", PREFIX, UNSAFE, EVERY},
	{"-fprebuilt-", PREFIX, UNSAFE, EVERY},
	{"-flto", PREFIX, UNSAFE, EVERY},
	{"-fthin", PREFIX, UNSAFE, EVERY},
	/* AMD's: what becomes part of the binary, dumps. */
	{"-fbin-", PREFIX, UNSAFE, ON(ANY_DRIVER)},

	/* The specification's. A value of any other -cl- could be a file. */
	{"-cl-std=", PREFIX, SAFE, EVERY},
	{"-cl-ext=", PREFIX, LIST, EVERY},
	{"-spir-std=", PREFIX, SAFE, EVERY},
	{"-x", JOINED, NAME, EVERY},
	{"-create-library", WHOLE, SAFE, EVERY},
	{"-enable-link-options", WHOLE, SAFE, EVERY},
	{"-w", WHOLE, SAFE, EVERY},
	/* NVIDIA's (cl_nv_compiler_options); its log is kept in the entry. */
	{"-cl-nv-maxrregcount", JOINED, NAME, ON(NVIDIA)},
	{"-cl-nv-opt-level", JOINED, NAME, ON(NVIDIA)},
	{"-cl-nv-arch", JOINED, NAME, ON(NVIDIA)},
	{"-cl-nv-cstd", JOINED, NAME, ON(NVIDIA)},
	/* GCC's and Clang's; commas would pass on options (-Wl,). */
	{"-std=", PREFIX, SAFE, EVERY},
	{"-W", PREFIX, SAFE, EVERY},
	{"-O", PREFIX, SAFE, EVERY},
	{"-ffp-contract=", PREFIX, SAFE, EVERY},
	{"-fno-builtin", PREFIX, SAFE, EVERY},
	{"-fdenormal-fp-math=", PREFIX, SAFE, EVERY},
	{"-fvisibility=", PREFIX, SAFE, EVERY},
	{"-march=", PREFIX, SAFE, EVERY},
	{"-mcpu=", PREFIX, SAFE, EVERY},
	{"-mtune=", PREFIX, SAFE, EVERY},
	{"-target-cpu", WHOLE, NAME, ON_CLANG},
	{"-triple", WHOLE, NAME, ON_CLANG},
	/* Intel's: -auto-prefetch-level=2 ... */
	{"-auto-prefetch-level=", PREFIX, SAFE, ON(INTEL_CPU)},
};

/* In words that aren't in the table: signs of files and side effects. */
static const char *const unsafe_parts[] = {
	"dir",	"dump",	  "emit",   "file", "include", "link",	 "load",
	"log",	"module", "out",    "path", "pch",     "plugin", "print",
	"prof", "record", "report", "save", "temp",    "trace",	 "write",
};

static bool has_part(const struct occ_word *word, const char *part)
{
	return memmem(word->text, word->length, part, strlen(part)) != NULL;
}

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

static bool is_number(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return length > 0;
}

static const struct option *find(const struct occ_word *word,
				 enum occ_option_driver driver)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct option *option = &table[i];
		size_t size = strlen(option->word);

		if (option->drivers & (1u << driver) && word->length >= size &&
		    !memcmp(word->text, option->word, size) &&
		    (word->length == size || option->form != WHOLE))
			return option;
	}
	return NULL;
}

/* Blanks of one reading are what separates words in another. */
#define WHITE "\t\n\v\f\r"

/* An option that isn't in the table; a number after '=' is no file. */
static bool is_unknown_safe(const struct occ_word *word)
{
	const char *equals = memchr(word->text, '=', word->length);
	size_t length = equals ? (size_t)(equals - word->text) : word->length;

	for (size_t i = 0; i < sizeof(unsafe_parts) / sizeof(char *); i++)
		if (has_part(word, unsafe_parts[i]))
			return false;
	if (equals && !is_number(equals + 1, word->length - length - 1))
		return false;
	return word->length > 1 && is_harmless(word->text, length, WHITE);
}

/*
 * Is this what a folder or file may be called? Some take "-" for an option of
 * its own, "=" for a folder below another, "@" for a file with options.
 */
static bool is_place(const struct occ_word *word)
{
	return word->length && *word->text != '-' && *word->text != '=' &&
	       *word->text != '@';
}

/* A walk through the options in one reading. */
struct walk {
	enum occ_option_driver driver;
	bool is_own; /* the reading is the driver's */
	struct occ_words words;
	/* Called for every argument; NULL: only what is unsafe is looked for.
	 */
	bool (*take)(struct walk *walk, enum class class,
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

static bool take(struct walk *walk, enum class class,
		 const struct occ_word *argument)
{
	return !walk->take || walk->take(walk, class, argument);
}

static bool take_argument(struct walk *walk, enum class class,
			  const struct occ_word *argument)
{
	struct occ_word behind = *argument;
	bool equals = argument->length && *argument->text == '=';

	if (class == NAME)
		return is_harmless(argument->text, argument->length, "=.") ||
		       refuse(walk, argument);
	if (class == FILE_ && equals) {
		/* Clang's other spelling; to others a part of the name. */
		if (!take(walk, class, argument))
			return false;
		behind.text++;
		behind.length--;
	}
	if ((class == FILE_ || class == FOLDER) && !is_place(&behind))
		return refuse(walk, argument);
	return take(walk, class, &behind);
}

/* An option and what follows it. */
static bool walk_option(struct walk *walk, const struct option *option,
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

/* How a driver is known to read what has a meaning in some reading. */
static bool is_own(enum occ_option_driver driver, const char *options,
		   unsigned reading)
{
	unsigned own = OCC_READ_QUOTES;

	switch (driver) {
	case OCC_OPTION_POCL:
		own |= OCC_READ_QUOTES_BLANK;
		break;
	case OCC_OPTION_INTEL_CPU:
	case OCC_OPTION_OCLGRIND:
		own |= OCC_READ_ESCAPES;
		break;
	case OCC_OPTION_RUSTICL:
		break;
	case OCC_OPTION_NVIDIA:
	case OCC_OPTION_ANY_DRIVER:
		return true;
	}
	if (!strchr(options, '"'))
		own &= OCC_READ_ESCAPES;
	if (!strchr(options, '\\'))
		own &= ~(unsigned)OCC_READ_ESCAPES;
	return (reading & ~(unsigned)OCC_READ_WHITE) == own;
}

static bool walk_word(struct walk *walk, struct occ_word *word)
{
	const struct option *option;

	/* No option: a file's name to a driver that reads it so. */
	if (!word->length || *word->text != '-')
		return (word->length && *word->text != '@' && !walk->is_own) ||
		       refuse(walk, word);
	option = find(word, walk->driver);
	if (!option)
		return is_unknown_safe(word) || refuse(walk, word);
	if (option->class == UNSAFE)
		return refuse(walk, word);
	if (option->class != SAFE && option->class != LIST)
		return walk_option(walk, option, word);
	return is_harmless(word->text, word->length,
			   option->class == LIST ? "=.," WHITE : "=." WHITE) ||
	       refuse(walk, word);
}

/* Walks in one reading. */
static bool walk_words(struct walk *walk, const char *options, unsigned reading)
{
	struct occ_word word;
	bool going = true;

	walk->is_own = is_own(walk->driver, options, reading);
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
			      enum occ_option_driver driver, size_t *ret_length)
{
	unsigned signs;

	if (!options)
		return NULL;
	signs = occ_word_signs(options);
	for (unsigned reading = 0; reading < OCC_READINGS; reading++) {
		struct walk walk = {.driver = driver};

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
	enum class class;
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

static bool note(struct walk *walk, enum class class,
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
		[FOLDER] = OCC_OPTION_FOLDER,
		[FILE_] = OCC_OPTION_FILE,
		[DEFINE] = OCC_OPTION_DEFINE,
		[UNDEFINE] = OCC_OPTION_UNDEFINE,
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

bool occ_option_walk(const char *options, enum occ_option_driver driver,
		     occ_option_visit visit, void *data)
{
	unsigned signs = options ? occ_word_signs(options) : 0;
	struct found found = {.items = OCC_BUFFER_INIT};
	bool told = true;

	for (unsigned reading = 0; options && reading < OCC_READINGS && told;
	     reading++) {
		struct walk walk = {.driver = driver,
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
