// SPDX-License-Identifier: Apache-2.0

// places.bin as constants. The kernel loads its pages when they are first read. SwiftPM rebuilds this file only when it
// changes, so state the data here: 1,994,966 bytes, version 2.
    // A separate section, because the linker places Swift's .rodata in writable memory.
    .section device_services_places_data, "a", %progbits
    .balign 8
    .globl device_services_places
    .hidden device_services_places
device_services_places:
    .incbin "places.bin"
    .globl device_services_places_end
    .hidden device_services_places_end
device_services_places_end:
    .byte 0

    .section .note.GNU-stack, "", %progbits
