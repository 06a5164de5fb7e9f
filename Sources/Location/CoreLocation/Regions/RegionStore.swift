// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import LiveDevice
import Synchronization

/// A region or condition in the file. The property names are the keys of the JSON format and must not change. New
/// properties must be optional, because existing files do not contain them.
struct StoredRegion: Codable, Sendable {
    var identifier: String
    var latitude: Double?
    var longitude: Double?
    /// The radius in metres.
    var radius: Double?
    var uuid: String?
    var major: UInt16?
    var minor: UInt16?
    var notifyOnEntry: Bool?
    var notifyOnExit: Bool?
    /// The raw value of the state that was last delivered to the app.
    var state: Int
    /// The time at which this state began, in seconds since 2001-01-01T00:00:00Z.
    var date: Double?

    init(identifier: String, shape: RegionShape, state: Int, date: Double?) {
        (self.identifier, self.state, self.date) = (identifier, state, date)
        switch shape {
        case .circle(let circle):
            (latitude, longitude, radius) = (circle.center.latitude, circle.center.longitude, circle.radius)
        case .beacons(let pattern):
            (uuid, major, minor) = (pattern.uuid.description, pattern.major, pattern.minor)
        }
    }

    /// The stored shape, not validated, or nil if none is stored.
    var shape: RegionShape? {
        if let latitude, let longitude, let radius {
            return .circle(.init(center: .init(latitude: latitude, longitude: longitude), radius: radius))
        }
        return uuid.flatMap { BeaconUUID($0) }.map { .beacons(BeaconPattern(uuid: $0, major: major, minor: minor)) }
    }
}

extension StoredRegion {
    init(_ region: CLRegion, state: CLRegionState, date: Double?) {
        // A monitored region always has a shape, so the fallback is never used.
        let shape = RegionShape(region) ?? .circle(.init(center: CLLocationCoordinate2D(), radius: 0))
        self.init(identifier: region.identifier, shape: shape, state: state.rawValue, date: date)
        (notifyOnEntry, notifyOnExit) = (region.notifyOnEntry, region.notifyOnExit)
    }

    var region: CLRegion? {
        let region: CLRegion
        switch shape {
        case .circle(let circle)?:
            region = CLCircularRegion(center: circle.center, radius: circle.radius, identifier: identifier)
        case .beacons(let pattern)?:
            region = CLBeaconRegion(beaconIdentityConstraint: .init(pattern), identifier: identifier)
        case nil: return nil
        }
        region.notifyOnEntry = notifyOnEntry ?? true
        region.notifyOnExit = notifyOnExit ?? true
        return region
    }
}

/// The file that stores the regions and conditions of a live device. Each app and user has a separate file. If the file
/// is incomplete or invalid, the store logs a warning and starts empty. Safe to use from any thread.
final class RegionStore: Sendable {
    enum Owner {
        case managers
        case monitor(String)
    }

    private struct Contents: Codable, Sendable {
        var format = RegionStore.format
        var version = 1
        var managers: [StoredRegion] = []
        var monitors: [String: [StoredRegion]] = [:]
    }

    private struct State {
        var contents = Contents()
        var isLoaded = false
        var isDirty = false
        var isScheduled = false
    }

    private static let format = "device-services-regions"

    private let file: StateFile?
    private let state = Mutex(State())
    /// Held while the file is being written, so that older contents never replace newer ones. Locked before `state`.
    private let writing = Mutex(())

    static func of(_ device: Device) -> RegionStore {
        device.component(RegionStore.self) { device in
            // Only the live device has a file, because trace playback must not depend on earlier runs of the app.
            RegionStore(
                device.isSimulated || device !== LiveDevice.shared
                    ? nil : StateFile.forCurrentProgram(purpose: "regions"))
        }
    }

    init(_ file: StateFile?) { self.file = file }

    var isUnavailable: Bool { file.map(\.hasWriteFailed) ?? false }

    func load(_ owner: Owner) -> [StoredRegion] {
        loadIfNeeded()
        return state.withLock { state in
            switch owner {
            case .managers: state.contents.managers
            case .monitor(let name): state.contents.monitors[name] ?? []
            }
        }
    }

    func replace(_ owner: Owner, with regions: [StoredRegion]) {
        guard file != nil else { return }
        loadIfNeeded()
        state.withLock { state in
            state.isDirty = true
            switch owner {
            case .managers: state.contents.managers = regions
            case .monitor(let name): state.contents.monitors[name] = regions.isEmpty ? nil : regions
            }
        }
    }

    /// Writes changes to the file, either immediately or after a short delay. The delay combines several changes into
    /// one write.
    func save(atOnce: Bool) {
        guard file != nil else { return }
        if atOnce { return write() }
        let isScheduled = state.withLock { state in
            defer { state.isScheduled = true }
            return state.isScheduled
        }
        if isScheduled { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 0.05) { self.write() }
    }

    private func write() {
        let error = writing.withLock { _ -> DeviceError? in
            let contents = state.withLock { state -> Contents? in
                state.isScheduled = false
                defer { state.isDirty = false }
                return state.isDirty ? state.contents : nil
            }
            guard let file, let contents else { return nil }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            // All numbers are finite, because shapes are validated before they are stored.
            guard let data = try? encoder.encode(contents) else { return nil }
            return file.write(Array(data))
        }
        if let error { file?.report(error) }
    }

    /// Reads the file on the first call. Does not hold the lock while reading, because problems are passed to the app's
    /// log handler, which may access regions.
    private func loadIfNeeded() {
        guard let file, !state.withLock(\.isLoaded) else { return }
        let (contents, problem) = file.read().map(Self.contents) ?? (nil, nil)
        let isFirst = state.withLock { state in
            guard !state.isLoaded else { return false }
            state.isLoaded = true
            if let contents { state.contents = contents }
            return true
        }
        if isFirst, let problem { file.reportUnusable(reason: problem) }
    }

    private static func contents(_ bytes: [UInt8]) -> (Contents?, problem: String?) {
        guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)) else {
            return (nil, "it is truncated or damaged")
        }
        guard contents.format == format, contents.version == 1 else {
            return (nil, "it has an unknown format or version")
        }
        return (contents, nil)
    }
}
