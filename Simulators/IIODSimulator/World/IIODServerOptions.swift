// SPDX-License-Identifier: Apache-2.0

package import LoopbackServer

/// How a simulated iiod behaves.
public struct IIODServerOptions: Sendable {
    /// How fast samples come.
    public enum Pace: Sendable, Hashable {
        /// As measured, that many times as fast; stamps follow the clock of the machine.
        case realTime(speed: Double)
        /// As fast as clients ask, each from the start of the trace at its OPEN. Stamps are the times of the trace, as
        /// ``Stamps`` says.
        case asFastAsAsked
    }

    /// What happens when the trace has ended.
    public enum End: Sendable, Hashable {
        /// No more samples come.
        case stall
        /// READBUF answers ENODEV.
        case noDevice
        /// It starts again.
        case loop
    }

    /// What the stamps of samples are.
    public enum Stamps: Sendable, Hashable {
        /// The times at which the samples are due, by the clock that `current_timestamp_clock` names.
        case ofClock
        /// The times of the trace as they are.
        case ofTrace
    }

    /// The TCP port on 127.0.0.1; 0 lets the system choose.
    public var port: UInt16 = 0
    /// How fast samples come.
    public var pace = Pace.realTime(speed: 1)
    /// What happens when the trace has ended.
    public var end = End.stall
    /// What the stamps of samples are.
    public var stamps = Stamps.ofClock
    /// What goes wrong.
    public var faults: [IIODFault] = []
    /// True when the attributes `raw` and `input` of measured channels follow the samples; else they stay as set.
    public var attributesFollowSamples = true
    /// True when `raw` and `input` answer EBUSY while the device's buffer runs, as most drivers do.
    public var refusesRawReadsWhileCapturing = false
    /// Connections beyond that number are closed at once, or take the place of the oldest one that has asked for nothing.
    public var maximumConnections = 256
    /// The beginning that it shares with other servers; nil for one of its own.
    package var common: CommonStart?

    /// As a live device behaves: in real time, no faults, silence at the end.
    public init() {}
}
