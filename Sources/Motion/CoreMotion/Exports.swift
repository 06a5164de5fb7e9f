// SPDX-License-Identifier: Apache-2.0

// Programs written for iOS use Date, OperationQueue and NSObject with no other import than this module.
@_exported public import Foundation
