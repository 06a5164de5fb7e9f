// SPDX-License-Identifier: Apache-2.0

// Re-exported, because apps written for iOS use `Date`, `OperationQueue` and `NSObject` without importing Foundation.
@_exported public import Foundation
