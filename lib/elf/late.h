/*
 * Late binding, for assembly: functions of libc and pthreads that are looked up
 * at their first call, by splitpin itself (bind.c).
 *
 *   late NAME    defines a hidden function NAME, which jumps to the loaded one
 *
 * Calls of NAME from the object's own code end there, so that the object refers
 * neither to that symbol nor to a version of it: it can be loaded where these
 * are missing, and the loader looks nothing up.  Arguments are passed on
 * unchanged, in registers, vector registers (for variadic functions) and on the
 * stack.
 *
 * The object has a table of them, the section sp_late: an entry (struct sp_late
 * of objects.h) for each, with the hash of its name, which the assembler
 * computes.  By that table an object may bind many at once, those that stand
 * before late_rare (sp_late_bind).
 *
 * SP_HAS_LATE is defined where there is code for the processor.  Elsewhere these
 * are ordinary references, of the versions of the machine that builds.
 */
#ifndef SP_LATE_H
#define SP_LATE_H

#if defined(__x86_64__) || defined(__aarch64__)
#define SP_HAS_LATE
#endif

#ifndef __ASSEMBLER__

#include "elf/objects.h"

/* The table begins at the one; at the other those begin that are bound when they are called. */
extern const struct sp_late sp_late_first[] __attribute__((visibility("hidden")));
extern const struct sp_late sp_late_rare[] __attribute__((visibility("hidden")));

/* Bind what each rank calls in one pass over the objects: to look up one after the other takes four times as long. */
static inline void
sp_late_bind(void)
{
#ifdef SP_HAS_LATE
	sp_objects_bind(sp_late_first, sp_late_rare);
#endif
}

#else

	.pushsection sp_late, "a"
	.p2align 2
	.globl	sp_late_first
	.hidden	sp_late_first
sp_late_first:
	.popsection

/*
 * The codes of the characters of names, for hashes: the assembler reads a
 * character constant before it puts a macro's argument in.
 */
	.set	code__, 95
	.set	code, 97
.irpc character, abcdefghijklmnopqrstuvwxyz
	.set	code_\character, code
	.set	code, code + 1
.endr
	.set	code, 48
.irpc character, 0123456789
	.set	code_\character, code
	.set	code, code + 1
.endr

/* The end of such a definition: its name as a text, room for the address that is found, and the entry of the table. */
.macro late_end name
	.size	\name, . - \name
	.local	found_\name
	.comm	found_\name, 8, 8
	.pushsection .rodata
name_\name:
	.asciz	"\name"
	.popsection
	.set	hash, 5381
.irpc character, \name
	.set	hash, (hash * 33 + code_\character) & 0xffffffff
.endr
	.pushsection sp_late, "a"
	.p2align 2
late_\name:
	.long	name_\name - .
	.long	found_\name - .
	.long	hash
	.popsection
.endm

/* Between the definitions of what each rank calls and of the rest. */
.macro late_rare
	.pushsection sp_late, "a"
	.globl	sp_late_rare
	.hidden	sp_late_rare
sp_late_rare:
	.popsection
.endm

#if defined(__x86_64__)

#ifdef __CET__
#include <cet.h>
#endif

	.text
	.hidden	sp_bind
	.p2align 4
bind:
	.cfi_startproc
.irp register, rdi, rsi, rdx, rcx, r8, r9, rax
	pushq	%\register
	.cfi_adjust_cfa_offset 8
.endr
	subq	$128, %rsp
	.cfi_adjust_cfa_offset 128
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
	movups	%xmm\number, 16 * \number(%rsp)
.endr
	movq	%r11, %rdi
	call	sp_bind
	movq	%rax, %r11
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
	movups	16 * \number(%rsp), %xmm\number
.endr
	addq	$128, %rsp
	.cfi_adjust_cfa_offset -128
.irp register, rax, r9, r8, rcx, rdx, rsi, rdi
	popq	%\register
	.cfi_adjust_cfa_offset -8
.endr
	jmp	*%r11
	.cfi_endproc

.macro late name
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	movq	found_\name(%rip), %r11
	testq	%r11, %r11
	jz	1f
	jmp	*%r11
1:	leaq	late_\name(%rip), %r11
	jmp	bind
	.cfi_endproc
	late_end \name
.endm

#elif defined(__aarch64__)

	.text
	.hidden	sp_bind
	.p2align 4
bind:
	.cfi_startproc
	stp	x29, x30, [sp, #-224]!
	.cfi_def_cfa_offset 224
	.cfi_offset 29, -224
	.cfi_offset 30, -216
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	str	x8, [sp, #80]
	stp	q0, q1, [sp, #96]
	stp	q2, q3, [sp, #128]
	stp	q4, q5, [sp, #160]
	stp	q6, q7, [sp, #192]
	mov	x0, x16
	bl	sp_bind
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldr	x8, [sp, #80]
	ldp	q0, q1, [sp, #96]
	ldp	q2, q3, [sp, #128]
	ldp	q4, q5, [sp, #160]
	ldp	q6, q7, [sp, #192]
	ldp	x29, x30, [sp], #224
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	br	x16
	.cfi_endproc

.macro late name
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.cfi_startproc
	adrp	x17, found_\name
	add	x17, x17, :lo12:found_\name
	ldr	x16, [x17]
	cbz	x16, 1f
	br	x16
1:	adrp	x16, late_\name
	add	x16, x16, :lo12:late_\name
	b	bind
	.cfi_endproc
	late_end \name
.endm

#endif

#endif
#endif
