// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import LoopbackServer
import Synchronization
public import Trace

/// A receiver that exists in software only: plays a trace as NMEA 0183 into a pseudo-terminal, which gpsd or any other
/// program opens as a serial port.
/// ```swift
/// let receiver = ReceiverTerminal(try TraceFile(path: "drive.trace"))
/// let path = try receiver.start()
/// // gpsd -N -n PATH
/// receiver.stop()
/// ```
/// The sentences are the receiver's own where the trace holds them and has one receiver; else they are made of its reports,
/// with the digits that sentences have. Playback begins a moment after somebody has opened the terminal, for programs throw
/// away what they find there at first. When that program is gone it goes on, as a receiver does; played as fast as can be it
/// waits for the next one. Of the options `port`, `faults`, `repeatsLosses` and those about clients mean nothing here. At the
/// end the terminal falls silent, or is closed with `unplug` and `close`; with `loop` a round without any sentence is the
/// last one.
///
/// Its methods may be called from any thread. It stops when it is released.
public final class ReceiverTerminal: Sendable {
    private let file: TraceFile
    private let receiver: String?
    private let options: GPSDServerOptions
    private let thread = ServiceThread<SharedState, String>()

    /// A terminal that is not yet there.
    ///
    /// - Parameters:
    ///   - file: what is played.
    ///   - receiver: the path, in the trace, of the receiver that is played; nil for the first one.
    ///   - options: how it is played.
    public init(_ file: TraceFile, receiver: String? = nil, options: GPSDServerOptions = GPSDServerOptions()) {
        self.file = file
        self.receiver = receiver
        self.options = options
    }

    /// The path that a program opens; nil when it does not run.
    public var path: String? { thread.current?.address }

    /// True when the trace has been played to its end.
    public var hasPlayed: Bool { state?.content.withLock { $0.hasPlayed } ?? false }

    /// The sentences that were sent so far.
    public var sentenceCount: Int64 { state?.content.withLock { $0.reportCount } ?? 0 }

    /// The sentences that nobody read in time, or that came while nobody had the terminal open.
    public var lostCount: Int64 { state?.content.withLock { $0.lostCount } ?? 0 }

    /// Waits until the trace has been played to its end; false when the time is up before. Blocks the thread.
    public func waitUntilPlayed(seconds: Double) -> Bool { state?.wait(seconds: seconds) { $0.hasPlayed } ?? false }

    /// Makes the terminal and answers its path. One that runs already answers its path again.
    ///
    /// Throws `DeviceError` when the trace has no such receiver, and when the machine has no pseudo-terminal left.
    @discardableResult
    public func start() throws(DeviceError) -> String {
        try thread.start { () throws(DeviceError) in
            let player = try SentencePlayer(file, receiver: receiver, options: options)
            let shared = try SharedState(for: "the simulated receiver")
            let (master, path) = try PseudoTerminal.open(for: "the simulated receiver")
            return (shared, path, TerminalLoop(master: master, path: path, player, shared: shared, options: options))
        }
    }

    /// Closes the terminal, which a program sees as a hang-up; returns when that has happened.
    public func stop() { thread.stop() }

    private var state: SharedState? { thread.current?.state }
}
