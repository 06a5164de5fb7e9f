// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// The C library of the system, by whatever name: everything else imports this module.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif
