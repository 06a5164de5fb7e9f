// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// The requests of a geocoder: one at a time, each with exactly one result.
final class GeocodingRequests: Sendable {
    /// A geocoding request.
    enum Question: Sendable {
        case place(CLLocation, locale: Locale?)
        case search(PlaceSearch)
    }

    typealias Answer = Result<[CLPlacemark], CLError>

    /// A completion handler. Unchecked because it is called only once, in the app's callback context.
    private struct Handler: @unchecked Sendable {
        let call: (Answer) -> Void
    }

    private struct Pending {
        let number: Int
        let handler: Handler
        let delivery: (any Delivery)?
        var task: Task<Void, Never>?
    }

    private let device: Device
    private let delivery: any Delivery
    private let state = Mutex<(pending: Pending?, last: Int)>((nil, 0))

    init(device: Device) {
        self.device = device
        delivery = AppDelivery.on(DispatchQueue.main, device: device)
    }

    var isBusy: Bool { state.withLock { $0.pending != nil } }

    /// Starts a request whose handler is called on the main queue.
    func ask(_ question: Question, handler: @escaping (Answer) -> Void) {
        _ = begin(question, Handler(call: handler), delivery)
    }

    /// Performs a request and returns its result to the caller.
    nonisolated(nonsending) func ask(_ question: Question) async throws -> [CLPlacemark] {
        // Whichever of the two runs second cancels the request: the cancellation handler needs the number, and the
        // operation checks whether the task was cancelled before the number was known.
        let asked = Mutex<(number: Int?, isCancelled: Bool)>((nil, false))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let number = begin(question, Handler { continuation.resume(with: $0) }, nil)
                let isCancelled = asked.withLock { asked in
                    asked.number = number
                    return asked.isCancelled
                }
                if isCancelled, let number { cancel(number) }
            }
        } onCancel: {
            let number = asked.withLock { asked in
                asked.isCancelled = true
                return asked.number
            }
            if let number { cancel(number) }
        }
    }

    /// Cancels the request in progress, or only the one with the number. The request fails with `geocodeCanceled`.
    func cancel(_ number: Int? = nil) {
        let pending = state.withLock { state -> Pending? in
            guard number == nil || state.pending?.number == number else { return nil }
            return state.pending.take()
        }
        guard let pending else { return }
        pending.task?.cancel()
        tell(pending.handler, .failure(CLError(.geocodeCanceled)), pending.delivery)
    }

    /// Starts a request. Returns its number; nil if the request failed immediately.
    private func begin(_ question: Question, _ handler: Handler, _ delivery: (any Delivery)?) -> Int? {
        let number = state.withLock { state -> Int? in
            guard state.pending == nil else { return nil }
            state.last += 1
            state.pending = Pending(number: state.last, handler: handler, delivery: delivery)
            return state.last
        }
        guard let number else {
            let error = CLError.telling(
                .geocodeCanceled,
                "The geocoder is still processing a request and accepts one at a time. Wait until the request completes, or use another geocoder."
            )
            tell(handler, .failure(error), delivery)
            return nil
        }
        if let finder = PlaceFinding.of(device).finder {
            let task = Task { self.finish(number, await self.answer(question, by: finder)) }
            let isOver = state.withLock { state in
                if state.pending?.number == number { state.pending?.task = task }
                return state.pending?.number != number
            }
            if isOver { task.cancel() }
        } else {
            finish(number, answer(question))
        }
        return number
    }

    /// Schedules the handler of a request. The request stays pending until its handler is called, so that `isGeocoding`
    /// is true until then.
    private func finish(_ number: Int, _ answer: Answer) {
        let conclude: @Sendable () -> Void = { [self] in
            let pending = state.withLock { state in
                state.pending?.number == number ? state.pending.take() : nil
            }
            if let pending { device.bind { pending.handler.call(answer) } }
        }
        let place = state.withLock { state -> (any Delivery)?? in
            state.pending?.number == number ? .some(state.pending?.delivery) : nil
        }
        guard let place else { return }
        if let place { place.schedule(conclude) } else { conclude() }
    }

    private func tell(_ handler: Handler, _ answer: Answer, _ delivery: (any Delivery)?) {
        let conclude: @Sendable () -> Void = { [device] in device.bind { handler.call(answer) } }
        if let delivery { delivery.schedule(conclude) } else { conclude() }
    }

    // MARK: Results

    private func answer(_ question: Question) -> Answer {
        answer(question) { () throws in
            switch question {
            case .place(let location, let locale):
                try OfflinePlaceFinder().places(at: location.coordinate, locale: locale)
            case .search(let search): try OfflinePlaceFinder().places(for: search)
            }
        }
    }

    private func answer(_ question: Question, by finder: any PlaceFinder) async -> Answer {
        let found: Result<[PlaceDescription], any Error>
        do {
            try Self.check(question)
            switch question {
            case .place(let location, let locale):
                found = .success(try await finder.places(at: location.coordinate, locale: locale))
            case .search(let search): found = .success(try await finder.places(for: search))
            }
        } catch {
            found = .failure(error)
        }
        return answer(question) { try found.get() }
    }

    private func answer(_ question: Question, _ find: () throws -> [PlaceDescription]) -> Answer {
        do {
            try Self.check(question)
            let places = try find()
            guard !places.isEmpty else { return .failure(Self.nothing(question)) }
            return .success(places.map { placemark($0, question) })
        } catch let error as CLError {
            return .failure(error)
        } catch is CancellationError {
            return .failure(CLError(.geocodeCanceled))
        } catch {
            return .failure(.telling(.network, "The place finder failed: \(error)", cause: error))
        }
    }

    private static func check(_ question: Question) throws {
        guard case .place(let location, _) = question, !CLLocationCoordinate2DIsValid(location.coordinate) else {
            return
        }
        let coordinate = location.coordinate
        throw CLError.telling(
            .geocodeFoundNoResult,
            "Latitude \(coordinate.latitude), longitude \(coordinate.longitude) is not a valid coordinate. Latitudes range from -90 to 90 degrees, longitudes from -180 to 180."
        )
    }

    private static func nothing(_ question: Question) -> CLError {
        switch question {
        case .place(let location, _):
            let coordinate = location.coordinate
            return .telling(
                .geocodeFoundNoResult,
                "No place is known at latitude \(coordinate.latitude), longitude \(coordinate.longitude).")
        case .search(let search):
            return .telling(.geocodeFoundNoResult, "No place named \"\(search.shownText)\" was found.")
        }
    }

    private func placemark(_ place: PlaceDescription, _ question: Question) -> CLPlacemark {
        var accuracy = place.radius
        if case .place(let location, _) = question { accuracy = location.horizontalAccuracy }
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude), altitude: 0,
            horizontalAccuracy: accuracy, verticalAccuracy: -1,
            timestamp: Date(timeIntervalSince1970: device.clock.wallTime.seconds))
        return CLPlacemark(place, location: location)
    }
}

/// The place finder of a device's geocoders; nil for the data that is linked into the app.
final class PlaceFinding: Sendable {
    private let chosen = Mutex<(any PlaceFinder)?>(nil)

    static func of(_ device: Device) -> PlaceFinding {
        device.component(PlaceFinding.self) { _ in PlaceFinding() }
    }

    var finder: (any PlaceFinder)? {
        get { chosen.withLock { $0 } }
        set {
            let former = chosen.withLock { exchange(&$0, with: newValue) }
            withExtendedLifetime(former) {}
        }
    }
}
