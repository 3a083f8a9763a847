/* SPDX-License-Identifier: MIT */
/* The part of MPI's header that lessons/code uses, to compile it without MPI;
 * nothing is linked with it. */
#ifndef STUB_MPI_H
#define STUB_MPI_H

typedef struct stub_comm *MPI_Comm;
typedef struct stub_datatype *MPI_Datatype;
typedef struct stub_op *MPI_Op;
typedef struct stub_info *MPI_Info;
typedef struct stub_errhandler *MPI_Errhandler;

#define MPI_SUCCESS 0
#define MPI_MAX_ERROR_STRING 256
#define MPI_COMM_TYPE_SHARED 0
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_INFO_NULL ((MPI_Info)0)

extern const MPI_Comm MPI_COMM_WORLD;
extern const MPI_Datatype MPI_BYTE, MPI_FLOAT, MPI_LONG;
extern const MPI_Op MPI_SUM;
extern const MPI_Errhandler MPI_ERRORS_RETURN;

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int status);
int MPI_Error_string(int error, char *text, int *length);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                        MPI_Comm *split);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root,
              MPI_Comm comm);
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm);

#endif
