/* SPDX-License-Identifier: MIT */
#include "hash/macro.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "hash/predefined.h"
#include "hash/reader.h"

/* Combinations of definitions that are tried, and definitions of a macro. */
#define RUNS_MAX	 256
#define ALTERNATIVES_MAX 32
#define CHOICES_MAX	 64
#define PARAMETERS_MAX	 32

/* For the tokens of one run; names of files are short. */
#define MEMORY_MAX	 ((size_t)256 * 1024)
#define CHUNK_SIZE	 8192

/* Macros within arguments within arguments. */
#define DEPTH_MAX	 16

enum token_kind {
	TOKEN_IDENTIFIER,
	TOKEN_NUMBER,
	TOKEN_STRING, /* or a character constant */
	TOKEN_PASTE,  /* ## */
	TOKEN_OTHER,  /* one character */
	TOKEN_EMPTY,  /* what an empty argument of ## is (a placemarker) */
};

/* Macros that a token came from: it isn't replaced by them again. */
struct hidden {
	const char *name;
	const struct hidden *next;
};

struct token {
	struct token *next;
	enum token_kind kind;
	bool space; /* blanks were before it */
	const char *text;
	size_t length;
	const struct hidden *hidden;
};

struct definition {
	bool function;
	bool variadic; /* the last parameter is __VA_ARGS__ */
	size_t parameter_count;
	const struct token *parameters[PARAMETERS_MAX];
	const struct token *body;
};

struct alternative {
	const char *rest; /* NULL: not a macro */
	size_t length;
};

/* A macro that was met, and the definition of this run. */
struct choice {
	const char *name;
	struct alternative alternatives[ALTERNATIVES_MAX];
	size_t count;
	size_t chosen;
};

struct chunk {
	struct chunk *next;
	size_t used;
	size_t capacity;
	max_align_t bytes[];
};

struct expander {
	const struct occ_macros *macros;
	struct chunk *chunks; /* of this run */
	size_t memory;
	struct choice *choices; /* in the order in which they were met */
	size_t choice_count;
	unsigned depth;
	const char *failure;
	jmp_buf failed;
};

static const char not_certain[] =
	"a computed include can't be told with certainty";

static _Noreturn void fail(struct expander *expander, const char *reason)
{
	expander->failure = reason;
	longjmp(expander->failed, 1);
}

/* To be called before anything that a text can ask for much of. */
static void spend(struct expander *expander, size_t work)
{
	uint64_t *left = expander->macros->work_left;

	if (*left < work) {
		*left = 0;
		fail(expander, not_certain);
	}
	*left -= work;
}

static void *allocate(struct expander *expander, size_t size)
{
	struct chunk *chunk = expander->chunks;
	void *bytes;

	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) *
	       sizeof(max_align_t);
	spend(expander, size);
	if (!chunk || chunk->capacity - chunk->used < size) {
		size_t capacity = size > CHUNK_SIZE ? size : CHUNK_SIZE;

		expander->memory += capacity;
		if (expander->memory > MEMORY_MAX)
			fail(expander, not_certain);
		chunk = malloc(sizeof(*chunk) + capacity);
		if (!chunk)
			fail(expander, "out of memory");
		chunk->next = expander->chunks;
		chunk->used = 0;
		chunk->capacity = capacity;
		expander->chunks = chunk;
	}
	bytes = (char *)chunk->bytes + chunk->used;
	chunk->used += size;
	return bytes;
}

static void release_chunks(struct expander *expander)
{
	while (expander->chunks) {
		struct chunk *next = expander->chunks->next;

		free(expander->chunks);
		expander->chunks = next;
	}
	expander->memory = 0;
}

static char *copy_text(struct expander *expander, const char *text,
		       size_t length)
{
	char *copy = allocate(expander, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

static struct token *new_token(struct expander *expander, enum token_kind kind,
			       const char *text, size_t length)
{
	struct token *token = allocate(expander, sizeof(*token));

	*token = (struct token){
		.kind = kind,
		.text = copy_text(expander, text, length),
		.length = length,
	};
	return token;
}

static struct token *copy_token(struct expander *expander,
				const struct token *token)
{
	struct token *copy = allocate(expander, sizeof(*copy));

	*copy = *token;
	copy->next = NULL;
	return copy;
}

static bool is(const struct token *token, char character)
{
	return token && token->kind == TOKEN_OTHER && *token->text == character;
}

static bool same_text(const struct token *a, const struct token *b)
{
	return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

/* A list that is made at its end. */
struct list {
	struct token *first;
	struct token **end;
};

static void list_init(struct list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void append(struct list *list, struct token *token)
{
	token->next = NULL;
	*list->end = token;
	list->end = &token->next;
}

/* The bytes of one token from the reader; more than these is nobody's name. */
struct spelling {
	char text[OCC_SCAN_NAME_MAX + 3];
	size_t length;
};

static void take_into(struct expander *expander, struct occ_reader *reader,
		      struct spelling *spelling)
{
	if (spelling->length == sizeof(spelling->text))
		fail(expander, not_certain);
	spelling->text[spelling->length++] = (char)occ_reader_take(reader);
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static void take_identifier(struct expander *expander,
			    struct occ_reader *reader,
			    struct spelling *spelling)
{
	while (occ_is_identifier(occ_reader_peek(reader)))
		take_into(expander, reader, spelling);
}

/* A preprocessing number (C11 section 6.4.8), after its first byte. */
static void take_number(struct expander *expander, struct occ_reader *reader,
			struct spelling *spelling)
{
	for (;;) {
		int c = occ_reader_peek(reader);
		int last = spelling->text[spelling->length - 1] | 32;
		bool sign =
			(c == '+' || c == '-') && (last == 'e' || last == 'p');

		if (!occ_is_identifier(c) && c != '.' && !sign)
			return;
		take_into(expander, reader, spelling);
	}
}

static void take_string(struct expander *expander, struct occ_reader *reader,
			struct spelling *spelling)
{
	int quote = (unsigned char)*spelling->text, c;

	do {
		c = occ_reader_peek(reader);
		/* Escapes mean different things in names of files. */
		if (c < 0 || c == '\n' || c == '\\')
			fail(expander, not_certain);
		take_into(expander, reader, spelling);
	} while (c != quote);
}

/* Compilers see one token in these two, or something that isn't C. */
static bool is_odd(int c, int next)
{
	switch (c) {
	case '<':
		return next == ':' || next == '%';
	case ':':
	case '-':
		return next == '>';
	case '>':
		return next == '>' || next == '=';
	case '%':
		return next == '>' || next == ':';
	case '?':
		return next == '?';
	default:
		return c >= 128 || c == '\\' || c == '@' || c == '`';
	}
}

static enum token_kind take_other(struct expander *expander,
				  struct occ_reader *reader,
				  struct spelling *spelling)
{
	int c = (unsigned char)*spelling->text;
	int next = occ_reader_peek(reader);

	if (c == '#' && next == '#') {
		take_into(expander, reader, spelling);
		return TOKEN_PASTE;
	}
	if (is_odd(c, next))
		fail(expander, not_certain);
	return TOKEN_OTHER;
}

/* The next token behind blanks; the reader isn't at its end. */
static struct token *take_token(struct expander *expander,
				struct occ_reader *reader)
{
	struct spelling spelling = {.length = 0};
	enum token_kind kind;
	int c = occ_reader_peek(reader);

	take_into(expander, reader, &spelling);
	if (is_digit(c) || (c == '.' && is_digit(occ_reader_peek(reader)))) {
		kind = TOKEN_NUMBER;
		take_number(expander, reader, &spelling);
	} else if (occ_is_identifier(c)) {
		kind = TOKEN_IDENTIFIER;
		take_identifier(expander, reader, &spelling);
	} else if (c == '"' || c == '\'') {
		kind = TOKEN_STRING;
		take_string(expander, reader, &spelling);
	} else {
		kind = take_other(expander, reader, &spelling);
	}
	return new_token(expander, kind, spelling.text, spelling.length);
}

/*
 * The tokens of a text. A slash may be the start of a comment: what is behind
 * it is looked at by the reader, which takes both.
 */
static struct token *tokenize(struct expander *expander, const char *text,
			      size_t size)
{
	struct occ_reader reader = {text, text + size, false};
	struct list list;

	list_init(&list);
	spend(expander, size);
	for (;;) {
		const char *at = reader.at;
		bool slash = !occ_reader_skip_blanks(&reader);
		bool space = reader.at - slash != at;
		struct token *token;

		if (reader.uncertain)
			fail(expander, not_certain);
		if (slash)
			token = new_token(expander, TOKEN_OTHER, "/", 1);
		else if (occ_reader_peek(&reader) < 0)
			return list.first;
		else
			token = take_token(expander, &reader);
		token->space = space;
		append(&list, token);
	}
}

/* The three dots of variable arguments; returns what is behind. */
static const struct token *parse_dots(struct expander *expander,
				      const struct token *token,
				      struct definition *definition)
{
	static const char name[] = "__VA_ARGS__";

	for (int i = 0; i < 3; i++, token = token->next)
		if (!is(token, '.'))
			fail(expander, not_certain);
	definition->variadic = true;
	definition->parameters[definition->parameter_count++] =
		new_token(expander, TOKEN_IDENTIFIER, name, sizeof(name) - 1);
	if (!is(token, ')'))
		fail(expander, not_certain);
	return token->next;
}

/* Behind the opening parenthesis; returns what is behind the closing one. */
static const struct token *parse_parameters(struct expander *expander,
					    const struct token *token,
					    struct definition *definition)
{
	if (is(token, ')'))
		return token->next;
	for (;;) {
		if (definition->parameter_count == PARAMETERS_MAX)
			fail(expander, not_certain);
		if (is(token, '.'))
			return parse_dots(expander, token, definition);
		if (!token || token->kind != TOKEN_IDENTIFIER)
			fail(expander, not_certain);
		definition->parameters[definition->parameter_count++] = token;
		token = token->next;
		if (is(token, ')'))
			return token->next;
		if (!is(token, ','))
			fail(expander, not_certain);
		token = token->next;
	}
}

/* GNU's `, ## __VA_ARGS__`, and what is newer than C11. */
static void refuse_extensions(struct expander *expander,
			      const struct definition *definition)
{
	const struct token *token = definition->body;

	for (; token && definition->variadic; token = token->next)
		if (!strcmp(token->text, "__VA_OPT__") ||
		    (is(token, ',') && token->next &&
		     token->next->kind == TOKEN_PASTE))
			fail(expander, not_certain);
}

static const struct definition *parse(struct expander *expander,
				      const struct alternative *alternative)
{
	struct definition *definition = allocate(expander, sizeof(*definition));
	const struct token *body =
		tokenize(expander, alternative->rest, alternative->length);

	memset(definition, 0, sizeof(*definition));
	/* Function-like: the parenthesis is right behind the name. */
	if (is(body, '(') && !body->space) {
		definition->function = true;
		body = parse_parameters(expander, body->next, definition);
	}
	definition->body = body;
	refuse_extensions(expander, definition);
	return definition;
}

static void add_alternative(struct expander *expander, struct choice *choice,
			    const char *rest, size_t length)
{
	for (size_t i = 0; i < choice->count; i++) {
		const struct alternative *other = &choice->alternatives[i];

		if (!rest && !other->rest)
			return;
		if (rest && other->rest && length == other->length &&
		    !memcmp(rest, other->rest, length))
			return;
	}
	if (choice->count == ALTERNATIVES_MAX)
		fail(expander, not_certain);
	choice->alternatives[choice->count++] =
		(struct alternative){rest, length};
}

/* Those of the texts. Returns whether one undefines it. */
static bool add_of_texts(struct expander *expander, struct choice *choice)
{
	const struct occ_macros *macros = expander->macros;
	bool undefined = false;

	for (size_t s = 0; s < macros->scan_count; s++) {
		const struct occ_scan *scan = macros->scans[s];
		size_t first, count;

		count = occ_scan_find_macro(scan, choice->name, &first);
		spend(expander, 16 + 4 * count);
		for (size_t i = first; i < first + count; i++) {
			const struct occ_directive *directive =
				&scan->directives[scan->macros[i]];

			if (directive->kind == OCC_DIRECTIVE_UNDEFINE)
				undefined = true;
			else
				add_alternative(expander, choice,
						directive->rest,
						directive->rest_length);
		}
	}
	return undefined;
}

/* All that the macro may be. */
static void add_alternatives(struct expander *expander, struct choice *choice)
{
	const struct occ_macros *macros = expander->macros;
	bool defined = false, undefined = false;

	spend(expander, macros->option_count);
	for (size_t i = 0; i < macros->option_count; i++) {
		const struct occ_option_macro *option = &macros->options[i];

		if (strcmp(option->name, choice->name) != 0)
			continue;
		if (!option->rest) {
			undefined = true;
			continue;
		}
		defined = true;
		add_alternative(expander, choice, option->rest,
				option->rest_length);
	}
	undefined |= add_of_texts(expander, choice);
	if (defined && !undefined)
		return;
	if (occ_predefined(choice->name))
		fail(expander, "a computed include has a name that may be "
			       "predefined");
	add_alternative(expander, choice, NULL, 0);
}

/* What the name stands for in this run. */
static const struct alternative *choose(struct expander *expander,
					const char *name)
{
	struct choice *choice = expander->choices;
	size_t i;

	for (i = 0; i < expander->choice_count; i++, choice++)
		if (!strcmp(choice->name, name))
			return &choice->alternatives[choice->chosen];
	if (i == CHOICES_MAX)
		fail(expander, not_certain);
	choice->name = name;
	choice->count = 0;
	choice->chosen = 0;
	add_alternatives(expander, choice);
	/* It must outlive the run. */
	choice->name = strdup(name);
	if (!choice->name)
		fail(expander, "out of memory");
	expander->choice_count++;
	return &choice->alternatives[0];
}

static bool is_hidden(const struct hidden *hidden, const char *name)
{
	for (; hidden; hidden = hidden->next)
		if (!strcmp(hidden->name, name))
			return true;
	return false;
}

static const struct hidden *hide(struct expander *expander,
				 const struct hidden *hidden, const char *name)
{
	struct hidden *more;

	spend(expander, 1);
	if (is_hidden(hidden, name))
		return hidden;
	more = allocate(expander, sizeof(*more));
	*more = (struct hidden){name, hidden};
	return more;
}

static const struct hidden *hide_all(struct expander *expander,
				     const struct hidden *hidden,
				     const struct hidden *others)
{
	for (; others; others = others->next)
		hidden = hide(expander, hidden, others->name);
	return hidden;
}

static const struct hidden *hide_common(struct expander *expander,
					const struct hidden *a,
					const struct hidden *b)
{
	const struct hidden *common = NULL;

	for (; a; a = a->next)
		if (is_hidden(b, a->name))
			common = hide(expander, common, a->name);
	return common;
}

/*
 * The arguments behind the opening parenthesis, each a list of its own. Returns
 * the closing one, NULL when there is none.
 */
static struct token *take_arguments(struct expander *expander,
				    const struct definition *definition,
				    struct token *token,
				    struct token *arguments[PARAMETERS_MAX],
				    size_t *ret_count)
{
	unsigned depth = 0;
	struct list list;

	*ret_count = 0;
	list_init(&list);
	for (; token; token = token->next) {
		/* All that is left is the variable one's. */
		bool rest = definition->variadic &&
			    *ret_count + 1 == definition->parameter_count;
		bool separates = !depth && !rest && is(token, ',');

		if ((!depth && is(token, ')')) || separates) {
			if (*ret_count == PARAMETERS_MAX)
				fail(expander, not_certain);
			arguments[(*ret_count)++] = list.first;
			list_init(&list);
			if (!separates)
				return token;
			continue;
		}
		depth += is(token, '(');
		depth -= is(token, ')');
		append(&list, copy_token(expander, token));
	}
	return NULL;
}

static bool find_parameter(const struct definition *definition,
			   const struct token *token, size_t *ret_number)
{
	if (!token || token->kind != TOKEN_IDENTIFIER)
		return false;
	for (size_t i = 0; i < definition->parameter_count; i++) {
		*ret_number = i;
		if (same_text(definition->parameters[i], token))
			return true;
	}
	return false;
}

static struct token *stringize(struct expander *expander,
			       const struct token *argument)
{
	struct spelling spelling = {.text = "\"", .length = 1};

	for (const struct token *token = argument; token; token = token->next) {
		size_t blank = token->space && token != argument;

		if (token->kind == TOKEN_STRING ||
		    spelling.length + blank + token->length + 1 >
			    sizeof(spelling.text))
			fail(expander, not_certain);
		spelling.text[spelling.length] = ' ';
		spelling.length += blank;
		memcpy(spelling.text + spelling.length, token->text,
		       token->length);
		spelling.length += token->length;
	}
	spelling.text[spelling.length++] = '"';
	return new_token(expander, TOKEN_STRING, spelling.text,
			 spelling.length);
}

/* Two tokens made one; what isn't a name or number is nothing certain. */
static struct token *paste(struct expander *expander, const struct token *left,
			   const struct token *right)
{
	const struct token *other = left->kind == TOKEN_EMPTY ? right : left;
	struct token *token;
	char *text;

	if (left->kind == TOKEN_EMPTY || right->kind == TOKEN_EMPTY) {
		token = copy_token(expander, other);
	} else {
		text = allocate(expander, left->length + right->length);
		memcpy(text, left->text, left->length);
		memcpy(text + left->length, right->text, right->length);
		token = tokenize(expander, text, left->length + right->length);
		if (!token || token->next ||
		    (token->kind != TOKEN_IDENTIFIER &&
		     token->kind != TOKEN_NUMBER))
			fail(expander, not_certain);
		token->hidden =
			hide_common(expander, left->hidden, right->hidden);
	}
	token->space = left->space;
	return token;
}

static struct token *expand(struct expander *expander, struct token *tokens);

static void append_list(struct expander *expander, struct list *list,
			const struct token *tokens, bool space)
{
	bool first = true;

	for (; tokens; tokens = tokens->next) {
		struct token *token = copy_token(expander, tokens);

		if (first)
			token->space = space;
		first = false;
		append(list, token);
	}
}

/* An operand of ##: an argument as it is. */
static void append_operand(struct expander *expander, struct list *list,
			   const struct token *argument, bool space)
{
	if (argument)
		append_list(expander, list, argument, space);
	else
		append(list, new_token(expander, TOKEN_EMPTY, "", 0));
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static void append_expanded(struct expander *expander, struct list *list,
			    const struct token *argument, bool space)
{
	struct list copy;

	list_init(&copy);
	append_list(expander, &copy, argument, argument && argument->space);
	append_list(expander, list, expand(expander, copy.first), space);
}

/* The body with arguments in the place of parameters; ## still to be done. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static struct token *fill(struct expander *expander,
			  const struct definition *definition,
			  struct token **arguments)
{
	const struct token *token = definition->body;
	bool pasted = false;
	struct list list;
	size_t i;

	list_init(&list);
	for (; token; token = token->next) {
		bool pastes = token->next && token->next->kind == TOKEN_PASTE;

		if (definition->function && is(token, '#')) {
			struct token *string;

			if (!find_parameter(definition, token->next, &i))
				fail(expander, not_certain);
			string = stringize(expander, arguments[i]);
			string->space = token->space;
			append(&list, string);
			token = token->next;
		} else if (!find_parameter(definition, token, &i)) {
			append(&list, copy_token(expander, token));
		} else if (pasted || pastes) {
			append_operand(expander, &list, arguments[i],
				       token->space);
		} else {
			append_expanded(expander, &list, arguments[i],
					token->space);
		}
		pasted = token->kind == TOKEN_PASTE;
	}
	return list.first;
}

/* Does every ## of a body. */
static struct token *paste_all(struct expander *expander, struct token *token)
{
	struct list list;

	list_init(&list);
	while (token) {
		struct token *next = token->next;

		if (token->kind == TOKEN_PASTE)
			fail(expander, not_certain);
		while (next && next->kind == TOKEN_PASTE) {
			if (!next->next)
				fail(expander, not_certain);
			token = paste(expander, token, next->next);
			next = next->next->next;
		}
		if (token->kind != TOKEN_EMPTY)
			append(&list, token);
		token = next;
	}
	return list.first;
}

/* What replaces a macro's name and arguments, in front of `rest`. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static struct token *replace(struct expander *expander,
			     const struct definition *definition,
			     struct token **arguments, const struct token *name,
			     const struct hidden *hidden, struct token *rest)
{
	struct token *body =
		paste_all(expander, fill(expander, definition, arguments));
	struct token *last = NULL;

	hidden = hide(expander, hidden, name->text);
	for (struct token *token = body; token; token = token->next) {
		token->hidden = hide_all(expander, token->hidden, hidden);
		last = token;
	}
	if (!last) {
		/* The blanks stay: they may count in a string. */
		if (rest)
			rest->space |= name->space;
		return rest;
	}
	body->space = name->space;
	last->next = rest;
	return body;
}

/* As many arguments as parameters? The variable ones may be left out. */
static bool are_complete(const struct definition *definition,
			 struct token **arguments, size_t *count)
{
	if (definition->variadic && *count + 1 == definition->parameter_count)
		arguments[(*count)++] = NULL;
	return *count == definition->parameter_count ||
	       (*count == 1 && !arguments[0] && !definition->parameter_count);
}

/* The tokens from a macro's name on, replaced; NULL: it stays. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static struct token *replace_macro(struct expander *expander,
				   struct token *token, bool *ret_replaced)
{
	const struct alternative *alternative = choose(expander, token->text);
	struct token *arguments[PARAMETERS_MAX], *open = token->next, *end;
	const struct definition *definition;
	size_t count;

	*ret_replaced = false;
	if (!alternative->rest)
		return NULL;
	definition = parse(expander, alternative);
	if (!definition->function) {
		*ret_replaced = true;
		return replace(expander, definition, NULL, token, token->hidden,
			       token->next);
	}
	if (!open || !is(open, '('))
		return NULL;
	end = take_arguments(expander, definition, open->next, arguments,
			     &count);
	/* One that goes on behind the line, or has other arguments. */
	if (!end || !are_complete(definition, arguments, &count))
		fail(expander, not_certain);
	*ret_replaced = true;
	return replace(expander, definition, arguments, token,
		       hide_common(expander, token->hidden, end->hidden),
		       end->next);
}

/* Could an include start so? */
static bool starts_include(const struct token *token)
{
	return token->kind == TOKEN_STRING || is(token, '<');
}

/*
 * C11 section 6.10.3.4; takes the list over. Of what doesn't start as an
 * include the rest isn't looked at.
 */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static struct token *expand(struct expander *expander, struct token *tokens)
{
	struct list list;

	if (++expander->depth > DEPTH_MAX)
		fail(expander, not_certain);
	list_init(&list);
	while (tokens) {
		struct token *next = tokens->next;
		bool replaced = false;

		if (tokens->kind == TOKEN_IDENTIFIER &&
		    !is_hidden(tokens->hidden, tokens->text)) {
			struct token *result =
				replace_macro(expander, tokens, &replaced);

			if (replaced) {
				tokens = result;
				continue;
			}
		}
		if (expander->depth == 1 && !list.first &&
		    !starts_include(tokens))
			break;
		append(&list, tokens);
		tokens = next;
	}
	expander->depth--;
	return list.first;
}

/* <a/b.h>: the tokens up to the closing bracket. */
static bool visit_bracketed(struct expander *expander,
			    const struct token *token, occ_macro_visit visit,
			    void *data)
{
	struct spelling spelling = {.length = 0};

	for (; token && !is(token, '>'); token = token->next) {
		if (token->space ||
		    spelling.length + token->length > sizeof(spelling.text))
			fail(expander, not_certain);
		memcpy(spelling.text + spelling.length, token->text,
		       token->length);
		spelling.length += token->length;
	}
	if (!token)
		return true;
	if (token->space || token->next)
		fail(expander, not_certain);
	return visit(spelling.text, spelling.length, false, data);
}

/* One combination of definitions. */
static bool visit_one(struct expander *expander, const char *tokens,
		      size_t size, occ_macro_visit visit, void *data)
{
	struct token *token =
		expand(expander, tokenize(expander, tokens, size));

	if (is(token, '<'))
		return visit_bracketed(expander, token->next, visit, data);
	if (!token || token->kind != TOKEN_STRING || *token->text != '"')
		return true;
	if (token->next)
		fail(expander, not_certain);
	return visit(token->text + 1, token->length - 2, true, data);
}

/* The next combination; false when all have been. */
static bool advance(struct expander *expander)
{
	while (expander->choice_count) {
		struct choice *last =
			&expander->choices[expander->choice_count - 1];

		if (++last->chosen < last->count)
			return true;
		free((char *)(uintptr_t)last->name);
		expander->choice_count--;
	}
	return false;
}

static bool visit_all(struct expander *expander, const char *tokens,
		      size_t size, occ_macro_visit visit, void *data)
{
	unsigned runs = 0;

	do {
		if (runs++ == RUNS_MAX)
			fail(expander, not_certain);
		expander->depth = 0;
		if (!visit_one(expander, tokens, size, visit, data))
			return false;
		release_chunks(expander);
	} while (advance(expander));
	return true;
}

const char *occ_macro_includes(const struct occ_macros *macros,
			       const char *tokens, size_t size,
			       occ_macro_visit visit, void *data)
{
	struct expander expander = {.macros = macros};

	expander.choices = calloc(CHOICES_MAX, sizeof(*expander.choices));
	if (!expander.choices)
		return "out of memory";
	if (!setjmp(expander.failed) &&
	    !visit_all(&expander, tokens, size, visit, data))
		expander.failure = not_certain;
	release_chunks(&expander);
	while (expander.choice_count)
		free((char *)(uintptr_t)expander
			     .choices[--expander.choice_count]
			     .name);
	free(expander.choices);
	return expander.failure;
}
