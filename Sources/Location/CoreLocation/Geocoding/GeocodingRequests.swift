// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// Processes a geocoder's requests one at a time. Each request produces exactly one result, because the handler of an
/// accepted request is called only by the code that removes the request from `state`. No lock is held during the call.
final class GeocodingRequests: Sendable {
    enum Request: Sendable {
        case coordinate(CLLocation, locale: Locale?)
        case search(PlaceSearch)
    }

    typealias Outcome = Result<[CLPlacemark], CLError>

    /// A completion handler. The unchecked `Sendable` conformance is safe, because the handler is called only once.
    private struct Handler: @unchecked Sendable {
        let call: (Outcome) -> Void
    }

    private struct Pending {
        let number: Int
        let handler: Handler
        /// nil to call the handler directly, on the thread that completes the request.
        let executor: (any CallbackExecutor)?
        var task: Task<Void, Never>?
    }

    private let device: Device
    private let mainExecutor: any CallbackExecutor
    private let state = Mutex<(pending: Pending?, last: Int)>((nil, 0))

    init(device: Device) {
        self.device = device
        mainExecutor = ExecutorSelection.executor(for: DispatchQueue.main, device: device)
    }

    var isBusy: Bool { state.withLock { $0.pending != nil } }

    /// Starts a request and calls its handler on the main queue.
    func start(_ request: Request, handler: @escaping (Outcome) -> Void) {
        _ = begin(request, Handler(call: handler), mainExecutor)
    }

    nonisolated(nonsending) func perform(_ request: Request) async throws -> [CLPlacemark] {
        // If the task is cancelled before `begin` has returned, the cancellation handler does not yet know the
        // request's number. In that case, the continuation's closure cancels the request.
        let taskState = Mutex<(number: Int?, isCancelled: Bool)>((nil, false))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let number = begin(request, Handler { continuation.resume(with: $0) }, nil)
                let isCancelled = taskState.withLock { taskState in
                    taskState.number = number
                    return taskState.isCancelled
                }
                if isCancelled, let number { cancel(number) }
            }
        } onCancel: {
            let number = taskState.withLock { taskState in
                taskState.isCancelled = true
                return taskState.number
            }
            if let number { cancel(number) }
        }
    }

    /// Cancels the current request, which then fails with `geocodeCanceled`. If `number` is not nil, only a request
    /// with this number is cancelled.
    func cancel(_ number: Int? = nil) {
        let pending = state.withLock { state -> Pending? in
            guard number == nil || state.pending?.number == number else { return nil }
            return state.pending.take()
        }
        guard let pending else { return }
        pending.task?.cancel()
        complete(pending.handler, with: .failure(CLError(.geocodeCanceled)), on: pending.executor)
    }

    /// Starts a request and returns its number, or nil if another request is in progress.
    private func begin(_ request: Request, _ handler: Handler, _ executor: (any CallbackExecutor)?) -> Int? {
        let number = state.withLock { state -> Int? in
            guard state.pending == nil else { return nil }
            state.last += 1
            state.pending = Pending(number: state.last, handler: handler, executor: executor)
            return state.last
        }
        guard let number else {
            let error = CLError.withDescription(
                .geocodeCanceled,
                "The geocoder is still processing a request and accepts one at a time. Wait until the request completes, or use another geocoder."
            )
            complete(handler, with: .failure(error), on: executor)
            return nil
        }
        if let finder = PlaceFinderSetting.of(device).finder {
            let task = Task { self.finish(number, await self.answer(request, by: finder)) }
            let isFinished = state.withLock { state in
                if state.pending?.number == number { state.pending?.task = task }
                return state.pending?.number != number
            }
            // If `cancel()` ran before the task was stored, it had no task to cancel.
            if isFinished { task.cancel() }
        } else {
            finish(number, result(of: request))
        }
        return number
    }

    /// Schedules the handler of a request. `isBusy` remains true until the handler runs.
    private func finish(_ number: Int, _ answer: Outcome) {
        let callHandler: @Sendable () -> Void = { [self] in
            let pending = state.withLock { state in state.pending?.number == number ? state.pending.take() : nil }
            if let pending { device.withCurrent { pending.handler.call(answer) } }
        }
        // The outer optional is nil if the request has been cancelled.
        let executor = state.withLock { state -> (any CallbackExecutor)?? in
            state.pending?.number == number ? .some(state.pending?.executor) : nil
        }
        guard let executor else { return }
        if let executor { executor.schedule(callHandler) } else { callHandler() }
    }

    private func complete(_ handler: Handler, with answer: Outcome, on executor: (any CallbackExecutor)?) {
        let callHandler: @Sendable () -> Void = { [device] in device.withCurrent { handler.call(answer) } }
        if let executor { executor.schedule(callHandler) } else { callHandler() }
    }

    // MARK: Results

    private func result(of request: Request) -> Outcome {
        answer(request) { () throws in
            switch request {
            case .coordinate(let location, let locale):
                try OfflinePlaceFinder().places(at: location.coordinate, locale: locale)
            case .search(let search): try OfflinePlaceFinder().places(for: search)
            }
        }
    }

    private func answer(_ request: Request, by finder: any PlaceFinder) async -> Outcome {
        let found: Result<[PlaceDescription], any Error>
        do {
            try Self.validate(request)
            switch request {
            case .coordinate(let location, let locale):
                found = .success(try await finder.places(at: location.coordinate, locale: locale))
            case .search(let search): found = .success(try await finder.places(for: search))
            }
        } catch {
            found = .failure(error)
        }
        return answer(request) { try found.get() }
    }

    private func answer(_ request: Request, _ find: () throws -> [PlaceDescription]) -> Outcome {
        do {
            try Self.validate(request)
            let places = try find()
            guard !places.isEmpty else { return .failure(Self.noResultError(for: request)) }
            return .success(places.map { placemark($0, request) })
        } catch let error as CLError {
            return .failure(error)
        } catch is CancellationError {
            return .failure(CLError(.geocodeCanceled))
        } catch {
            return .failure(.withDescription(.network, "The place finder failed: \(error)", cause: error))
        }
    }

    private static func validate(_ request: Request) throws {
        guard case .coordinate(let location, _) = request else { return }
        let coordinate = location.coordinate
        guard !CLLocationCoordinate2DIsValid(coordinate) else { return }
        throw CLError.withDescription(
            .geocodeFoundNoResult,
            "Latitude \(coordinate.latitude), longitude \(coordinate.longitude) is not a valid coordinate. Latitudes range from -90 to 90 degrees, longitudes from -180 to 180."
        )
    }

    private static func noResultError(for request: Request) -> CLError {
        switch request {
        case .coordinate(let location, _):
            let coordinate = location.coordinate
            return .withDescription(
                .geocodeFoundNoResult,
                "No place is known at latitude \(coordinate.latitude), longitude \(coordinate.longitude).")
        case .search(let search):
            return .withDescription(.geocodeFoundNoResult, "No place named \"\(search.truncatedText)\" was found.")
        }
    }

    private func placemark(_ place: PlaceDescription, _ request: Request) -> CLPlacemark {
        var accuracy = place.radius
        if case .coordinate(let location, _) = request { accuracy = location.horizontalAccuracy }
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude), altitude: 0,
            horizontalAccuracy: accuracy, verticalAccuracy: -1,
            timestamp: Date(timeIntervalSince1970: device.clock.wallTime.seconds))
        return CLPlacemark(place, location: location)
    }
}

/// Stores the place finder for a device's geocoders. If the place finder is nil, the geocoders use the place data
/// linked into the app.
final class PlaceFinderSetting: Sendable {
    private let storedFinder = Mutex<(any PlaceFinder)?>(nil)

    static func of(_ device: Device) -> PlaceFinderSetting {
        device.component(PlaceFinderSetting.self) { _ in PlaceFinderSetting() }
    }

    var finder: (any PlaceFinder)? {
        get { storedFinder.withLock { $0 } }
        set {
            // Releases the previous finder outside the lock, because its deinitializer may access this property.
            let previous = storedFinder.withLock { exchange(&$0, with: newValue) }
            withExtendedLifetime(previous) {}
        }
    }
}
