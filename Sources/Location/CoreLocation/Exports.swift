// SPDX-License-Identifier: Apache-2.0

// Re-exports Foundation, because apps written for iOS use `Date`, `URL` and `NSObject` without importing it.
@_exported public import Foundation

// Makes the members of `CLLocation.Satellite`, `.Report` and `.Sky` available without importing DeviceCore.
// Re-exporting a single declaration makes Swift treat the module as imported, but does not export the module's other
// declarations.
@_exported public import struct DeviceCore.SkyReport
