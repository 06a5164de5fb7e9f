// SPDX-License-Identifier: Apache-2.0

// Re-exports Foundation, because apps written for iOS use `Date`, `URL` and `NSObject` without importing it.
@_exported public import Foundation

// Lets apps use the members of `CLLocation.Satellite`, `.Report` and `.Sky` without importing DeviceCore. Re-exporting
// a single declaration of the module is enough, and keeps the other declarations hidden.
@_exported public import struct DeviceCore.SkyReport
