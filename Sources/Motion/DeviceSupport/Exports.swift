// SPDX-License-Identifier: Apache-2.0

// Apps written for iOS use `Date`, `NotificationCenter` and `NSObject` without importing Foundation.
@_exported public import Foundation
