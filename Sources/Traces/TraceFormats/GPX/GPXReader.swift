// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes
import Trace

/// Reads a GPX file point by point. Prefixes of element names are ignored. Names of up to eight bytes are compared by
/// their ``XMLReader/nameWord``, which is 0 for longer names.
///
/// Course and speed are read from version 1.0 elements, from Garmin's TrackPointExtension, or from elements directly
/// inside `extensions` (OsmAnd, OpenTracks and others). Course is in degrees from true north, and speed in metres per
/// second. Garmin's intermediate route points (`gpxx:rpt`) are read as ordinary route points.
struct GPXReader: ~Copyable {
    enum Item {
        /// The start of a track or route. Waypoints belong to neither, so no start precedes them.
        case begin(GPXOptions.Content)
        case segment
        /// A point, available as ``GPXReader/point``.
        case point(GPXOptions.Content)
        case end(GPXOptions.Content)
    }

    private static let maximumExtensionPoints = 100_000
    var point = GPXPoint()
    /// True if times before 1980 are ignored. Must be set before the first call to ``next()``.
    var isClockSet = false
    var diagnostics = InputDiagnostics()
    /// The coordinates in the extensions of the last point. Elements before `extensionIndex` have already been
    /// returned.
    private var extensionPoints: [SIMD2<Double>] = []
    private var extensionIndex = 0
    private(set) var partName = ""
    var xml: XMLReader
    /// The current track or route, or nil outside tracks and routes.
    private var part: GPXOptions.Content?
    private var hasRoot: Bool

    init(_ chunks: FileContents, at position: GPXSummary.ElementPosition? = nil) throws(DeviceError) {
        guard let position else {
            self.init(XMLReader(try chunks.source(), name: chunks.name), hasRoot: false)
            return
        }
        self.init(
            XMLReader(
                try chunks.source(from: position.offset), name: chunks.name, offset: position.offset,
                line: position.line, inside: [position.root]),
            hasRoot: true)
    }

    /// This initializer must not throw. If the initializer of a noncopyable type throws, Swift 6.2 destroys the default
    /// values of its properties twice.
    private init(_ xml: consuming XMLReader, hasRoot: Bool) {
        self.xml = xml
        self.hasRoot = hasRoot
    }

    var offset: Int { xml.offset }
    mutating func line() -> Int { xml.line() }
    var unknownReferences: Int { xml.unknownReferences }
    private(set) var root = "gpx"

    mutating func next() throws(DeviceError) -> Item? {
        if !extensionPoints.isEmpty, let item = nextExtensionPoint() { return item }
        while let token = try xml.next() {
            switch token {
            case .start:
                guard hasRoot else {
                    guard xml.isNamed("gpx") else {
                        throw xml.error(
                            "the text begins with <\(xml.elementName.prefix(80))>; GPX begins with <gpx>. Is it the right file?"
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

    private mutating func nextExtensionPoint() -> Item? {
        guard extensionIndex < extensionPoints.count else {
            extensionPoints.removeAll(keepingCapacity: true)
            extensionIndex = 0
            return nil
        }
        let extensionPoint = extensionPoints[extensionIndex]
        extensionIndex += 1
        point = GPXPoint()
        (point.report.latitude, point.report.longitude) = (extensionPoint.x, extensionPoint.y)
        point.finish()
        return .point(.routes)
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

    private mutating func readPoint(of content: GPXOptions.Content) throws(DeviceError) -> Item {
        point = GPXPoint()
        (point.report.latitude, point.report.longitude) = readCoordinates()
        let depth = xml.depth
        var isInExtensions = false
        // True inside an extension element whose `<speed>` and `<course>` describe the point itself.
        var isKnownExtension = false
        while let token = try xml.next() {
            switch token {
            case .start:
                if xml.depth == depth + 1 {
                    isInExtensions = xml.nameWord == 0 && xml.isNamed("extensions")
                } else if isInExtensions {
                    if xml.depth == depth + 2 {
                        isKnownExtension = xml.nameWord == 0 && xml.isNamed("TrackPointExtension")
                    }
                    beginExtension(of: content, isDirect: xml.depth == depth + 2)
                }
            case .end:
                if xml.depth == depth {
                    finishPoint()
                    return .point(content)
                }
                if isInExtensions {
                    let isOwn = xml.depth == depth + 2 || (isKnownExtension && xml.depth == depth + 3)
                    if xml.depth == depth + 1 { isInExtensions = false } else { endExtension(isOwn: isOwn) }
                } else if xml.depth == depth + 1 {
                    endElement()
                }
            }
        }
        return .point(content)
    }

    private mutating func finishPoint() {
        let impossible = point.report.discardOutOfRangeValues() + point.sky.discardOutOfRangeValues()
        point.finish()
        guard impossible > 0, point.report.hasValidCoordinates else { return }
        let coordinate = "lat=\(point.report.latitude) lon=\(point.report.longitude)"
        diagnostics.record(
            "a number of a point is impossible and was ignored", at: "line \(xml.line())", text: coordinate,
            count: impossible)
    }

    private mutating func endElement() {
        switch xml.nameWord {
        case JSONText.word("ele"): point.report.altitudeMSL = readNumber()
        case JSONText.word("time"): readTime()
        case JSONText.word("speed"): set(.speed, readNumber())
        case JSONText.word("course"): set(.course, readNumber())
        case JSONText.word("magvar"):
            let value = readNumber()
            point.report.magneticVariation = value > 180 ? value - 360 : value
        case JSONText.word("fix"):
            let text = xml.trimmedText
            if !point.set(fix: text), !text.isEmpty {
                record("<fix> is not a known kind of fix and was ignored", String(decoding: text, as: UTF8.self))
            }
            if point.isWithoutFix { record("<fix> states that there is no fix, and the position was not used", "none") }
        case JSONText.word("sat"): point.sky.usedCount = readCount()
        case JSONText.word("hdop"): point.sky.hdop = readNumber()
        case JSONText.word("vdop"): point.sky.vdop = readNumber()
        case JSONText.word("pdop"): point.sky.pdop = readNumber()
        case JSONText.word("dgpsid"): point.report.correctionStation = readCount()
        case 0 where xml.isNamed("geoidheight"): point.report.geoidSeparation = readNumber()
        case 0 where xml.isNamed("ageofdgpsdata"): point.report.correctionAge = readNumber()
        default: break
        }
    }

    /// Reads the start tag of an extension. Its attributes may contain values, or the tag may be a Garmin route point.
    private mutating func beginExtension(of content: GPXOptions.Content, isDirect: Bool) {
        switch xml.nameWord {
        // An element with course and speed, such as `<geotracker:meta c="274.4" s="0.36"/>`.
        case JSONText.word("meta") where isDirect:
            guard let course = xml.attribute("c"), let speed = xml.attribute("s") else { return }
            let texts = [course, speed].map { String(decoding: $0, as: UTF8.self) }
            set(.course, readNumber(texts[0], "attribute c"))
            set(.speed, readNumber(texts[1], "attribute s"))
        // A point between two route points, such as `<gpxx:RoutePointExtension><gpxx:rpt lat="51.1" lon="7.2"/>`.
        case JSONText.word("rpt") where content == .routes:
            let (latitude, longitude) = readCoordinates()
            guard extensionPoints.count < Self.maximumExtensionPoints else {
                record("a route point has too many <rpt>; the rest was skipped", "")
                return
            }
            extensionPoints.append([latitude, longitude])
        default: break
        }
    }

    /// Reads the value of an extension element. `isOwn` is true if the value describes the point itself. Otherwise,
    /// `speed` may be a wind speed and `accuracy` an average, so they are ignored.
    private mutating func endExtension(isOwn: Bool) {
        switch xml.nameWord {
        case JSONText.word("speed") where isOwn: set(.speed, readNumber())
        case JSONText.word("course") where isOwn, JSONText.word("bearing") where isOwn:
            set(.course, readNumber())
        case JSONText.word("accuracy") where isOwn, JSONText.word("hacc"): point.report.horizontalError = readNumber()
        case JSONText.word("vacc"): point.report.verticalError = readNumber()
        case JSONText.word("sacc"): point.report.speedError = readNumber()
        case JSONText.word("cacc"): point.report.trackError = readNumber()
        case 0 where xml.isNamed("accuracy_horizontal"): point.report.horizontalError = readNumber()
        case 0 where xml.isNamed("accuracy_vertical"): point.report.verticalError = readNumber()
        default: break
        }
    }
}
