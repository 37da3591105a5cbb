/*
 * execl, execlp and execle: jump to the next definition with the arguments as
 * they came, in registers and on the stack; in a rank jump to exec.c's own.
 *
 * All arguments are pointers, so vector registers need not be saved.
 */
#include "shim/export.h"

#if defined(__x86_64__)

#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

.macro list name
	.globl	sp_at_\name
	.type	sp_at_\name, @function
	.symver	sp_at_\name, \name\()@SP_GLIBC
	.hidden	sp_\name\()_next
	.hidden	sp_\name
	.p2align 4
sp_at_\name:
	.cfi_startproc
	_CET_ENDBR
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	pushq	%rax		/* number of vector registers used, as the ABI has it */
	.cfi_adjust_cfa_offset 8
	call	sp_\name\()_next
	movq	%rax, %r11
	popq	%rax
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%r11, %r11
	jz	sp_\name
	jmp	*%r11
	.cfi_endproc
	.size	sp_at_\name, . - sp_at_\name
.endm

#elif defined(__aarch64__)

.macro list name
	.globl	sp_at_\name
	.type	sp_at_\name, %function
	.symver	sp_at_\name, \name\()@SP_GLIBC
	.hidden	sp_\name\()_next
	.hidden	sp_\name
	.p2align 4
sp_at_\name:
	.cfi_startproc
	hint	#34		/* bti c */
	stp	x29, x30, [sp, #-80]!
	.cfi_def_cfa_offset 80
	.cfi_offset 29, -80
	.cfi_offset 30, -72
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	bl	sp_\name\()_next
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldp	x29, x30, [sp], #80
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	cbz	x16, 1f
	br	x16
1:	b	sp_\name
	.cfi_endproc
	.size	sp_at_\name, . - sp_at_\name
.endm

#endif

#if defined(__x86_64__) || defined(__aarch64__)
	.text
	list execl
	list execlp
	list execle
#endif

	.section .note.GNU-stack, "", %progbits
