// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What a program knows about a CSV file beyond what the file says.
public struct MotionCSVOptions: Sendable, Hashable {
    /// The kind of file; nil to tell it by the names of the columns.
    public var layout: MotionCSVLayout?
    /// The seconds from row to row of a file without times; nil for the kind's own. Ignored when there are times.
    public var period: Double?
    /// Civil time at time zero; nil when it is not known. Ignored when the times are seconds since 1970.
    public var start: WallTime?

    /// Options that leave everything to the file, but for those that are given.
    public init(layout: MotionCSVLayout? = nil, period: Double? = nil, start: WallTime? = nil) {
        self.layout = layout
        self.period = period
        self.start = start
    }
}
