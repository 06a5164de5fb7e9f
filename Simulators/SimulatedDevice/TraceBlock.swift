// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Trace

/// Some events of a trace, one behind the other.
struct TraceBlock: Sendable {
    var records: [TraceRecord] = []
    /// What there was to say about the file, each with the number of records that the block held already.
    var warnings: [(record: Int, warning: TraceWarning)] = []
    /// True when nothing follows.
    var isLast = false
}
