/* Launchers of PyTorch: torchrun, accelerate and DeepSpeed's. */
#include "launcher/known/known.h"

const struct sp_launcher_details sp_known_torchrun = {
	.title = "torchrun",
	.sets_one_thread = true,
	.remedy = "start torchrun without --numa-binding",
	.is_pythons = true,
};

const struct sp_launcher_details sp_known_deepspeed = {
	.title = "DeepSpeed",
	.remedy = "start deepspeed without --bind_cores_to_rank",
	.is_pythons = true,
};
