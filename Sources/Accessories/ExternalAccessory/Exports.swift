// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// Programs written for iOS use Data, NotificationCenter and NSObject with no other import than this module.
@_exported public import Foundation
