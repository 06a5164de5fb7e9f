// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace

/// Goes through a GPX file point by point.
///
/// Read are versions 1.0 and 1.1; elements are known by their names without prefixes. Course and speed are those of 1.0,
/// or of any extension that calls them so: Garmin's TrackPointExtension, OsmAnd, OpenTracks and others, all in degrees
/// from true north and metres per second. Heart rates and the like are passed over.
struct GPXReader: ~Copyable {
    /// What was read.
    enum Item {
        /// A track or a route begins; waypoints stand outside both.
        case begin(GPXOptions.Content)
        /// A segment of a track begins.
        case segment
        /// A point: ``GPXReader/point``.
        case point(GPXOptions.Content)
        /// A track or a route ends.
        case end(GPXOptions.Content)
    }

    /// The last point.
    private(set) var point = GPXPoint()
    /// The name of the track or route that is open, as far as it has been read.
    private(set) var partName = ""
    private var xml: XMLReader
    /// The track or route that is open.
    private var part: GPXOptions.Content?
    private var hasRoot: Bool

    /// Reads a file from its beginning, or from the tag of a track or route on.
    init(_ chunks: FileChunks, at place: GPXSurvey.Place? = nil) throws(DeviceError) {
        guard let place else {
            self.init(XMLReader(try chunks.source(), name: chunks.name), hasRoot: false)
            return
        }
        self.init(
            XMLReader(
                try chunks.source(from: place.offset), name: chunks.name, offset: place.offset, line: place.line,
                inside: [place.root]),
            hasRoot: true)
    }

    /// Cannot fail: Swift 6.2 destroys the defaults of a noncopyable value twice where its initializer throws.
    private init(_ xml: consuming XMLReader, hasRoot: Bool) {
        self.xml = xml
        self.hasRoot = hasRoot
    }

    /// Where the last tag stands.
    var offset: Int { xml.offset }
    mutating func line() -> Int { xml.line() }
    /// References that are not known.
    var unknownReferences: Int { xml.unknownReferences }

    /// The name of the root element with its prefix, where it was read.
    private(set) var root = "gpx"

    /// Reads on; nil at the end of a whole file.
    mutating func next() throws(DeviceError) -> Item? {
        while let token = try xml.next() {
            switch token {
            case .start:
                guard hasRoot else {
                    guard xml.isNamed("gpx") else {
                        throw xml.error(
                            "the text begins with <\(xml.elementName.prefix(80))>; GPX begins with <gpx>. Is it another file?"
                        )
                    }
                    root = xml.qualifiedName
                    hasRoot = true
                    continue
                }
                if let item = try begin() { return item }
            case .end:
                if let part, xml.depth == 2 {
                    self.part = nil
                    return .end(part)
                }
                if part != nil, xml.depth == 3, xml.nameWord == JSONText.word("name") {
                    partName = String(decoding: xml.trimmedText.prefix(200), as: UTF8.self)
                }
            }
        }
        return nil
    }

    /// True when the root element of a text that may end anywhere is GPX's.
    static func isGPX(_ bytes: [UInt8]) -> Bool {
        var xml = XMLReader(MemorySource(bytes), name: "")
        do throws(DeviceError) {
            return try xml.next() == .start && xml.isNamed("gpx")
        } catch {
            return false
        }
    }

    private mutating func begin() throws(DeviceError) -> Item? {
        switch xml.nameWord {
        case JSONText.word("trkpt"): return try readPoint(of: part ?? .tracks)
        case JSONText.word("rtept"): return try readPoint(of: part ?? .routes)
        case JSONText.word("wpt"): return try readPoint(of: .waypoints)
        case JSONText.word("trkseg"): return .segment
        case JSONText.word("trk") where xml.depth == 2: return beginPart(.tracks)
        case JSONText.word("rte") where xml.depth == 2: return beginPart(.routes)
        default: return nil
        }
    }

    private mutating func beginPart(_ content: GPXOptions.Content) -> Item {
        (part, partName) = (content, "")
        return .begin(content)
    }

    /// Reads a point up to its end tag.
    private mutating func readPoint(of content: GPXOptions.Content) throws(DeviceError) -> Item {
        point = GPXPoint()
        point.report.latitude = Self.number(xml.attribute("lat"))
        point.report.longitude = Self.number(xml.attribute("lon"))
        let depth = xml.depth
        var isInExtensions = false
        while let token = try xml.next() {
            switch token {
            case .start:
                if xml.depth == depth + 1, xml.nameWord == 0, xml.isNamed("extensions") { isInExtensions = true }
                // Some write their values as attributes: <geotracker:meta c="274.4" s="0.36"/>.
                if xml.nameWord == JSONText.word("meta"), let course = xml.attribute("c"),
                    let speed = xml.attribute("s")
                {
                    point.report.set(.course, Self.number(course))
                    point.report.set(.speed, Self.number(speed))
                }
            case .end:
                if xml.depth == depth {
                    point.finish()
                    return .point(content)
                }
                if isInExtensions {
                    if xml.depth == depth + 1 { isInExtensions = false } else { noteExtension() }
                } else if xml.depth == depth + 1 {
                    noteElement()
                }
            }
        }
        return .point(content)
    }

    private mutating func noteElement() {
        switch xml.nameWord {
        case JSONText.word("ele"): point.report.altitudeMSL = value
        case JSONText.word("time"): noteTime()
        case JSONText.word("speed"): point.report.set(.speed, value)
        case JSONText.word("course"): point.report.set(.course, value)
        case JSONText.word("magvar"): point.report.magneticVariation = value > 180 ? value - 360 : value
        case JSONText.word("fix"): point.set(fix: xml.trimmedText)
        case JSONText.word("sat"): point.sky.usedCount = count
        case JSONText.word("hdop"): point.sky.hdop = value
        case JSONText.word("vdop"): point.sky.vdop = value
        case JSONText.word("pdop"): point.sky.pdop = value
        case JSONText.word("dgpsid"): point.report.correctionStation = count
        case 0 where xml.isNamed("geoidheight"): point.report.geoidSeparation = value
        case 0 where xml.isNamed("ageofdgpsdata"): point.report.correctionAge = value
        default: break
        }
    }

    private mutating func noteExtension() {
        switch xml.nameWord {
        case JSONText.word("speed"): point.report.set(.speed, value)
        case JSONText.word("course"), JSONText.word("bearing"): point.report.set(.course, value)
        case JSONText.word("accuracy"), JSONText.word("hacc"): point.report.horizontalError = value
        case JSONText.word("vacc"): point.report.verticalError = value
        case JSONText.word("sacc"): point.report.speedError = value
        case JSONText.word("cacc"): point.report.trackError = value
        case 0 where xml.isNamed("accuracy_horizontal"): point.report.horizontalError = value
        case 0 where xml.isNamed("accuracy_vertical"): point.report.verticalError = value
        default: break
        }
    }

    private mutating func noteTime() {
        if let (time, zone) = CivilTime.parseZoned(xml.trimmedText) {
            point.time = time.nanoseconds
            point.lacksZone = zone == .missing
        } else {
            point.hasBadTime = true
        }
    }

    private var value: Double { Self.number(xml.trimmedText) }

    private var count: Int32 {
        let value = Self.number(xml.trimmedText)
        return value >= 0 && value <= 65_535 ? Int32(value) : -1
    }

    private static func number(_ text: UnsafeRawBufferPointer?) -> Double {
        guard let text else { return .nan }
        var (low, high) = (0, text.count)
        while low < high, text[low] <= 0x20 { low += 1 }
        while high > low, text[high - 1] <= 0x20 { high -= 1 }
        let value = DecimalNumber(UnsafeRawBufferPointer(rebasing: text[low..<high]))?.double ?? .nan
        return value.magnitude < FixedDecimal.limit ? value : .nan
    }
}
