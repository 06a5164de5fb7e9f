// SPDX-License-Identifier: Apache-2.0

// Re-exports Foundation: apps written for iOS use `Date`, `URL` and `NSObject` without a further import.
@_exported public import Foundation

// Makes the members of `CLLocation.Satellite`, `.Report` and `.Sky` available without a further import. If a single
// declaration of a module is re-exported, Swift considers the module imported, but does not export its other
// declarations.
@_exported public import struct DeviceCore.SkyReport
