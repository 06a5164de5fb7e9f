// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Trace

/// Reads GPX 1.0 and 1.1. Tracks, routes or waypoints are converted to gpsd's reports.
///
/// Altitudes (`ele`) are read as metres above mean sea level, the usual convention; together with `geoidheight` they
/// give the height above the ellipsoid. The end of a track segment is followed by a report without a fix, one second
/// after the last point or halfway to the next point, whichever is earlier. Times without a zone are UTC. The mode of a
/// point is that of `fix`; otherwise it is 3D with an altitude and 2D without one.
///
/// Files are read in pieces, and twice if necessary, so memory use does not depend on the file size. Only points that
/// are not in chronological order are sorted in memory. If a file is damaged or truncated, the points before the damage
/// are read.
package enum GPXFile {
    /// Reads a file and writes it as a trace. The sink must not have a header yet. It stays open.
    ///
    /// - Returns: Remarks about omitted, derived or unreadable content.
    /// - Throws: An error that names the line if nothing could be read.
    package static func read(
        path: String, options: GPXOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] { try read(try FileContents.open(path), options, to: sink) }

    /// Reads a file in memory; otherwise as `read(path:options:to:)`.
    package static func read(
        _ bytes: [UInt8], name: String, options: GPXOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] { try read(.memory(TraceBytes(bytes), name: name), options, to: sink) }

    static func read(
        _ chunks: FileContents, _ options: GPXOptions, to sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        var direct: GPXSinglePassImporter?
        let survey = try GPXSummary(chunks, &direct)
        var importer = GPXImporter(try GPXSelection(survey, options, name: chunks.name), options, chunks)
        try importer.write(to: sink)
        return importer.remarks
    }

    static func trace(
        _ chunks: FileContents, _ options: GPXOptions
    ) throws(DeviceError) -> (trace: TraceFile, remarks: [String]) {
        var direct: GPXSinglePassImporter? = GPXSinglePassImporter(TraceBuilder(name: chunks.name), options)
        let plan = try GPXSelection(try GPXSummary(chunks, &direct), options, name: chunks.name)
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

/// Options for reading a GPX file, which may contain several paths.
public struct GPXOptions: Sendable, Hashable {
    /// The lists of points in a GPX file.
    public enum Content: String, Sendable, CaseIterable {
        /// `trk`: recorded paths.
        case tracks
        /// `rte`: planned paths.
        case routes
        /// `wpt`: individual places, which Xcode plays back as a path.
        case waypoints
    }

    /// The kind of points to read; nil for tracks if there are any, otherwise routes, otherwise waypoints.
    public var content: Content?
    /// The number of the only track or route to read, counted from 1 in the order of the file; nil to read all in
    /// chronological order.
    public var number: Int?
    /// The speed between points without times, in metres per second along the geodesic; nil to place them one second
    /// apart, as Xcode does.
    public var speed: Double?
    /// Whether missing values of course, speed and climb are derived from the positions.
    public var derivesMotion = true

    /// Creates options; by default they are determined by the contents of the file.
    public init(content: Content? = nil, number: Int? = nil, speed: Double? = nil, derivesMotion: Bool = true) {
        self.content = content
        self.number = number
        self.speed = speed
        self.derivesMotion = derivesMotion
    }
}
