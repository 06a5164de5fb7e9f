// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes
import Synchronization

/// Listens to the position source for what Core Location does not tell while there is no fix: the satellites.
final class SkyTap: Sendable {
    private let feed: DashboardFeed
    private let clock: SessionClock
    private let subscription = Mutex<Subscription?>(nil)

    init(feed: DashboardFeed, clock: SessionClock) { (self.feed, self.clock) = (feed, clock) }

    func start(on device: Device) {
        let new = device.positionSource.subscribe(PositionRequest()) { [weak self] event in
            if case .sky(let sky) = event { self?.tell(sky) }
        }
        subscription.withLock { $0 = new }
    }

    func end() { subscription.withLock { $0.take() }?.cancel() }

    private func tell(_ sky: SkyReport) {
        // One of dilutions only says nothing of satellites, and would take them away.
        guard let satellites = sky.satellites else { return }
        let time = clock.seconds(sky.arrival)
        feed.tell(
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
    /// As in RINEX: the system's letter and the number in it; gpsd's own number where the receiver did not say.
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
