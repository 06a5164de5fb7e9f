import SimulatedDevice
import Testing

@testable import Trip

@Test func countsTheWay() throws {
    let device = SimulatedDevice(try TraceFile(path: "drive.trace"))
    device.use {
        let trip = Trip()
        trip.start()
        device.play()
        #expect(trip.losses == 0)
        #expect((340...370).contains(trip.distance))
    }
}
