/* SPDX-License-Identifier: MIT */
/*
** state_impl.h -- what the compiler knows while it works
**
** The compiler reads the text once.  A Function is a function body being
** compiled; it writes directly into its Proto.  An Expr describes where the
** value of an expression is, or how to compute it, until the value has to be in
** a register.
**
** Registers of a Function:
**
**     0             active variables      free_register      frame_size
**     +-------------------+--------------------+-------------------+
**     | local variables   | temporary values   | not used now      |
**     +-------------------+--------------------+-------------------+
*/
#ifndef PENUMBRA_COMPILER_STATE_IMPL_H
#define PENUMBRA_COMPILER_STATE_IMPL_H

#include "bytecode/bytecode.h"
#include "compiler/lexer.h"
#include "object/format.h"
#include "object/function.h"
#include "object/number.h"
#include "object/thread.h"

enum {
  LIMIT_VARIABLES = 200, /* local variables of a function */
  LIMIT_CONSTANTS = 1 << 30,
  LIMIT_CODE = INT32_MAX,
  NO_REGISTER = 255,
  NO_JUMP = -1 /* the end of a list of jumps */
};

/* -- Variables ------------------------------------------------------------- */

typedef enum VariableKind {
  VARIABLE_REGULAR,
  VARIABLE_CONST, /* <const>, in a register */
  VARIABLE_CLOSE, /* <close> */
  VARIABLE_FOLDED /* <const> with a constant: in no register */
} VariableKind;

typedef struct Variable {
  Value value; /* of VARIABLE_FOLDED */
  String *name;
  int32_t local; /* its number in proto->locals */
  uint8_t kind;  /* VariableKind */
  uint8_t reg;
  bool changes; /* it is assigned or captured */
} Variable;

/* -- Labels and the jumps to them ------------------------------------------ */

/* A label, or a goto whose label has not been seen yet.  `break` is a goto
** with no name. */
typedef struct Label {
  String *name;
  int32_t pc;
  int32_t line;
  uint8_t active; /* variables active there */
  uint8_t level;  /* registers in use by them */
  bool close;     /* goto: leaves the scope of captured variables */
} Label;

/* -- Blocks ---------------------------------------------------------------- */

typedef struct Scope {
  struct Scope *outer;
  size_t first_label; /* first label of this block, in compiler->labels */
  size_t first_goto;  /* first waiting goto, in compiler->gotos */
  uint8_t active;     /* variables active at its start */
  bool captured;      /* some variable is an upvalue, or to be closed */
  bool is_loop;
  bool inside_close; /* in the scope of a variable to be closed */
} Scope;

/* -- Functions ------------------------------------------------------------- */

typedef struct Compiler Compiler;

/* The last concatenation of just two values, for concat_simplify. */
typedef struct ConcatPair {
  int32_t pc;        /* of the CONCAT */
  unsigned used;     /* registers in use beside the two values */
  int32_t left_move; /* pc of the MOVE of the left value, or -1 */
  int32_t right_move;
} ConcatPair;

typedef struct Function {
  Proto *proto;
  struct Function *outer;
  Compiler *compiler;
  Scope *block;          /* innermost */
  size_t first_variable; /* in compiler->variables */
  size_t first_label;
  size_t first_line;    /* in compiler->lines, one for each word */
  int32_t last_target;  /* highest pc that a jump leads to */
  int32_t last_pc;      /* pc of the last instruction */
  int32_t last_length;  /* pc of the last LEN, -1 if unknown */
  int32_t last_store;   /* pc of the last SETUPVAL, -1 if unknown */
  int32_t nil_constant; /* index of the constant nil, or -1 */
  int32_t false_constant;
  int32_t true_constant;
  uint8_t active; /* variables in scope */
  uint8_t free_register;
  uint8_t captured; /* lowest register that a closure captures, or
                            ** NO_REGISTER */
  ConcatPair pair;
} Function;

struct Compiler {
  Lexer lexer;
  lua_State *L;
  Function *function; /* innermost */
  Table *numbers;     /* constants that are numbers, to their index */
  String *env;        /* "_ENV" */
  Scratch text;
  Scratch variables; /* of Variable, for all open functions */
  Scratch gotos;     /* of Label */
  Scratch labels;    /* of Label */
  Scratch lines;     /* of int32_t */
};

/* -- Expressions ----------------------------------------------------------- */

typedef enum ExprKind {
  EXPR_VOID, /* an empty list */
  /* Constants. */
  EXPR_NIL,
  EXPR_TRUE,
  EXPR_FALSE,
  EXPR_INTEGER, /* as.integer */
  EXPR_FLOAT,   /* as.number */
  EXPR_STRING,  /* as.string */
  /* Variables. */
  EXPR_LOCAL,         /* as.local */
  EXPR_UPVALUE,       /* as.index */
  EXPR_FOLDED,        /* as.index: in compiler->variables */
  EXPR_INDEX,         /* as.element: table and key in registers */
  EXPR_INDEX_INT,     /* as.element: key a small integer */
  EXPR_INDEX_FIELD,   /* as.element: key a constant */
  EXPR_INDEX_UPVALUE, /* as.element: key a constant, table an upvalue */
  /* Other values. */
  EXPR_REGISTER, /* as.index: the register */
  EXPR_PENDING,  /* as.index: pc of the instruction that computes it;
                            ** A is not set yet */
  EXPR_JUMP,     /* as.index: pc of the jump taken if true */
  EXPR_CALL,     /* as.index: pc of the call */
  EXPR_VARARG    /* as.index: pc */
} ExprKind;

typedef struct Expr {
  ExprKind kind;
  union {
    Integer integer;
    Number number;
    String *string;
    int32_t index;
    struct {
      uint8_t reg;
      uint8_t active; /* number of the variable in its function */
    } local;
    struct {
      int32_t key;   /* register, integer or constant */
      uint8_t table; /* register or upvalue */
    } element;
  } as;
  int32_t if_true; /* jumps that leave when the value is true */
  int32_t if_false;
} Expr;

static inline void expr_init(Expr *e, ExprKind kind, int32_t index) {
  e->kind = kind;
  e->as.index = index;
  e->if_true = e->if_false = NO_JUMP;
}
static inline bool expr_has_jumps(const Expr *e) {
  return e->if_true != e->if_false; /* equal only if both are empty */
}
static inline bool expr_is_open(const Expr *e) {
  return e->kind == EXPR_CALL || e->kind == EXPR_VARARG;
}
static inline bool expr_is_element(const Expr *e) {
  return e->kind >= EXPR_INDEX && e->kind <= EXPR_INDEX_UPVALUE;
}
/* A number without jumps. */
static inline bool expr_is_numeral(const Expr *e) {
  return !expr_has_jumps(e) &&
         (e->kind == EXPR_INTEGER || e->kind == EXPR_FLOAT);
}

/* -- Access to scratch vectors --------------------------------------------- */

static inline Variable *compiler_variable(const Compiler *c, size_t i) {
  return (Variable *)c->variables.box->data + i;
}
static inline Label *compiler_goto(const Compiler *c, size_t i) {
  return (Label *)c->gotos.box->data + i;
}
static inline Label *compiler_label(const Compiler *c, size_t i) {
  return (Label *)c->labels.box->data + i;
}
/* The i-th variable of a function. */
static inline Variable *function_variable(const Function *f, size_t i) {
  return compiler_variable(f->compiler, f->first_variable + i);
}

/* The pc of the next word to be written. */
static inline int32_t function_pc(const Function *f) {
  return (int32_t)f->proto->code_size;
}

#endif
