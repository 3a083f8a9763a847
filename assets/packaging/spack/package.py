# SPDX-License-Identifier: MIT
from spack.package import *


class Collviz(AutotoolsPackage, CudaPackage):
    """An interactive terminal visualizer and tutor for collective communication:
    it runs collectives for real, one step at a time, and shows what every rank
    holds after each step."""

    # A release's tarball is taken from a mirror, or from the current folder:
    # spack install collviz, where collviz-0.1.0.tar.xz lies.
    url = "file://{0}/collviz-0.1.0.tar.xz".format(__import__("os").getcwd())
    homepage = "mailto:maintainers@users.noreply.a-seed-4db15e9d.example"

    license("MIT")

    version("0.1.0")

    variant("mpi", default=True, description="Ranks may be processes of MPI")
    variant("gif", default=True, description="Write GIFs")
    variant("microhttpd", default=True, description="Let browsers follow")
    variant("nls", default=True, description="Languages other than English")

    depends_on("c", type="build")
    depends_on("cxx", type="build")  # configure looks for Gloo, whose interface is C++
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gettext", type="build", when="+nls")
    depends_on("ncurses")
    depends_on("jansson")
    depends_on("expat")
    depends_on("libunistring")
    depends_on("lua@5.4:")
    depends_on("cairo+fc", when="+gif")
    depends_on("fontconfig", when="+gif")
    depends_on("giflib", when="+gif")
    depends_on("libmicrohttpd", when="+microhttpd")
    depends_on("zlib-api", when="+microhttpd")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12:", when="+cuda")

    def configure_args(self):
        spec = self.spec
        args = ["--without-vterm", "--without-gloo", "--without-nccl", "--without-simgrid"]
        args += self.with_or_without("mpi")
        args += self.with_or_without("gif") + self.with_or_without("microhttpd")
        args += self.enable_or_disable("nls")
        if spec.satisfies("+cuda"):
            args.append("--with-cuda={0}".format(spec["cuda"].prefix))
            archs = spec.variants["cuda_arch"].value
            if archs != ("none",):
                args.append("CUDA_ARCHS={0}".format(" ".join(archs)))
        else:
            args.append("--without-cuda")
        if spec.satisfies("+mpi"):
            args.append("MPICC={0}".format(spec["mpi"].mpicc))
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def runs(self):
        collviz = Executable(join_path(self.prefix.bin, "collviz"))
        out = collviz("ring-allreduce", "--gpus", "3", "--plain", output=str)
        assert "correct: every value" in out
