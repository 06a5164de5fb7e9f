// SPDX-License-Identifier: Apache-2.0

// Apps written for iOS use `Date`, `OperationQueue` and `NSObject` without importing Foundation, so this module
// re-exports it.
@_exported public import Foundation
