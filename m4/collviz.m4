# SPDX-License-Identifier: MIT

# COLLVIZ_CFLAGS(VARIABLE, OPTION...)
# Substitutes VARIABLE with those OPTIONs that the compiler, or the linker, knows.
# They come before those of CFLAGS and LDFLAGS, which have the last word.
AC_DEFUN([COLLVIZ_CFLAGS], [
    collviz_cflags=$CFLAGS
    $1=
    for collviz_option in m4_normalize([$2]); do
        AC_MSG_CHECKING([whether $CC takes $collviz_option])
        # Clang only warns of an option that it does not know.
        CFLAGS="-Werror $collviz_option $collviz_cflags"
        AC_LINK_IFELSE([AC_LANG_SOURCE([int main(void) { return 0; }])],
            [AS_VAR_APPEND([$1], [" $collviz_option"])
             AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])])
    done
    CFLAGS=$collviz_cflags
    AC_SUBST([$1])
])

# COLLVIZ_HARDEN
# What makes a mistake in memory harder to exploit.  HARDEN_PIE is apart, for
# shared objects are linked without it.
AC_DEFUN([COLLVIZ_HARDEN], [
    COLLVIZ_CFLAGS([HARDEN_CFLAGS],
                   [-fstack-protector-strong -fstack-clash-protection])
    COLLVIZ_CFLAGS([HARDEN_LDFLAGS], [-Wl,-z,relro -Wl,-z,now])
    COLLVIZ_FORTIFY
    COLLVIZ_PIE
])

# COLLVIZ_FORTIFY
# The highest level that the C library has with this compiler.  It needs an
# optimizer, and the sanitizers replace what it checks.
AC_DEFUN([COLLVIZ_FORTIFY], [
    AC_MSG_CHECKING([for _FORTIFY_SOURCE])
    HARDEN_CPPFLAGS=
    collviz_cflags=$CFLAGS
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([
#ifndef _FORTIFY_SOURCE
#error
#endif
        ])],
        [collviz_fortify='set already'],
        [collviz_fortify=no
         for collviz_level in 2 3; do
            CFLAGS="-Werror -D_FORTIFY_SOURCE=$collviz_level $collviz_cflags"
            AC_COMPILE_IFELSE([AC_LANG_SOURCE([
#include <string.h>
#if !defined __OPTIMIZE__ || !defined _FORTIFY_SOURCE
#error
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#error
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#error
#endif
#endif
                ])],
                [collviz_fortify=$collviz_level
                 HARDEN_CPPFLAGS=-D_FORTIFY_SOURCE=$collviz_level])
         done])
    CFLAGS=$collviz_cflags
    AC_MSG_RESULT([$collviz_fortify])
    AC_SUBST([HARDEN_CPPFLAGS])
])

# COLLVIZ_PIE
# Programs that can be anywhere in memory, unless the compiler makes such ones
# anyway, or the flags say what is to be made.
AC_DEFUN([COLLVIZ_PIE], [
    HARDEN_PIE= HARDEN_NVCC=
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([
#ifndef __PIE__
#error
#endif
        ])],
        [],
        [AS_CASE([" $CFLAGS $LDFLAGS "],
            [*-static*|*[[-o]]-pie*|*-fpic*|*-fPIC*|*-fno-p*], [],
            [COLLVIZ_CFLAGS([HARDEN_PIE], ["-fPIE -pie"])])])
    AS_IF([test -n "$HARDEN_PIE"],
        [HARDEN_PIE=-pie
         AS_VAR_APPEND([HARDEN_CFLAGS], [" -fPIE"])
         HARDEN_NVCC="-Xcompiler -fPIE"])
    AC_SUBST([HARDEN_PIE])
    AC_SUBST([HARDEN_NVCC])
])

# COLLVIZ_LIBRARY(PREFIX, MODULE, DEBIAN-PACKAGE)
# PKG_CHECK_MODULES for a library that collviz cannot do without.
AC_DEFUN([COLLVIZ_LIBRARY], [
    PKG_CHECK_MODULES([$1], [$2], [],
        [AC_MSG_ERROR([collviz needs $2: $$1_PKG_ERRORS
Debian and Ubuntu have it in the package $3; ./bootstrap installs it.])])
])

# COLLVIZ_GIF
# --with-gif: finds cairo and giflib.  Their absence is an error only where they
# were asked for.
AC_DEFUN([COLLVIZ_GIF], [
    AC_ARG_WITH([gif],
        [AS_HELP_STRING([--with-gif=auto|yes|no],
            [write GIFs, with cairo and giflib @<:@auto@:>@])],
        [], [with_gif=auto])
    have_gif=no
    AS_IF([test "x$with_gif" != xno],
        [PKG_CHECK_MODULES([CAIRO], [cairo fontconfig], [have_gif=yes],
                           [:])
         AC_CHECK_HEADER([gif_lib.h], [], [have_gif=no])
         AC_CHECK_LIB([gif], [EGifOpen], [:], [have_gif=no])])
    AS_IF([test "x$with_gif" = xyes && test $have_gif = no],
        [AC_MSG_ERROR([no cairo or no giflib: Debian and Ubuntu have them in the
packages libcairo2-dev and libgif-dev])])
    AM_CONDITIONAL([HAVE_GIF], [test $have_gif = yes])
])

# COLLVIZ_VTERM
# --with-vterm: finds libvterm.  Its absence is an error only where it was asked
# for.
AC_DEFUN([COLLVIZ_VTERM], [
    AC_ARG_WITH([vterm],
        [AS_HELP_STRING([--with-vterm=auto|yes|no],
            [test the screens, with libvterm @<:@auto@:>@])],
        [], [with_vterm=auto])
    have_vterm=no
    AS_IF([test "x$with_vterm" != xno],
        [PKG_CHECK_MODULES([VTERM], [vterm], [have_vterm=yes], [:])])
    AS_IF([test "x$with_vterm" = xyes && test $have_vterm = no],
        [AC_MSG_ERROR([no libvterm: Debian and Ubuntu have it in the package
libvterm-dev])])
    AM_CONDITIONAL([HAVE_VTERM], [test $have_vterm = yes])
])

# COLLVIZ_MICROHTTPD
# --with-microhttpd: finds libmicrohttpd, and zlib, which compresses what it sends.
# Their absence is an error only where they were asked for.
AC_DEFUN([COLLVIZ_MICROHTTPD], [
    AC_ARG_WITH([microhttpd],
        [AS_HELP_STRING([--with-microhttpd=auto|yes|no],
            [let browsers follow, with libmicrohttpd and zlib @<:@auto@:>@])],
        [], [with_microhttpd=auto])
    have_microhttpd=no
    AS_IF([test "x$with_microhttpd" != xno],
        [PKG_CHECK_MODULES([MICROHTTPD], [libmicrohttpd >= 0.9.71 zlib],
                           [have_microhttpd=yes
                            AC_DEFINE([HAVE_MICROHTTPD], [1],
                                      [Whether browsers can follow.])],
                           [:])])
    AS_IF([test "x$with_microhttpd" = xyes && test $have_microhttpd = no],
        [AC_MSG_ERROR([no libmicrohttpd or no zlib: Debian and Ubuntu have them
in the packages libmicrohttpd-dev and zlib1g-dev])])
    AM_CONDITIONAL([HAVE_MICROHTTPD], [test $have_microhttpd = yes])
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
    AS_IF([test -n "$NVCC"], [COLLVIZ_CUDA_FLAGS])
])

# COLLVIZ_CUDA_FLAGS
# CUDA_CODE: machine code for every GPU from compute capability 7.5 on that this
# nvcc knows, and PTX, which newer ones compile for themselves.  All from the
# oldest one's PTX, which does for what we need: it is made only once.
# CUDA_CPPFLAGS, CUDA_LIBS: the runtime, in the folder that nvcc is in.
AC_DEFUN([COLLVIZ_CUDA_FLAGS], [
    AC_ARG_VAR([CUDA_ARCHS],
        [compute capabilities to build for, as in "80 90" (all from 75 on)])
    AC_MSG_CHECKING([which GPUs $NVCC knows])
    : "${CUDA_ARCHS=`$NVCC --list-gpu-arch | sed 's/^compute_//' | sort -n |
        awk '$[]1 >= 75 { printf "%s%s", blank, $[]1; blank = " " }'`}"
    AC_MSG_RESULT([$CUDA_ARCHS])
    CUDA_CODE=
    for collviz_arch in $CUDA_ARCHS; do
        AS_IF([test -z "$CUDA_CODE"],
            [CUDA_CODE="-arch=compute_$collviz_arch -code=compute_$collviz_arch"])
        AS_VAR_APPEND([CUDA_CODE], [",sm_$collviz_arch"])
    done
    collviz_cuda=`readlink -f "$NVCC"`
    collviz_cuda=`AS_DIRNAME(["$collviz_cuda"])`/..
    CUDA_CPPFLAGS="-I$collviz_cuda/include"
    CUDA_LIBS="-L$collviz_cuda/lib64 -L$collviz_cuda/lib -lcudart_static -ldl -lrt"
    CUDA_BIN=$collviz_cuda/bin
    AC_SUBST([CUDA_BIN])
    AC_SUBST([CUDA_CODE])
    AC_SUBST([CUDA_CPPFLAGS])
    AC_SUBST([CUDA_LIBS])
])

# COLLVIZ_NCCL
# --with-nccl: finds nccl.h, for what is compiled with it: the program in
# lessons/code, and the test of our own declarations.  Workers need none of it.
# After COLLVIZ_CUDA.
AC_DEFUN([COLLVIZ_NCCL], [
    AC_ARG_WITH([nccl],
        [AS_HELP_STRING([--with-nccl=auto|yes|no],
            [build lessons/code with the NCCL beside CUDA or in
             /usr @<:@auto@:>@])],
        [], [with_nccl=auto])
    have_nccl=no
    AS_IF([test "x$with_nccl" != xno && test -n "$NVCC"], [
        collviz_cuda=$(dirname "$(dirname "$NVCC")")
        NCCL_CPPFLAGS="-isystem $collviz_cuda/include"
        NCCL_LIBS="-L$collviz_cuda/lib64 -Wl,-rpath,$collviz_cuda/lib64"
        NCCL_LIBS="$NCCL_LIBS -lnccl -lcudart"
        AC_MSG_CHECKING([for NCCL])
        collviz_cppflags=$CPPFLAGS collviz_libs=$LIBS
        CPPFLAGS="$CPPFLAGS $NCCL_CPPFLAGS" LIBS="$NCCL_LIBS $LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <nccl.h>]],
            [[int version; return ncclGetVersion(&version);]])],
            [have_nccl=yes])
        CPPFLAGS=$collviz_cppflags LIBS=$collviz_libs
        AC_MSG_RESULT([$have_nccl])
    ])
    AS_CASE([$with_nccl:$have_nccl],
        [yes:no], [AC_MSG_ERROR([--with-nccl: there is no nccl.h and
libnccl.so beside the nvcc that --with-cuda finds, nor in /usr])],
        [*:no], [NCCL_CPPFLAGS= NCCL_LIBS=])
    AC_SUBST([NCCL_CPPFLAGS])
    AC_SUBST([NCCL_LIBS])
    AM_CONDITIONAL([HAVE_NCCL], [test $have_nccl = yes])
])

# COLLVIZ_MPI
# --with-mpi: finds mpicc, and the flags that it would add: what is compiled with
# MPI needs the options of other files, too.  Open MPI's and MPICH's mpicc both
# know -show.  MPI_LAUNCHER: how its programs are started.
AC_DEFUN([COLLVIZ_MPI], [
    AC_ARG_WITH([mpi],
        [AS_HELP_STRING([--with-mpi=auto|yes|no],
            [compile for MPI with the mpicc of PATH @<:@auto@:>@])],
        [], [with_mpi=auto])
    AC_ARG_VAR([MPICC], [C compiler command for MPI])
    AS_IF([test "x$with_mpi" = xno], [MPICC=],
        [AC_PATH_PROG([MPICC], [${MPICC:-mpicc}])])
    AS_CASE([$with_mpi:$MPICC],
        [yes:], [AC_MSG_ERROR([--with-mpi: there is no mpicc
Debian and Ubuntu have it in the package libopenmpi-dev.])])
    AS_IF([test -n "$MPICC"], [
        for collviz_word in $("$MPICC" -show | cut -d' ' -f2-); do
            AS_CASE([$collviz_word],
                [-I*|-D*], [MPI_CPPFLAGS="$MPI_CPPFLAGS $collviz_word"],
                [-L*|-l*|-Wl,*], [MPI_LIBS="$MPI_LIBS $collviz_word"])
        done
    ])
    AC_SUBST([MPI_CPPFLAGS])
    AC_SUBST([MPI_LIBS])
    AM_CONDITIONAL([HAVE_MPICC], [test -n "$MPICC"])
    COLLVIZ_MPI_LAUNCHER
    COLLVIZ_MPI_CUDA
])

# COLLVIZ_MPI_LAUNCHER
# Open MPI's, unless MPICC's mpi.h is another's.  It has to be asked for more ranks
# than cores, and pins ranks to cores, several of them to the same one.  Where
# several MPIs are installed, MPICC may be mpicc.mpich, and then it is
# mpiexec.mpich.
AC_DEFUN([COLLVIZ_MPI_LAUNCHER], [
    mpi_suffix=
    AS_CASE([$MPICC], [*/mpicc.*], [mpi_suffix=.${MPICC@%:@@%:@*/mpicc.}])
    mpi_launcher="mpirun$mpi_suffix --oversubscribe --bind-to none"
    AS_IF([test -n "$MPICC"], [
        AC_MSG_CHECKING([whether $MPICC is Open MPI's])
        collviz_cc=$CC
        CC=$MPICC
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef OPEN_MPI
#error
#endif]], [])],
            [AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])
             mpi_launcher=mpiexec$mpi_suffix])
        CC=$collviz_cc])
    AC_SUBST([MPI_LAUNCHER], [$mpi_launcher])
    AC_DEFINE_UNQUOTED([MPI_LAUNCHER], ["$mpi_launcher"],
        [The command that starts MPI's processes])
])

# COLLVIZ_MPI_CUDA
# Whether MPI can be asked if it reads the memory of GPUs.  Open MPI declares that
# in a header of its own.
AC_DEFUN([COLLVIZ_MPI_CUDA], [
    AS_IF([test -n "$MPICC"], [
        AC_MSG_CHECKING([whether $MPICC has MPIX_Query_cuda_support])
        collviz_cc=$CC
        CC=$MPICC
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif]], [[return MPIX_Query_cuda_support();]])],
            [AC_MSG_RESULT([yes])
             MPI_CPPFLAGS="$MPI_CPPFLAGS -DHAVE_MPIX_QUERY_CUDA_SUPPORT"],
            [AC_MSG_RESULT([no])])
        CC=$collviz_cc])
])

# COLLVIZ_SIMGRID
# --with-simgrid: finds SimGrid's smpicc and its flags, for tests.  What it
# compiles is a shared object that the simulator loads.
AC_DEFUN([COLLVIZ_SIMGRID], [
    AC_ARG_WITH([simgrid],
        [AS_HELP_STRING([--with-simgrid=auto|yes|no],
            [compare times with those of SimGrid in tests, with the
             smpicc of PATH @<:@auto@:>@])],
        [], [with_simgrid=auto])
    AC_ARG_VAR([SMPICC], [C compiler command for SimGrid's MPI])
    AS_IF([test "x$with_simgrid" = xno], [SMPICC=],
        [AC_PATH_PROG([SMPICC], [${SMPICC:-smpicc}])])
    AS_CASE([$with_simgrid:$SMPICC],
        [yes:], [AC_MSG_ERROR([--with-simgrid: there is no smpicc
Debian and Ubuntu have it in the package libsimgrid-dev.])])
    AS_IF([test -n "$SMPICC"], [
        for collviz_word in $("$SMPICC" -show x.c | cut -d' ' -f2-); do
            AS_CASE([$collviz_word],
                [-I*], [SMPI_CPPFLAGS="$SMPI_CPPFLAGS $collviz_word"],
                [-L*|-l*], [SMPI_LIBS="$SMPI_LIBS $collviz_word"])
        done
    ])
    AC_SUBST([SMPI_CPPFLAGS])
    AC_SUBST([SMPI_LIBS])
    AM_CONDITIONAL([HAVE_SMPICC], [test -n "$SMPICC"])
])
