# SPDX-License-Identifier: MIT
# COLLVIZ_GLOO
# ------------
# --with-gloo: finds Gloo, beside which make bench-peers measures.  Its interface is
# C++.  Its absence is an error only where it was asked for.
AC_DEFUN([COLLVIZ_GLOO], [
AC_ARG_WITH([gloo],
    [AS_HELP_STRING([--with-gloo=auto|yes|no],
        [measure Gloo beside our collectives @<:@auto@:>@])],
    [], [with_gloo=auto])
have_gloo=no
AC_REQUIRE([AC_PROG_CXX])
AS_IF([test "x$with_gloo" != xno], [
    AC_LANG_PUSH([C++])
    collviz_libs=$LIBS
    LIBS="-lgloo $LIBS"
    AC_MSG_CHECKING([for Gloo])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <gloo/rendezvous/context.h>]],
        [[gloo::rendezvous::Context context(0, 1);]])],
        [have_gloo=yes])
    AC_MSG_RESULT([$have_gloo])
    LIBS=$collviz_libs
    AC_LANG_POP([C++])
])
AS_IF([test "x$with_gloo" = xyes && test $have_gloo = no],
    [AC_MSG_ERROR([no Gloo: Debian has it in the package libgloo-dev])])
AM_CONDITIONAL([HAVE_GLOO], [test $have_gloo = yes])])
