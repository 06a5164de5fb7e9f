// SPDX-License-Identifier: Apache-2.0

// Programs written for iOS use Date, URL and NSObject with no other import than this module.
@_exported public import Foundation

// So that the members of `CLLocation.Satellite`, `.Report` and `.Sky` can be used without a further import: with one name
// of their module re-exported, Swift counts that module as imported, and no other name of it comes along.
@_exported public import struct DeviceCore.SkyReport
