// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes
import Synchronization

/// Publishes the satellites that the position source reports. Core Location provides no satellites while there is no
/// fix.
final class SatellitePublisher: Sendable {
    private let feed: DashboardFeed
    private let clock: SessionClock
    private let subscription = Mutex<Subscription?>(nil)

    init(feed: DashboardFeed, clock: SessionClock) { (self.feed, self.clock) = (feed, clock) }

    func start(on device: Device) {
        let new = device.positionSource.subscribe(PositionRequest()) { [weak self] event in
            if case .sky(let sky) = event { self?.publish(sky) }
        }
        subscription.withLock { $0 = new }
    }

    func end() { subscription.withLock { $0.take() }?.cancel() }

    private func publish(_ sky: SkyReport) {
        // A report with only dilutions of precision contains no satellites and must not clear them.
        guard let satellites = sky.satellites else { return }
        let time = clock.seconds(sky.arrival)
        feed.publish(
            DashboardMessage("satellites", .state) { writer in
                writer.member("t", time)
                writer.array("list") { writer in
                    for satellite in satellites {
                        writer.object { writer in
                            writer.member("system", satellite.system?.name ?? "unknown")
                            writer.member("id", satellite.label)
                            writer.member("azimuth", satellite.azimuth)
                            writer.member("elevation", satellite.elevation)
                            writer.member("snr", satellite.signal)
                            writer.member("used", satellite.isUsed)
                        }
                    }
                }
                writer.member("hdop", sky.hdop)
                writer.member("vdop", sky.vdop)
                writer.member("pdop", sky.pdop)
            })
    }
}

extension Satellite {
    /// The satellite's name in RINEX: the system's letter and the number; gpsd's number if the system is unknown.
    fileprivate var label: String {
        guard let system, systemNumber >= 0 else { return "\(number)" }
        return "\(system.letter)\(systemNumber < 10 ? "0" : "")\(systemNumber)"
    }
}

extension Satellite.System {
    fileprivate var name: String { facts.name }
    fileprivate var letter: String { facts.letter }

    private var facts: (name: String, letter: String) {
        switch self {
        case .gps: ("GPS", "G")
        case .sbas: ("SBAS", "S")
        case .galileo: ("Galileo", "E")
        case .beiDou: ("BeiDou", "C")
        case .imes: ("IMES", "M")
        case .qzss: ("QZSS", "J")
        case .glonass: ("GLONASS", "R")
        case .navIC: ("NavIC", "I")
        }
    }
}
