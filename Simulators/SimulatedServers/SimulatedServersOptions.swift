// SPDX-License-Identifier: Apache-2.0

public import AccessorySimulator
public import GPSDSimulator
public import IIODSimulator
public import TraceEditing

/// How simulated servers play their traces.
public struct SimulatedServersOptions: Sendable {
    /// When playback begins, for all servers at once.
    public enum Start: Sendable, Hashable {
        /// When the first program watches positions, captures or reads a sensor, or looks for accessories.
        case firstClient
        /// When the servers are started.
        case atOnce
    }

    /// When playback begins.
    public var start = Start.firstClient
    /// How many times as fast as recorded; what is not a number above 0 counts as 1. What programs say to accessories, and
    /// what those answer, takes as long as it was recorded.
    public var speed = 1.0
    /// True when all servers begin again together at the end, for ever; otherwise nothing comes any more.
    public var loops = false
    /// True when the times in gpsd's reports are moved so that the first one is of now. Motion readings have times of now in
    /// any case.
    public var movesTimesToNow = false
    /// How several traces lie to each other.
    public var alignment = TraceMerger.Alignment.clock
    /// What goes wrong in the traces.
    public var faults: [TraceFault] = []
    /// What chance in ``faults`` is counted from: the same traces, faults and seed give the same run.
    public var seed: UInt64 = 0
    /// What goes wrong with the gpsd itself.
    public var gpsdFaults: [GPSDFault] = []
    /// What goes wrong with the iiod itself.
    public var iiodFaults: [IIODFault] = []
    /// What a program opens to talk to an accessory.
    public var transport = SimulatedTransport.socket
    /// The folder in which the servers make their own; nil for TMPDIR, else /tmp. A short path: sockets lie there.
    public var folder: String?

    /// In real time from the first client on, once, with nothing going wrong.
    public init() {}
}

/// What a program on a simulated machine gets its readings from.
public enum SimulatedSource: String, Sendable, CaseIterable {
    /// Positions, from a gpsd.
    case positions
    /// Motion sensors, from an iiod.
    case motion
    /// Accessories, announced in a folder.
    case accessories
}
