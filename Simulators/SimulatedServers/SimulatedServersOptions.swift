// SPDX-License-Identifier: Apache-2.0

package import AccessorySimulator
public import GPSDSimulator
public import IIODSimulator
public import TraceEditing

/// The playback options of simulated servers.
public struct SimulatedServersOptions: Sendable {
    /// The start of playback, common to all servers.
    public enum Start: Sendable, Hashable {
        /// Playback starts when the first program watches positions, captures or reads a sensor, or searches for
        /// accessories.
        case firstClient
        /// Playback starts with the servers.
        case atOnce
    }

    /// The start of playback.
    public var start = Start.firstClient
    /// The speed of playback relative to the recording. Values that are not positive and finite are treated as 1.
    /// Exchanges between programs and accessories keep their recorded duration.
    public var speed = 1.0
    /// If true, all servers restart playback together at the end. If false, nothing more is sent after the end.
    public var loops = false
    /// If true, the times in gpsd's reports are shifted so that the first report is current. Motion samples always have
    /// current times.
    public var shiftsTimesToNow = false
    package var alignment = TraceMerger.Alignment.clock
    /// The faults added to the traces.
    public var faults: [TraceFault] = []
    /// The seed of random decisions in ``faults``. The same traces, faults and seed produce the same run.
    public var seed: UInt64 = 0
    /// The faults of the simulated gpsd.
    public var gpsdFaults: [GPSDFault] = []
    /// The faults of the simulated iiod.
    public var iiodFaults: [IIODFault] = []
    /// The type of node that programs open to communicate with an accessory.
    package var transport = SimulatedTransport.socket
    /// The parent of the directory that the servers create; nil means TMPDIR, or /tmp if TMPDIR is not set. Use a short
    /// path, because the directory contains Unix domain sockets.
    package var folder: String?

    /// Creates the default options: the traces are played once, in real time after the first client connects, without
    /// faults.
    public init() {}
}

/// The sources of readings on a simulated machine.
package enum SimulatedSource: String, Sendable, CaseIterable {
    case positions
    case motion
    case accessories
}
