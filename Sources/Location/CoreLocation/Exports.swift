// SPDX-License-Identifier: Apache-2.0

// Re-exports Foundation, because apps written for iOS use `Date`, `URL` and `NSObject` without importing it.
@_exported public import Foundation

// Lets apps use the members of `CLLocation.Satellite`, `.Report` and `.Sky` without importing DeviceCore. Re-exporting
// one of the module's declarations is enough, and keeps the others hidden.
@_exported public import struct DeviceCore.SkyReport
