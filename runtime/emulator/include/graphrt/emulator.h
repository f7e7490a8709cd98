/*===- emulator.h - What the emulated CUDA driver adds ------------*- C -*-===*\
|*
|* libgraphrt-cuda-emulator.so exports the functions of the CUDA driver and, in
|* addition, these. Programs that use the driver need none of them. All may be
|* called by any thread, before cuInit too.
|*
|* Environment variables, read by cuInit:
|*
|*   GRAPHRT_EMULATOR_ARCH      sm_80, sm_90 (default) or sm_100
|*   GRAPHRT_EMULATOR_DEVICES   number of devices; default 1
|*   GRAPHRT_EMULATOR_MEMORY    bytes of each device, with K, M or G; default 8G
|*   GRAPHRT_EMULATOR_ORDER     which of the operations that may run next does:
|*                              late (default), newest, random or issued
|*   GRAPHRT_EMULATOR_SEED      of the random choices; default 24301
|*   GRAPHRT_EMULATOR_THREADS   host threads that run kernels; default 0, all
|*   GRAPHRT_EMULATOR_REPORT    file for the counters of all kernels, as JSON
|*
\*===----------------------------------------------------------------------===*/

#ifndef GRAPHRT_EMULATOR_H
#define GRAPHRT_EMULATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the last call that failed, in any thread, found wrong: for a fault of a
 * kernel the block, thread, instruction and address; for a missing wait both
 * operations. Empty if none failed. The text lives until the calling thread
 * asks again. */
const char *graphrt_emulator_last_fault(void);

/* The counters of all kernels that have run, as JSON:
 *
 *   {"architecture": "sm_90",
 *    "kernels": {"<name>": {"launches": 1, "seconds": 0.01,
 *                           "threadInstructions": ..., ...}}}
 *
 * Copies at most `size` bytes to `text`, the last of them zero, and returns the
 * number of bytes that the whole needs. */
size_t graphrt_emulator_report(char *text, size_t size);

/* Destroys all contexts and forgets counters and faults; the next cuInit reads
 * the environment again. No other thread may be using the driver. */
void graphrt_emulator_reset(void);

#ifdef __cplusplus
}
#endif

#endif /* GRAPHRT_EMULATOR_H */
