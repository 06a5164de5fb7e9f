// SPDX-License-Identifier: Apache-2.0

package import LoopbackServer

/// How a simulated gpsd behaves, and how it plays its trace.
public struct GPSDServerOptions: Sendable {
    /// How fast the trace is played.
    public enum Pace: Sendable, Hashable {
        /// As recorded, that many times as fast. What a client does not read in time is lost for it, as with gpsd.
        case realTime(speed: Double)
        /// As fast as all watching clients read. Nothing is lost; one that reads nothing for ten seconds is cut off.
        case asFastAsRead
    }

    /// When playback begins.
    public enum Start: Sendable, Hashable {
        /// With the first client that watches, or the first program that opens the terminal.
        case firstWatcher
        /// When the server is started.
        case atOnce
    }

    /// What happens when the trace has ended.
    public enum End: Sendable, Hashable {
        /// No more reports come.
        case silence
        /// The receivers go, as when they are unplugged.
        case unplug
        /// All connections are closed; the server goes on listening.
        case close
        /// The trace is played again, for ever. Times in reports go on rising.
        case loop
    }

    /// What becomes of the times in reports.
    public enum Stamps: Sendable, Hashable {
        /// They stay as recorded.
        case kept
        /// They are moved, all by the same number of seconds, so that the first one is of now when it comes.
        case now
    }

    /// The TCP port on 127.0.0.1; 0 lets the system choose. gpsd's own is 2947.
    public var port: UInt16 = 0
    /// How fast the trace is played.
    public var pace = Pace.realTime(speed: 1)
    /// When playback begins.
    public var start = Start.firstWatcher
    /// What happens when the trace has ended.
    public var end = End.silence
    /// What becomes of the times in reports. Where they are moved, sentences of the receiver that the trace holds, whose
    /// times stay, are not sent; sentences made of the reports are.
    public var stamps = Stamps.kept
    /// What goes wrong.
    public var faults: [GPSDFault] = []
    /// True when a connection to gpsd that was lost in the recording is lost to clients too: the server goes away for that
    /// time.
    public var repeatsLosses = true
    /// Connections beyond that number are closed without a word, or take the place of the oldest one that has asked for
    /// nothing. gpsd takes 64.
    public var maximumClients = 64
    /// A client that does not watch is closed after so many seconds without a request.
    public var idleTimeout = 900.0
    /// The room for what is sent that each connection gets, in bytes; nil for the system's own. A small one makes clients
    /// lose reports soon.
    public var sendRoom: Int32?
    /// The beginning that it shares with other servers; nil for one of its own.
    package var common: CommonStart?
    /// A round takes so many nanoseconds, so that all servers begin the next one together; nil, or too few, for as long as
    /// the reports need.
    package var roundLength: Int64?

    /// As gpsd behaves: in real time from the first watcher on, no faults, silence at the end.
    public init() {}
}
