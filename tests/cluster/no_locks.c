/* A file system without locks: flock fails as on NFS without a lock daemon. For LD_PRELOAD. */
#include <errno.h>

int flock(int file, int operation) {
    (void)file;
    (void)operation;
    errno = ENOLCK;
    return -1;
}
