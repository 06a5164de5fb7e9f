// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// What is in a trace: its streams with their rates and gaps, its clocks, and how good its positions are.
public struct TraceSummary: Sendable {
    /// One kind of event from one origin.
    public struct Stream: Sendable {
        /// What it is: "TPV", "SKY" and the like for gpsd's reports, the kind of a sensor, "battery", "accessory", "beacon".
        public var kind: String
        /// Where it comes from: a receiver's path, a sensor's id, an accessory's name; empty when the trace does not say.
        public var origin: String
        /// How many events there are.
        public var count = 0
        /// The first one's time, in nanoseconds since the start.
        public var first: Int64 = 0
        /// The last one's time.
        public var last: Int64 = 0
        /// The usual time between two, in nanoseconds: the median of up to the first 4096; 0 for fewer than two.
        public var interval: Int64 = 0
        /// Pauses of more than five usual intervals, and at least a second.
        public var gapCount = 0
        /// The longest time between two, in nanoseconds.
        public var longestInterval: Int64 = 0
        /// When the longest began.
        public var longestStart: Int64 = 0

        /// The usual rate in hertz; nil for fewer than two events, or when all have one time.
        public var rate: Double? { interval > 0 ? 1e9 / Double(interval) : nil }
    }

    /// How good the positions are.
    public struct Positions: Sendable {
        /// Reports of the receiver's position, with and without a fix.
        public var count = 0
        /// Those of them with latitude and longitude.
        public var fixCount = 0
        /// Those of them with an altitude too.
        public var threeDimensionalCount = 0
        /// The median of the horizontal errors that receivers estimated (eph), in metres; NaN when there was none.
        public var medianError = Double.nan
        /// The southernmost, westernmost, northernmost and easternmost degrees; NaN without a fix. West is greater than east
        /// where the way crosses 180 degrees; one round the earth has -180 and 180.
        public var south = Double.nan
        /// Degrees east.
        public var west = Double.nan
        /// Degrees north.
        public var north = Double.nan
        /// Degrees east.
        public var east = Double.nan
        /// The length of the way between fixes, in metres; jumps of more than 10 km, and noise at rest, count too.
        public var distance = 0.0
        /// The first time that a receiver told, and the last.
        public var firstTime: WallTime?
        /// The last time that a receiver told.
        public var lastTime: WallTime?
    }

    /// A pair of what two clocks showed at one time: the machine's and the receiver's.
    public struct ClockPair: Sendable {
        /// Nanoseconds since the start, when the report came.
        public var time: Int64
        /// The receiver's time in it.
        public var receiver: WallTime
    }

    /// The trace's name.
    public var name = ""
    /// Its header; of a file that is not native what could be known.
    public var header = TraceHeader()
    /// The streams, in the order in which they begin.
    public var streams: [Stream] = []
    /// All events.
    public var count = 0
    /// The last event's time, in nanoseconds since the start.
    public var duration: Int64 = 0
    /// What is known of positions; nil when there is none.
    public var positions: Positions?
    /// The clocks at the first and at the last report with a time.
    public var clocks: [ClockPair] = []
    /// Sentences about the lines and the reports of gpsd that cannot be read, with counts and first occurrences.
    public var remarks: [String] = []
    /// The number of lines that cannot be read in full.
    public var warningCount = 0
    /// The faults that were brought about in it, as its header says; empty when none were.
    public var faults = ""

    /// The receiver's clock against the machine's over the whole trace, in parts per million; nil when it cannot be told: for
    /// fewer than 60 seconds, and for traces without stamps of arrival.
    public var clockDrift: Double? {
        guard let first = clocks.first, let last = clocks.last, header.clock != "",
            case let machine = Double(last.time) - Double(first.time), machine >= 60e9,
            case let receiver = Double(last.receiver.nanoseconds) - Double(first.receiver.nanoseconds), receiver > 0
        else { return nil }
        return (machine - receiver) / receiver * 1e6
    }
}
