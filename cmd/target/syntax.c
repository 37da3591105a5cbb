/* The launchers whose command lines are read. */
#include "cmd/target/target.h"
#include "launcher/options.h"

bool
target_is_read(enum target_launcher launcher)
{
	return launcher != TARGET_NO_LAUNCHER && launcher != TARGET_OTHER;
}

const struct sp_syntax *
target_syntax(enum target_launcher launcher)
{
	static const struct sp_syntax *const syntax[] = {
		[TARGET_OPENMPI] = &sp_syntax_openmpi, [TARGET_HYDRA] = &sp_syntax_hydra, [TARGET_SRUN] = &sp_syntax_srun,
	};

	return syntax[launcher];
}

struct sp_launch
target_launch(const struct target *target)
{
	return (struct sp_launch){ .syntax = target_syntax(target->launcher), .is_x_shared = !target->is_by_part,
				   .arguments = target->arguments, .length = target->length };
}
