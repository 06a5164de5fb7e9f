// SPDX-License-Identifier: Apache-2.0

// The files of the page as constants. The kernel loads them into memory when they are first read. .incbin searches the include
// paths for the files.

#define PAGE_FILE(symbol, name, type) \
    .globl device_services_page_##symbol; \
    .hidden device_services_page_##symbol; \
    device_services_page_##symbol: .incbin name; \
    .globl device_services_page_end_##symbol; \
    .hidden device_services_page_end_##symbol; \
    device_services_page_end_##symbol: .byte 0;

    // A separate section is used, because the linker places Swift's .rodata in a writable segment.
    .section device_services_page_data, "a", %progbits
#include "files.inc"

    .section .note.GNU-stack, "", %progbits
