// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a client has read so far.
public struct GPSDStatistics: Sendable, Hashable {
    /// Connections that were made.
    public var connections = 0
    /// Lines read.
    public var lines = 0
    /// Position reports among them.
    public var positions = 0
    /// Lines that made no sense and were skipped.
    public var malformedLines = 0
    /// Reports dropped after a standstill of the process.
    public var staleReports = 0

    /// Nothing read yet.
    public init() {}

    static func += (sum: inout GPSDStatistics, part: GPSDStatistics) {
        sum.connections += part.connections
        sum.lines += part.lines
        sum.positions += part.positions
        sum.malformedLines += part.malformedLines
        sum.staleReports += part.staleReports
    }
}
