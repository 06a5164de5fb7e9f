// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import SimulatedDevice
import Testing

@Suite("Sessions", .simulated)
struct SessionTests {
    @Test("A session asks for the authorization and leaves it when it ends")
    func asks() {
        #expect(LocationAuthorization.current.status == .notDetermined)
        let session = CLServiceSession(authorization: .whenInUse)
        #expect(LocationAuthorization.current.status == .authorizedWhenInUse)
        session.invalidate()
        #expect(LocationAuthorization.current.status == .authorizedWhenInUse)
    }

    @Test("A session that wants nothing asks for nothing")
    func wantsNothing() {
        _ = CLServiceSession(authorization: .none)
        #expect(LocationAuthorization.current.status == .notDetermined)
    }

    @Test("Diagnostics begin with the present state, tell changes, and end with the session")
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

    @Test("A background session is satisfied, and sees the authorization")
    func background() async throws {
        let session = CLBackgroundActivitySession()
        var diagnostics = session.diagnostics.makeAsyncIterator()
        #expect(try await diagnostics.next()?.insufficientlyInUse == false)
        session.invalidate()
    }
}
