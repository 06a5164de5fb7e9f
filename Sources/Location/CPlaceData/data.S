// SPDX-License-Identifier: Apache-2.0

// places.bin as constants: the kernel brings a page of it into memory when it is first read.
// SwiftPM builds this anew only when it changes: say here which data it is. 1,994,966 bytes, version 2.
    // A section of its own: the linker puts .rodata of Swift among what may be written.
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
