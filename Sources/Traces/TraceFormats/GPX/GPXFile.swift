// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// Reads GPX 1.0 and 1.1: tracks, routes or waypoints become gpsd's reports.
///
/// Altitudes (`ele`) are taken as metres above mean sea level, as the field writes them; with `geoidheight` they give the
/// height above the ellipsoid too. Where a segment of a track ends, a report without a fix follows, one second after its
/// last point or half way to the next one. Times without a zone are UTC. A point has the mode that `fix` says, else 3D
/// with an altitude and 2D without.
///
/// The file is read in pieces, and twice where that has to be, so that memory stays small however large it is; only where
/// points are not in the order of time they are sorted in memory. A file that is damaged or cut off gives what stands before the damage.
public enum GPXFile {
    /// Writes what a file holds as a trace. There must not be a header yet; the sink stays open.
    ///
    /// - Returns: remarks: what was left out, derived or could not be read.
    /// - Throws: an error that names the line when nothing could be read.
    public static func read(
        path: String, options: GPXOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        try read(try FileChunks.open(path), options, to: sink)
    }

    /// Writes what a file in memory holds as a trace. Messages call it by that name.
    public static func read(
        _ bytes: [UInt8], name: String, options: GPXOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] { try read(.memory(TraceBytes(bytes), name: name), options, to: sink) }

    static func read(
        _ chunks: FileChunks, _ options: GPXOptions, to sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        var direct: GPXDirectImport?
        let survey = try GPXSurvey(chunks, &direct)
        var importer = GPXImporter(try GPXPlan(survey, options, name: chunks.name), options, chunks)
        try importer.write(to: sink)
        return importer.remarks
    }

    /// The same as a trace in memory.
    static func trace(
        _ chunks: FileChunks, _ options: GPXOptions
    ) throws(DeviceError) -> (trace: TraceFile, remarks: [String]) {
        var direct: GPXDirectImport? = GPXDirectImport(TraceBuilder(name: chunks.name), options)
        let plan = try GPXPlan(try GPXSurvey(chunks, &direct), options, name: chunks.name)
        if plan.isInOrder, let trace = try direct?.trace(from: plan.start) {
            return (trace, plan.remarks + (direct?.remarks ?? []))
        }
        direct = nil
        let builder = TraceBuilder(name: chunks.name)
        var importer = GPXImporter(plan, options, chunks)
        try importer.write(to: builder)
        return (try builder.file(), importer.remarks)
    }
}

/// What a program wants of a GPX file, which may hold several ways.
public struct GPXOptions: Sendable, Hashable {
    /// The lists of points that a GPX file has.
    public enum Content: String, Sendable, CaseIterable {
        /// `trk`: where somebody was.
        case tracks
        /// `rte`: where somebody wants to go.
        case routes
        /// `wpt`: single places; Xcode plays them as a way.
        case waypoints
    }

    /// Which points to take; nil for the tracks, or else the routes, or else the waypoints.
    public var content: Content?
    /// The one track or route to take, counted from 1 in the order of the file; nil for all, in the order of time.
    public var number: Int?
    /// How fast points without times follow one another, in metres per second along the shortest path; nil to put them
    /// one second apart, as Xcode does.
    public var speed: Double?
    /// Whether course, speed and climb that the file does not say are derived from the positions.
    public var derivesMotion = true

    /// Options that leave everything to the file, but for those that are given.
    public init(content: Content? = nil, number: Int? = nil, speed: Double? = nil, derivesMotion: Bool = true) {
        self.content = content
        self.number = number
        self.speed = speed
        self.derivesMotion = derivesMotion
    }
}
