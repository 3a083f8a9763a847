# SPDX-License-Identifier: MIT

# COLLVIZ_CFLAGS(VARIABLE, OPTION...)
# Substitutes VARIABLE with those OPTIONs that the compiler knows.
AC_DEFUN([COLLVIZ_CFLAGS], [
    collviz_cflags=$CFLAGS
    $1=
    for collviz_option in m4_normalize([$2]); do
        AC_MSG_CHECKING([whether $CC takes $collviz_option])
        # Clang only warns of an option that it does not know.
        CFLAGS="$collviz_cflags -Werror $collviz_option"
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([int collviz;])],
            [AS_VAR_APPEND([$1], [" $collviz_option"])
             AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])])
    done
    CFLAGS=$collviz_cflags
    AC_SUBST([$1])
])

# COLLVIZ_LIBRARY(PREFIX, MODULE, DEBIAN-PACKAGE)
# PKG_CHECK_MODULES for a library that collviz cannot do without.
AC_DEFUN([COLLVIZ_LIBRARY], [
    PKG_CHECK_MODULES([$1], [$2], [],
        [AC_MSG_ERROR([collviz needs $2: $$1_PKG_ERRORS
Debian and Ubuntu have it in the package $3; ./bootstrap installs it.])])
])

# COLLVIZ_CUDA
# --with-cuda: finds nvcc.  Its absence is an error only where it was asked for.
AC_DEFUN([COLLVIZ_CUDA], [
    AC_ARG_WITH([cuda],
        [AS_HELP_STRING([--with-cuda=auto|yes|no|DIR],
            [compile for NVIDIA GPUs with the nvcc of PATH,
             /usr/local/cuda or DIR @<:@auto@:>@])],
        [], [with_cuda=auto])
    AC_ARG_VAR([NVCC], [CUDA compiler command])
    AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])
    : "${NVCCFLAGS=-g -O2}"
    AS_CASE([$with_cuda],
        [no], [NVCC=],
        [auto|yes], [AC_PATH_PROG([NVCC], [nvcc], [],
            [$PATH$PATH_SEPARATOR/usr/local/cuda/bin])],
        [AC_PATH_PROG([NVCC], [nvcc], [],
            [$with_cuda/bin$PATH_SEPARATOR$with_cuda])])
    AS_CASE([$with_cuda:$NVCC],
        [no:|auto:], [],
        [*:], [AC_MSG_ERROR([--with-cuda=$with_cuda: there is no nvcc])])
    AM_CONDITIONAL([HAVE_NVCC], [test -n "$NVCC"])
])
