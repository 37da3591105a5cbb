/* The table of libsplitpin-hardware.so. */
#include "hardware.h"
#include "topology.h"

__attribute__((visibility("default"))) extern const struct sp_hardware sp_hardware;

const struct sp_hardware sp_hardware = {
	.version = SP_HARDWARE_VERSION,
	.size = sizeof(struct sp_hardware),
	.topology_read = sp_topology_read,
	.topology_devices = sp_topology_devices,
	.topology_gpus = sp_topology_gpus,
};
