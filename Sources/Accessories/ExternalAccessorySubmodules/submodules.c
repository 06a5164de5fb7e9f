// SPDX-License-Identifier: Apache-2.0

// SwiftPM requires a source file next to a module map.
typedef int external_accessory_submodules_unused;
