// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

/// The positions and signal strengths that a receiver reported for each satellite.
package struct SkyTracks: Sendable {
    package struct Track: Sendable {
        package let name: String
        package let system: Satellite.System?
        /// The positions in degrees, in chronological order. A position is omitted if it is less than 0.5° from the
        /// previous one on the disc (see `SkyGeometry`). If the path becomes too long, every other position is removed.
        package fileprivate(set) var path: [(azimuth: Double, elevation: Double)] = []
        /// The lowest signal strength in dB-Hz, or infinity if none was reported.
        package fileprivate(set) var weakest = Double.infinity
        package fileprivate(set) var strongest = -Double.infinity
        fileprivate var sum = 0.0
        /// The number of reports that include a signal strength.
        package fileprivate(set) var strengths = 0
        /// The number of reports that list the satellite.
        package fileprivate(set) var views = 0
        /// The number of reports in which the satellite is used for the fix.
        package fileprivate(set) var uses = 0
        fileprivate let order: (Int, Int32)

        /// The mean signal strength in dB-Hz, or nil if none was reported.
        package var mean: Double? { strengths > 0 ? sum / Double(strengths) : nil }
        package var isUsed: Bool { uses > 0 }
    }

    private struct Key: Hashable {
        let system: UInt8?
        let number: Int32
    }

    /// The maximum number of satellites, which is more than the number of navigation satellites in orbit.
    static let limit = 256
    private static let pathLimit = 1024

    private var tracks: [Key: Track] = [:]

    package init() {}

    package mutating func add(_ satellites: [Satellite]) {
        for satellite in satellites {
            let number = satellite.systemNumber > 0 ? satellite.systemNumber : satellite.number
            let key = Key(system: satellite.system?.rawValue, number: number)
            guard tracks[key] != nil || tracks.count < Self.limit else { continue }
            tracks[key, default: Self.track(satellite, number)].add(satellite, limit: Self.pathLimit)
        }
    }

    private static func track(_ satellite: Satellite, _ number: Int32) -> Track {
        let letter = satellite.system.map(\.letter)
        // For an SBAS satellite, the number that gpsd reports (svid) is the PRN, such as 120. RINEX would subtract 100.
        let text = letter.map { "\($0)\(PlotText.digits(Int(number), 2))" } ?? "\(number)"
        return Track(name: text, system: satellite.system, order: (satellite.system?.rank ?? 99, number))
    }

    package var sorted: [Track] { tracks.values.sorted { $0.order < $1.order } }
}

extension SkyTracks.Track {
    fileprivate mutating func add(_ satellite: Satellite, limit: Int) {
        views += 1
        if satellite.isUsed { uses += 1 }
        // Receivers report 0 for satellites that they do not track. NMEA limits the strength to 99 dB-Hz.
        if satellite.signal > 0, satellite.signal < 100 {
            strengths += 1
            sum += satellite.signal
            weakest = min(weakest, satellite.signal)
            strongest = max(strongest, satellite.signal)
        }
        guard (0...90).contains(satellite.elevation), abs(satellite.azimuth) <= 360 else { return }
        // Receivers report an unknown position as elevation 0, azimuth 0.
        if satellite.elevation == 0, satellite.azimuth == 0 { return }
        let direction = (azimuth: satellite.azimuth, elevation: satellite.elevation)
        if let last = path.last, SkyGeometry.distance(direction, last) < 0.5 { return }
        path.append(direction)
        // Limits the path length, because a faulty receiver may keep reporting positions that are far apart.
        if path.count > limit { path = path.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) }
    }
}

/// Projects the sky onto a disc. The zenith is at the centre, and the horizon is at a distance of 1.
enum SkyGeometry {
    static func point(_ direction: (azimuth: Double, elevation: Double)) -> SIMD2<Double> {
        let angle = direction.azimuth * .pi / 180
        return SIMD2(sin(angle), -cos(angle)) * ((90 - direction.elevation) / 90)
    }

    /// Returns the distance between two positions on the disc, in degrees.
    static func distance(
        _ one: (azimuth: Double, elevation: Double), _ two: (azimuth: Double, elevation: Double)
    ) -> Double {
        let step = point(one) - point(two)
        return (step * step).sum().squareRoot() * 90
    }
}

extension Satellite.System {
    /// The RINEX letter of the satellite system, or M for IMES. RINEX has no letter for IMES, whose transmitters are
    /// terrestrial.
    package var letter: String { facts.letter }
    package var name: String { facts.name }
    fileprivate var rank: Int { facts.rank }

    private var facts: (letter: String, name: String, rank: Int) {
        switch self {
        case .gps: ("G", "GPS", 0)
        case .glonass: ("R", "GLONASS", 1)
        case .galileo: ("E", "Galileo", 2)
        case .beiDou: ("C", "BeiDou", 3)
        case .qzss: ("J", "QZSS", 4)
        case .navIC: ("I", "NavIC", 5)
        case .sbas: ("S", "SBAS", 6)
        case .imes: ("M", "IMES", 7)
        }
    }
}
