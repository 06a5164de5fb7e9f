// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import LoopbackServer
import Synchronization
public import Trace

/// A simulated receiver that plays a trace as NMEA 0183 on a pseudo-terminal, which gpsd or another program opens as a
/// serial port.
/// ```swift
/// let receiver = ReceiverTerminal(try TraceFile(path: "drive.trace"))
/// let path = try receiver.start()
/// // gpsd -N -n PATH
/// receiver.stop()
/// ```
/// The recorded sentences are sent if the trace contains sentences and a single receiver, and times are not shifted.
/// Otherwise, sentences are generated from the reports, with the precision of NMEA 0183.
///
/// Playback starts shortly after a program has opened the terminal, because programs discard input while they open a
/// terminal. If the option `start` is `immediately`, playback does not wait for a program. While no program has the
/// terminal open, sentences are lost. With the pace `onDemand`, playback waits instead. The options `port`, `faults`,
/// `repeatsLosses` and `maximumClients` are ignored. If the option `end` is `unplug` or `close`, the terminal is closed
/// at the end of the trace. With `loop`, the trace is repeated, but playback ends after a pass without sentences.
///
/// All methods can be called from any thread. Releasing the object stops it.
public final class ReceiverTerminal: Sendable {
    private let file: TraceFile
    private let receiver: String?
    private let options: GPSDServerOptions
    private let thread = ServiceThread<SharedState, String>()

    /// Creates a receiver. Call ``start()`` to open its terminal.
    ///
    /// - Parameters:
    ///   - file: The trace.
    ///   - receiver: The path of the receiver in the trace, or nil for the first receiver.
    ///   - options: The options for playback.
    public init(_ file: TraceFile, receiver: String? = nil, options: GPSDServerOptions = GPSDServerOptions()) {
        (self.file, self.receiver, self.options) = (file, receiver, options)
    }

    /// The path that programs open, or nil if the receiver is not running.
    public var path: String? { thread.current?.address }
    /// True if the trace has been played to the end. False before ``start()`` and after ``stop()``.
    public var hasPlayed: Bool { status.hasPlayed }
    package var sentenceCount: Int64 { status.reportCount }
    /// The number of sentences that were lost because the program did not read them in time or the terminal was not
    /// open.
    package var lostCount: Int64 { status.lostCount }

    /// Blocks until the trace has been played to the end. Returns false on timeout or if the receiver is not running.
    package func waitUntilPlayed(seconds: Double) -> Bool {
        state?.wait(seconds: seconds) { $0.status.hasPlayed } ?? false
    }

    /// Opens the terminal and returns its path. If the receiver is already running, returns its current path.
    ///
    /// Throws `DeviceError` if the trace does not contain the receiver or no pseudo-terminal is available.
    @discardableResult public func start() throws(DeviceError) -> String {
        try thread.start { () throws(DeviceError) in
            let player = try SentencePlayer(file, receiver: receiver, options: options)
            let shared = try SharedState(for: "the simulated receiver")
            let (master, path) = try PseudoTerminal.open(for: "the simulated receiver")
            return (shared, path, TerminalLoop(master: master, path: path, player, shared: shared, options: options))
        }
    }

    /// Closes the terminal, which the program detects as a hang-up, and waits for the thread to end.
    public func stop() { thread.stop() }

    private var state: SharedState? { thread.current?.state }
    private var status: PlaybackStatus { state?.content.withLock { $0.status } ?? PlaybackStatus() }
}
