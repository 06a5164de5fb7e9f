// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Trace

/// Reads the tracks, routes or waypoints in a GPX 1.0 or 1.1 file and converts them to gpsd reports.
///
/// Altitudes (`ele`) are interpreted as metres above mean sea level, which is the usual convention. Together with
/// `geoidheight`, they determine the height above the ellipsoid. Track segments are separated by a report without a
/// fix. This report is placed one second after the last point of a segment, or halfway to the next point if that is
/// earlier. Times without a zone are UTC.
///
/// Files are read in pieces, so memory use does not depend on the file size. Only points that are not in chronological
/// order are sorted in memory. If a file is damaged, the points before the damage are read.
package enum GPXFile {
    /// Reads a file and writes it to the sink as a trace. The sink must not have a header yet. It is left open.
    ///
    /// - Returns: Remarks about omitted, derived or unreadable content.
    /// - Throws: If nothing could be read, an error that states the line.
    package static func read(
        path: String, options: GPXOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] { try read(try FileContents.open(path), options, to: sink) }

    package static func read(
        _ bytes: [UInt8], name: String, options: GPXOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] { try read(.memory(TraceBytes(bytes), name: name), options, to: sink) }

    static func read(
        _ chunks: FileContents, _ options: GPXOptions, to sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        try options.validate()
        var singlePass: GPXSinglePassImporter?
        let summary = try GPXSummary(chunks, &singlePass)
        var importer = GPXImporter(try GPXSelection(summary, options, name: chunks.name), options, chunks)
        try importer.write(to: sink)
        return importer.remarks
    }

    static func trace(
        _ chunks: FileContents, _ options: GPXOptions
    ) throws(DeviceError) -> (trace: TraceFile, remarks: [String]) {
        try options.validate()
        var singlePass: GPXSinglePassImporter? = GPXSinglePassImporter(TraceBuilder(name: chunks.name), options)
        let plan = try GPXSelection(try GPXSummary(chunks, &singlePass), options, name: chunks.name)
        if plan.isInOrder, let trace = try singlePass?.trace(from: plan.start) {
            return (trace, plan.remarks + (singlePass?.remarks ?? []))
        }
        singlePass = nil
        let builder = TraceBuilder(name: chunks.name)
        var importer = GPXImporter(plan, options, chunks)
        try importer.write(to: builder)
        return (try builder.file(), importer.remarks)
    }
}

/// Options for reading a GPX file, which may contain several paths.
public struct GPXOptions: Sendable, Hashable {
    /// The kinds of points in a GPX file.
    public enum Content: String, Sendable, CaseIterable {
        /// `trk`: recorded paths.
        case tracks
        /// `rte`: planned paths.
        case routes
        /// `wpt`: individual points, which Xcode plays back as a path.
        case waypoints
    }

    /// The kind of points to read. If nil, tracks take precedence over routes, and routes over waypoints.
    public var content: Content?
    /// The number of the track or route to read, starting at 1, in file order. If nil, all are read in chronological
    /// order.
    public var number: Int?
    /// The speed between points without times, in metres per second along the geodesic. If nil, the points are one
    /// second apart, as in Xcode.
    public var speed: Double?
    /// The horizontal accuracy in metres of points that state none. It must be finite and greater than 0. If nil, the
    /// accuracy of these points is unknown, and Core Location assumes 100 m, or 8 m times `hdop` if the point has one.
    public var accuracy: Double?
    /// True if a missing course, speed or climb is derived from the positions.
    public var derivesMotion = true

    /// Creates options. By default, all information is taken from the file.
    public init(
        content: Content? = nil, number: Int? = nil, speed: Double? = nil, accuracy: Double? = nil,
        derivesMotion: Bool = true
    ) {
        (self.content, self.number, self.speed) = (content, number, speed)
        (self.accuracy, self.derivesMotion) = (accuracy, derivesMotion)
    }

    /// Throws an error if the accuracy is not a positive number.
    func validate() throws(DeviceError) {
        guard let accuracy, !(accuracy > 0 && accuracy.isFinite) else { return }
        throw DeviceError(
            .invalidConfiguration,
            "The accuracy of \(accuracy) m is invalid. Specify a positive number of metres, for example 5.")
    }
}
