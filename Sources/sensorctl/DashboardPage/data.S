// SPDX-License-Identifier: Apache-2.0

// The files of the page as constants: the kernel brings them into memory when they are first read. .incbin looks for them
// where headers are looked for.

#define PAGE_FILE(symbol, name, type) \
    .globl device_services_page_##symbol; \
    .hidden device_services_page_##symbol; \
    device_services_page_##symbol: .incbin name; \
    .globl device_services_page_end_##symbol; \
    .hidden device_services_page_end_##symbol; \
    device_services_page_end_##symbol: .byte 0;

    // A section of its own: the linker puts .rodata of Swift among what may be written.
    .section device_services_page_data, "a", %progbits
#include "files.inc"

    .section .note.GNU-stack, "", %progbits
