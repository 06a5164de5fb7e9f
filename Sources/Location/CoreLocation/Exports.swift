// SPDX-License-Identifier: Apache-2.0

// Re-exports Foundation, because apps written for iOS use `Date`, `URL` and `NSObject` without importing it.
@_exported public import Foundation

// Makes the members of `CLLocation.Satellite`, `.Report` and `.Sky` available without importing DeviceCore. If one
// declaration is re-exported, Swift treats the whole module as imported, but the module's other declarations stay
// hidden.
@_exported public import struct DeviceCore.SkyReport
