// SPDX-License-Identifier: Apache-2.0

// SwiftPM requires a source file next to a module map.
typedef int core_motion_submodules_unused;
