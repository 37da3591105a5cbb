/* The machine in hwloc's XML with colours and names, for hwloc's own renderer. */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "hardware/hwloc_open.h"
#include "topology.h"

static void
set_colour(hwloc_obj_t object, const char *colour)
{
	char style[48];

	if (!colour)
		return;
	snprintf(style, sizeof(style), "Background=%s", colour);
	hwloc_obj_add_info(object, "lstopoStyle", style);
}

/* A machine may have CPUs without a core. */
static hwloc_obj_t
object_of(hwloc_topology_t topology, const struct sp_mark *mark)
{
	if (mark->device)
		return hwloc_get_pcidev_by_busidstring(topology, mark->device);
	hwloc_obj_t cpu = hwloc_get_pu_obj_by_os_index(topology, mark->cpu);
	hwloc_obj_t core = cpu && mark->is_core ? hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, cpu) : NULL;

	return core ? core : cpu;
}

static void
add(hwloc_topology_t topology, const struct sp_mark *mark)
{
	hwloc_obj_t object = object_of(topology, mark);

	if (object && *mark->name)
		object = hwloc_topology_insert_misc_object(topology, object, mark->name);
	if (object)
		set_colour(object, mark->colour);
}

static int
write_xml(hwloc_topology_t topology, FILE *to)
{
	char *text;
	int size, status = 0;

	if (hwloc_topology_export_xmlbuffer(topology, &text, &size, 0))
		return -errno;
	/* The size counts the byte that ends the text. */
	if (size > 1 && fwrite(text, (size_t)size - 1, 1, to) != 1)
		status = -EIO;
	hwloc_free_xmlbuffer(topology, text);
	return status;
}

int
sp_topology_draw(const char *source, const struct sp_mark *mark, size_t nmarks, FILE *to)
{
	enum hwloc_type_filter_e io = HWLOC_TYPE_FILTER_KEEP_NONE;
	hwloc_topology_t topology;

	for (size_t i = 0; i < nmarks; i++)
		if (mark[i].device)
			io = HWLOC_TYPE_FILTER_KEEP_IMPORTANT;
	int error = sp_hwloc_open_to_draw(source, io, &topology);
	if (error)
		return error;
	for (size_t i = 0; i < nmarks; i++)
		add(topology, &mark[i]);
	error = write_xml(topology, to);
	hwloc_topology_destroy(topology);
	return error;
}
