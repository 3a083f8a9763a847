#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Translates PTX, as nvcc makes it from our kernels, to C.

    translate.py FILE.ptx [--faults FAULTS] >FILE.c

Every function becomes a C function that one CUDA thread runs.  A register is
an unsigned integer of its size; a predicate is a bool.  All that one thread
can see of another (loads, stores, fences, barriers) becomes a call to
tests/ptx/ptx.h.  A line of FAULTS has the number of a line of FILE.ptx and the
instruction, or none, that is there instead if ptx_fault is the number of the
fault, from 1 on.  An instruction that is not in the tables below is an error.
"""

import argparse
import re
import sys

FLOATS = {"f32": "float", "f64": "double"}
SPECIAL = {"%tid.x": "T->tid", "%ntid.x": "T->ntid",
           "%ctaid.x": "T->block_id", "%nctaid.x": "T->nblocks",
           "%globaltimer": "ptx_time(T)"}
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%",
         "and": "&", "or": "|", "xor": "^"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
               "ge": ">=", "neu": "!="}
SCOPES = {"cta": "PTX_BLOCK", "gpu": "PTX_GPU", "sys": "PTX_SYSTEM"}
ORDERS = {"relaxed": "PTX_RELAXED", "volatile": "PTX_RELAXED",
          "acquire": "PTX_ACQUIRE", "release": "PTX_RELEASE"}


def bits(kind):
    """The size of a PTX type: 32 for "f32"."""
    return int(kind.lstrip(".bsuf"))


def unsigned(kind):
    return "bool" if kind == "pred" else "uint%d_t" % bits(kind)


def c_type(kind):
    """The C type that arithmetic of a PTX type is done in."""
    if kind in FLOATS:
        return FLOATS[kind]
    return ("int%d_t" if kind[0] == "s" else "uint%d_t") % bits(kind)


def name(register):
    return re.sub(r"[%$.]", "_", register)


def split(text):
    """Operands: at commas outside of braces, brackets and parentheses."""
    return [part.strip() for part in
            re.findall(r"(?:\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,{\[(])+", text)]


def members(operand):
    """The registers of "{%r1, %r2}", or of a single one."""
    return [part.strip() for part in operand.strip("{}").split(",")]


class Function:
    def __init__(self, text, kind, head, body):
        self.is_kernel = kind == "entry"
        self.name = re.match(r"[\w$]+", head).group()
        self.parameters = re.findall(r"\.(\w+)\s+([\w$]+)(?:\[\d+\])?\s*(?:,|$)",
                                     head[head.find("(") + 1:head.rfind(")")])
        self.body = body

    def declaration(self):
        if self.is_kernel:
            more = ", const unsigned char *parameter"
        else:
            more = "".join(", %s %s" % (unsigned(kind), name(p))
                           for kind, p in self.parameters)
        return "void %s(struct ptx_thread *T%s)" % (name(self.name), more)


class Translation:
    """Of one function."""

    def __init__(self, function):
        self.function = function
        self.barriers = 0
        # What ld.param and st.param take by name instead of by address.
        self.by_name = set() if function.is_kernel else {
            p for _, p in function.parameters}

    # Operands

    def value(self, operand, kind):
        """An operand as an unsigned integer."""
        if operand in SPECIAL:
            return SPECIAL[operand]
        if operand[0] == "%":
            return name(operand)
        if operand in self.by_name:
            return name(operand)
        if self.function.is_kernel and operand == self.function.parameters[0][1]:
            return "(uint64_t)parameter"
        if kind == "pred":
            return "true" if int(operand, 0) else "false"
        if operand[:2] in ("0f", "0d"):
            return "0x%sull" % operand[2:]
        return "(%s)%dull" % (unsigned(kind),
                              int(operand.rstrip("U"), 0) % 2 ** bits(kind))

    def read(self, operand, kind):
        """An operand in the type that arithmetic is done in."""
        text = self.value(operand, kind)
        if kind in FLOATS:
            return "ptx_%s(%s)" % (FLOATS[kind], text)
        return "(%s)%s" % (c_type(kind), text)

    def write(self, register, kind, expression):
        if kind in FLOATS:
            expression = "ptx_bits_%s(%s)" % (FLOATS[kind], expression)
        elif kind != "pred":
            expression = "(%s)(%s)" % (unsigned(kind), expression)
        return "%s = %s;" % (name(register), expression)

    def address(self, operand):
        base, offset = re.fullmatch(r"\[([%\w$]+)\s*(?:\+\s*(-?\d+))?\]",
                                    operand).groups()
        return base, "%s + (%sll)" % (self.value(base, "u64"), offset or 0)

    # Instructions: each takes what stands behind the first dot, and operands.

    def mov(self, kinds, to, source):
        kind = kinds[-1]
        if source.startswith("{"):
            parts = members(source)
            size = bits(kind) // len(parts)
            return self.write(to, kind, " | ".join(
                "(%s)%s << %d" % (unsigned(kind), self.value(p, "b%d" % size),
                                  i * size) for i, p in enumerate(parts)))
        if to.startswith("{"):
            parts = members(to)
            size = bits(kind) // len(parts)
            return "".join(self.write(p, "b%d" % size, "%s >> %d" % (
                self.value(source, kind), i * size))
                for i, p in enumerate(parts) if p != "_")
        return self.write(to, kind if kind == "pred" else "b%d" % bits(kind),
                          self.value(source, kind))

    def ld(self, kinds, to, source):
        kind, registers = kinds[-1], members(to)
        base, address = self.address(source)
        if base in self.by_name:
            return self.write(to, "b%d" % bits(kind), name(base))
        for order in ORDERS:
            if order in kinds:
                return "%s = ptx_load_strong(T, %s, %d, %s, %s);" % (
                    name(to), address, bits(kind) // 8, ORDERS[order],
                    self.scope(kinds))
        what = "ptx_parameter(" if "param" in kinds else "ptx_load(T, "
        element = unsigned(kind) if kind in FLOATS else c_type(kind)
        return "{ %s v[%d]; %s%s, sizeof v, v); %s }" % (
            element, len(registers), what, address,
            " ".join("%s = v[%d];" % (name(r), i)
                     for i, r in enumerate(registers) if r != "_"))

    def st(self, kinds, to, source):
        kind, registers = kinds[-1], members(source)
        base, address = self.address(to)
        if base in self.by_name:
            return "%s = %s;" % (name(base), self.value(source, kind))
        for order in ORDERS:
            if order in kinds:
                return "ptx_store_strong(T, %s, %s, %d, %s, %s);" % (
                    address, self.value(source, kind), bits(kind) // 8,
                    ORDERS[order], self.scope(kinds))
        return "{ %s v[] = {%s}; ptx_store(T, %s, sizeof v, v); }" % (
            unsigned(kind),
            ", ".join("(%s)%s" % (unsigned(kind), self.value(r, kind))
                      for r in registers), address)

    @staticmethod
    def scope(kinds):
        for scope, constant in SCOPES.items():
            if scope in kinds:
                return constant
        return "PTX_SYSTEM"  # volatile says none

    def fence(self, kinds, *_):
        return "ptx_fence(T, %s);" % self.scope(kinds)

    def bar(self, kinds, *operands):
        self.barriers += 1
        if kinds[0] == "sync" and operands == ("0",):
            return "ptx_barrier(T, %d, false);" % self.barriers
        if kinds != ["red", "or", "pred"] or operands[1] != "0":
            raise ValueError("a barrier that is not known")
        to, _, vote = operands
        return self.write(to, "pred", "ptx_barrier(T, %d, %s)" % (
            self.barriers, self.value(vote, "pred")))

    def bra(self, _, label):
        return "goto %s;" % name(label)

    def ret(self, _):
        return "return;"

    def call(self, _, *operands):
        arguments = operands[1].strip("()").split(",")
        return "%s(T, %s);" % (name(operands[0]),
                               ", ".join(a.strip() for a in arguments))

    def setp(self, kinds, to, a, b):
        comparison, kind = kinds
        return self.write(to, "pred", "%s %s %s" % (
            self.read(a, kind), COMPARISONS[comparison], self.read(b, kind)))

    def selp(self, kinds, to, a, b, condition):
        kind = "b%d" % bits(kinds[-1])
        return self.write(to, kind, "%s ? %s : %s" % (
            self.value(condition, "pred"), self.value(a, kind),
            self.value(b, kind)))

    def cvt(self, kinds, to, source):
        want, have = kinds[-2:]
        if have == "f16":
            return self.write(to, "f32", "float16_to_float(%s)" %
                              self.value(source, "b16"))
        if want == "f16":
            return self.write(to, "b16", "float16_from_float(%s)" %
                              self.read(source, have))
        return self.write(to, want, "(%s)%s" % (c_type(want),
                                                self.read(source, have)))

    def shl(self, kinds, to, a, count):
        return self.write(to, kinds[-1], "ptx_shl(%s, %s, %d)" % (
            self.value(a, kinds[-1]), self.value(count, "u32"),
            bits(kinds[-1])))

    def shr(self, kinds, to, a, count):
        return self.write(to, kinds[-1], "ptx_shr_%s(%s, %s, %d)" % (
            kinds[-1][0], self.read(a, kinds[-1]), self.value(count, "u32"),
            bits(kinds[-1])))

    def bfe(self, kinds, to, a, position, count):
        return self.write(to, kinds[-1], "ptx_bfe(%s, %s, %s)" % (
            self.value(a, "u32"), self.value(position, "u32"),
            self.value(count, "u32")))

    def bfi(self, kinds, to, a, b, position, count):
        kind = kinds[-1]
        return self.write(to, kind, "ptx_bfi(%s, %s, %s, %s, %d)" % (
            self.value(a, kind), self.value(b, kind),
            self.value(position, "u32"), self.value(count, "u32"),
            bits(kind)))

    def prmt(self, _, to, a, b, selection):
        return self.write(to, "b32", "ptx_prmt(%s, %s, %s)" % tuple(
            self.value(x, "b32") for x in (a, b, selection)))

    def unary(self, operation, kinds, to, a):
        kind = kinds[-1]
        if operation == "neg":
            return self.write(to, kind, "0 - %s" % self.value(a, kind))
        sign = "!" if kind == "pred" else "~"
        return self.write(to, kind, sign + self.value(a, kind))

    def least_or_most(self, operation, kinds, to, a, b):
        x, y = self.read(a, kinds[-1]), self.read(b, kinds[-1])
        return self.write(to, kinds[-1], "%s %s %s ? %s : %s" % (
            x, "<" if operation == "min" else ">", y, x, y))

    def wide(self, kinds, to, a, b):
        """The product of twice the size."""
        kind = "%s%d" % (kinds[-1][0], 2 * bits(kinds[-1]))
        return self.write(to, kind, "(%s)%s * (%s)%s" % (
            c_type(kind), self.read(a, kinds[-1]), c_type(kind),
            self.read(b, kinds[-1])))

    def mad(self, kinds, to, a, b, c):
        return self.write(to, kinds[-1], "(uint64_t)%s * %s + %s" % tuple(
            self.value(x, kinds[-1]) for x in (a, b, c)))

    def arithmetic(self, operation, kinds, to, a, b):
        kind, sign = kinds[-1], SIGNS[operation]
        if kind in FLOATS or operation in ("div", "rem"):
            return self.write(to, kind, "%s %s %s" % (
                self.read(a, kind), sign, self.read(b, kind)))
        if kind == "pred":
            return self.write(to, kind, "%s %s %s" % (
                self.value(a, kind), sign, self.value(b, kind)))
        return self.write(to, kind, "(uint64_t)%s %s (uint64_t)%s" % (
            self.value(a, kind), sign, self.value(b, kind)))

    def instruction(self, text):
        guard, opcode, operands = re.fullmatch(
            r"(?:@(!?%\w+)\s+)?([\w.]+)\s*(.*)", text, re.S).groups()
        operation, *kinds = opcode.split(".")
        kinds = [k for k in kinds if k not in ("uni", "rn", "lo", "acq_rel")]
        operands = split(operands)
        if operation in ("mul",) and "wide" in kinds:
            line = self.wide(kinds, *operands)
        elif operation in ("min", "max"):
            line = self.least_or_most(operation, kinds, *operands)
        elif operation in ("not", "neg"):
            line = self.unary(operation, kinds, *operands)
        elif operation in SIGNS:
            line = self.arithmetic(operation, kinds, *operands)
        elif operation == "cvta":
            line = self.write(operands[0], "u64", self.value(operands[1], "u64"))
        elif operation in ("mov", "ld", "st", "fence", "bar", "bra", "ret",
                           "call", "setp", "selp", "cvt", "shl", "shr", "bfe", "bfi",
                           "prmt", "mad"):
            line = getattr(self, operation)(kinds, *operands)
        else:
            raise ValueError("an instruction that is not known")
        if guard:
            line = "if (%s) { %s }" % (name(guard), line)
        return line

    def directive(self, text):
        many = re.fullmatch(r"\.reg\s+\.(\w+)\s+(%\w+)<(\d+)>", text)
        if many:
            kind, stem, count = many.groups()
            return "%s %s;" % (unsigned(kind), ", ".join(
                name(stem) + str(i) for i in range(int(count))))
        one = re.fullmatch(r"\.(reg|param)\s+\.(\w+)\s+([%\w]+)", text)
        if one:
            space, kind, register = one.groups()
            if space == "param":
                self.by_name.add(register)
            return "%s %s;" % (unsigned(kind), name(register))
        if text.startswith(".pragma"):
            return ""
        raise ValueError("a directive that is not known")

    def statement(self, text):
        fault = re.fullmatch(r"\?(\d+) ([^?]*)\?\s*(.*)", text, re.S)
        if fault:
            number, instead, text = fault.groups()
            return "if (ptx_fault == %s) { %s } else { %s }" % (
                number, instead and self.statement(instead),
                self.statement(text))
        try:
            return (self.directive if text[0] == "." else
                    self.instruction)(text)
        except Exception as error:
            sys.exit("translate.py: %s: %s: %s" %
                     (self.function.name, text, error))

    def body(self):
        lines, text = [], ""
        # "{ .reg .b32 tmp; ... }" may stand in one line.
        body = re.sub(r"\{(\s*\.reg[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r"{\n\1\n}",
                      self.function.body)
        for line in body.splitlines():
            line = line.strip()
            if line in ("{", "}"):
                lines.append(line)
            elif re.fullmatch(r"[\w$]+:", line):
                lines.append(name(line[:-1]) + ":;")
            else:
                text += " " + line
                *whole, text = text.split(";")
                lines += [self.statement(s.strip()) for s in whole if s.strip()]
        return "\n".join(lines)


def functions(text):
    """All functions that have a body, in order."""
    text = re.sub(r"//[^\n]*", "", text)
    found = []
    for match in re.finditer(
            r"\.(func|entry)\s+([^{;]*?\))[^{;()]*\n\{\n(.*?)\n\}", text, re.S):
        found.append(Function(text, *match.groups()))
    return found


def mark_faults(text, faults):
    """Puts "?NUMBER INSTEAD?" before the instructions that a fault replaces."""
    lines = text.split("\n")
    for number, fault in enumerate(faults, 1):
        line, _, instead = fault.strip(" \n;").partition(" ")
        lines[int(line) - 1] = "?%d %s?%s" % (number, instead.strip(),
                                             lines[int(line) - 1])
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--faults", default="/dev/null")
    arguments = parser.parse_args()
    with open(arguments.file) as file, open(arguments.faults) as faults:
        all_functions = functions(mark_faults(file.read(), faults))
    print('#include "ptx.h"')
    for function in all_functions:
        print(function.declaration() + ";")
    for function in all_functions:
        print("%s\n{\n%s\n}" % (function.declaration(),
                                Translation(function).body()))


if __name__ == "__main__":
    main()
