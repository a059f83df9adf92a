/* SPDX-License-Identifier: MIT */
#include "tests/stub/condition.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct expression {
	const char *at;
	bool good;
};

static const struct operator_ {
	const char *text;
	int level;
} operators[] = {
	{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4},
	{"<", 4},  {">", 4},  {"+", 5},	 {"-", 5},  {"*", 6},  {"%", 6},
};

static long binary(struct expression *expression, int level);

static void skip_blanks(struct expression *expression)
{
	while (isspace((unsigned char)*expression->at))
		expression->at++;
}

static long primary(struct expression *expression)
{
	char *end;
	long value;

	skip_blanks(expression);
	if (*expression->at == '!') {
		expression->at++;
		return !primary(expression);
	}
	if (*expression->at == '(') {
		expression->at++;
		value = binary(expression, 1);
		skip_blanks(expression);
		expression->good &= *expression->at == ')';
		expression->at += *expression->at == ')';
		return value;
	}
	if (stub_is_letter(*expression->at) &&
	    !isdigit((unsigned char)*expression->at)) {
		expression->at +=
			stub_word_length(expression->at,
					 expression->at +
						 strlen(expression->at));
		return 0;
	}
	value = strtol(expression->at, &end, 0);
	expression->good &= end > expression->at;
	expression->at = end + strspn(end, "uUlL");
	return value;
}

static const struct operator_ *operator_at(struct expression *expression,
					   int level)
{
	skip_blanks(expression);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (operators[i].level >= level &&
		    !strncmp(operators[i].text, expression->at,
			     strlen(operators[i].text)))
			return &operators[i];
	return NULL;
}

static long apply(const char *operator_, long one, long two)
{
	switch (operator_[0]) {
	case '|':
		return one || two;
	case '&':
		return one && two;
	case '=':
		return one == two;
	case '!':
		return one != two;
	case '<':
		return operator_[1] ? one <= two : one < two;
	case '>':
		return operator_[1] ? one >= two : one > two;
	case '+':
		return one + two;
	case '-':
		return one - two;
	case '*':
		return one * two;
	default:
		return two ? one % two : 0;
	}
}

static long binary(struct expression *expression, int level)
{
	long value = primary(expression);
	const struct operator_ *found;

	while ((found = operator_at(expression, level))) {
		expression->at += strlen(found->text);
		value = apply(found->text, value,
			      binary(expression, found->level + 1));
	}
	return value;
}

/* The text with "defined X" and "defined(X)" as 1 or 0. */
static void replace_defined(struct stub_macro *macros, const char *text,
			    struct stub_text *out)
{
	const char *end = text + strlen(text);

	while (text < end) {
		size_t length = stub_word_length(text, end);
		bool parenthesis;

		if (length != 7 || strncmp(text, "defined", 7)) {
			length = length ? length : 1;
			stub_text_add(out, text, length);
			text += length;
			continue;
		}
		text += 7 + strspn(text + 7, " \t");
		parenthesis = *text == '(';
		text += strspn(text, " \t(");
		length = stub_word_length(text, end);
		stub_text_add_string(out, stub_macro_find(macros, text, length)
						  ? " 1 "
						  : " 0 ");
		text += length;
		text += strspn(text, " \t");
		text += parenthesis && *text == ')';
	}
}

bool stub_condition_holds(struct stub_macro *macros, const char *text,
			  bool *ret_good)
{
	struct stub_text without = {NULL, 0, 0}, replaced = {NULL, 0, 0};
	struct expression expression = {.good = true};
	long value;

	replace_defined(macros, text, &without);
	stub_macros_replace(macros, stub_text_string(&without), without.size,
			    &replaced);
	expression.at = stub_text_string(&replaced);
	value = binary(&expression, 1);
	skip_blanks(&expression);
	*ret_good = expression.good && !*expression.at;
	stub_text_release(&without);
	stub_text_release(&replaced);
	return value != 0;
}
