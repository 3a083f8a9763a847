# SPDX-License-Identifier: MIT
# COLLVIZ_GLOO
# ------------
# Gloo, beside which make bench-peers measures.  Its interface is C++.
AC_DEFUN([COLLVIZ_GLOO], [
AC_PROG_CXX
AC_LANG_PUSH([C++])
collviz_libs=$LIBS
LIBS="-lgloo $LIBS"
AC_MSG_CHECKING([for Gloo])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <gloo/rendezvous/context.h>]],
    [[gloo::rendezvous::Context context(0, 1);]])],
    [have_gloo=yes], [have_gloo=no])
AC_MSG_RESULT([$have_gloo])
LIBS=$collviz_libs
AC_LANG_POP([C++])
AM_CONDITIONAL([HAVE_GLOO], [test $have_gloo = yes])])
