// SPDX-License-Identifier: Apache-2.0

package import AccessorySimulator
public import GPSDSimulator
public import IIODSimulator
public import TraceEditing

/// The playback options of simulated servers.
public struct SimulatedServersOptions: Sendable {
    /// The event that starts playback on all servers.
    public enum Start: Sendable, Hashable {
        /// Playback starts when a program first watches positions, captures or reads a sensor, or searches for
        /// accessories.
        case firstClient
        /// Playback starts when the servers start.
        case immediately
    }

    /// The event that starts playback.
    public var start = Start.firstClient
    /// The playback speed relative to the recording. Invalid values are treated as 1. The speed does not affect the
    /// recorded delays in dialogues between programs and accessories.
    public var speed = 1.0
    /// If true, all servers restart playback together at the end of the traces. If false, they send nothing after the
    /// end.
    public var loops = false
    /// If true, the times in gpsd's reports are shifted so that the first report is current. Motion samples always have
    /// current times.
    public var shiftsTimesToNow = false
    package var alignment = TraceMerger.Alignment.clock
    /// The faults to inject into the traces.
    public var faults: [TraceFault] = []
    /// The seed for random decisions in ``faults``. The same traces, faults and seed produce the same decisions.
    public var seed: UInt64 = 0
    /// The faults that the simulated gpsd injects.
    public var gpsdFaults: [GPSDFault] = []
    /// The faults that the simulated iiod injects.
    public var iiodFaults: [IIODFault] = []
    package var transport = SimulatedTransport.socket
    /// The parent directory, or nil to use TMPDIR or /tmp. Use a short path, because the directory contains Unix domain
    /// sockets.
    package var folder: String?

    /// Creates the default options: the servers play the traces once, in real time and without faults. Playback starts
    /// as described for ``Start/firstClient``.
    public init() {}
}

package enum SimulatedSource: String, Sendable, CaseIterable {
    case positions
    case motion
    case accessories
}
