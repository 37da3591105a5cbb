/* What the shim exports: the interposed functions alone; all else is hidden. */
#ifndef SP_EXPORT_H
#define SP_EXPORT_H

#define SP_EXPORT __attribute__((visibility("default")))

#endif
