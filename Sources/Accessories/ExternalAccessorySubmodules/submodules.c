// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// The package manager wants a source file beside a module map.
typedef int external_accessory_submodules_unused;
