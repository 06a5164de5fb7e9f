import SimulatedDevice
import Testing

@testable import Trip

@Test func countsTheWay() throws {
    let device = SimulatedDevice(try TraceFile(path: "drive.trace"))
    try device.use {
        let trip = Trip()
        trip.start()
        try device.play()
        #expect(trip.losses == 0)
        #expect((340...370).contains(trip.distance))
    }
}
