// SPDX-License-Identifier: Apache-2.0

// Apps written for iOS use `Date`, `URL` and `NSObject` without importing any module except this one.
@_exported public import Foundation

// Makes the members of `CLLocation.Satellite`, `.Report` and `.Sky` available without another import. If one
// declaration of a module is re-exported, Swift considers the module imported, but exports none of its other
// declarations.
@_exported public import struct DeviceCore.SkyReport
