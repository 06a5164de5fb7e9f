// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import SimulatedDevice
import Testing

@Suite("Service and background sessions", .simulated)
struct SessionTests {
    @Test("A session requests authorization, which remains after the session ends")
    func asks() {
        #expect(LocationAuthorization.current.status == .notDetermined)
        let session = CLServiceSession(authorization: .whenInUse)
        #expect(LocationAuthorization.current.status == .authorizedWhenInUse)
        session.invalidate()
        #expect(LocationAuthorization.current.status == .authorizedWhenInUse)
    }

    @Test("A session without a requirement requests no authorization")
    func wantsNothing() {
        _ = CLServiceSession(authorization: .none)
        #expect(LocationAuthorization.current.status == .notDetermined)
    }

    @Test("Diagnostics begin with the current state, report changes and end with the session")
    func diagnoses() async throws {
        let session = CLServiceSession(authorization: .always)
        var diagnostics = session.diagnostics.makeAsyncIterator()
        let first = try await diagnostics.next()
        #expect(first?.authorizationDenied == false)
        #expect(first?.alwaysAuthorizationDenied == false)
        LocationAuthorization.current.status = .denied
        let second = try await diagnostics.next()
        #expect(second?.authorizationDenied == true)
        #expect(second?.alwaysAuthorizationDenied == true)
        session.invalidate()
        #expect(try await diagnostics.next() == nil)
    }

    @Test("A background session does not report insufficient use")
    func background() async throws {
        let session = CLBackgroundActivitySession()
        var diagnostics = session.diagnostics.makeAsyncIterator()
        #expect(try await diagnostics.next()?.insufficientlyInUse == false)
        session.invalidate()
    }
}
