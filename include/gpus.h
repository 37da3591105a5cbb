/*
 * The GPUs of a node: where they are, and which of them a rank sees.
 *
 * Values without pointers: they can be written to shared memory as they are.
 */
#ifndef SP_GPUS_H
#define SP_GPUS_H

#include <stdint.h>

/* Partitions of a GPU count as GPUs: eight MI300X have 64. */
#define SP_GPUS_MAX 64

enum sp_gpu_vendor {		/* PCI's numbers */
	SP_NVIDIA = 0x10de,
	SP_AMD = 0x1002,
	SP_INTEL = 0x8086,
};

#define SP_ANYWHERE UINT32_MAX

/*
 * A part of the machine: the CPUs whose fields (struct sp_pu) are equal to
 * these, but for those that are SP_ANYWHERE.
 */
struct sp_near {
	uint32_t package, numa, l3;
};

struct sp_gpu {
	char address[16];	/* on the PCI bus: "0000:d6:00.0" */
	char uuid[44];		/* "GPU-..." as CUDA or ROCm writes it; "" where it is not known */
	uint32_t vendor;
	uint32_t tiles;		/* tiles that Level Zero may number as devices; 1 for other vendors */
	struct sp_near near;	/* the CPUs beside it */
};

/* GPUs of one vendor are in the order in which its runtime numbers them. */
struct sp_gpus {
	uint32_t n;
	struct sp_gpu gpu[SP_GPUS_MAX];
};

enum sp_gpus_told {
	SP_GPUS_UNTOLD,		/* the variables have not been read */
	SP_GPUS_ALL,		/* no variable restricts them: all GPUs of the node */
	SP_GPUS_LISTED,		/* a variable lists them */
	SP_GPUS_SOME,		/* a variable names a GPU that cannot be found by that name: it is one of these */
};

/* GPUs, by their place in struct sp_gpus, in the order in which a program numbers them. */
struct sp_gpu_list {
	uint32_t told;		/* enum sp_gpus_told */
	uint32_t n;
	uint8_t gpu[SP_GPUS_MAX];
};

#endif
