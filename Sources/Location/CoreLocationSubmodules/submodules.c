// SPDX-License-Identifier: Apache-2.0

// The package manager wants a source file beside a module map.
typedef int core_location_submodules_unused;
