// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Handlers with an optional value and an error receive either a value or an error; the other argument is nil.

/// The handler of accelerometer updates. Receives a reading, or an error if none can be delivered.
public typealias CMAccelerometerHandler = (CMAccelerometerData?, (any Error)?) -> Void
/// The handler of gyroscope updates. Receives a reading, or an error if none can be delivered.
public typealias CMGyroHandler = (CMGyroData?, (any Error)?) -> Void
/// The handler of magnetometer updates. Receives a reading, or an error if none can be delivered.
public typealias CMMagnetometerHandler = (CMMagnetometerData?, (any Error)?) -> Void
/// The handler of device motion updates. Receives a device motion, or an error if none can be delivered.
public typealias CMDeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void
/// The handler of relative altitude updates. Receives an altitude, or an error if none can be delivered.
public typealias CMAltitudeHandler = (CMAltitudeData?, (any Error)?) -> Void
/// The handler of absolute altitude updates. Receives an altitude, or an error if none can be delivered.
public typealias CMAbsoluteAltitudeHandler = (CMAbsoluteAltitudeData?, (any Error)?) -> Void
/// The handler of pedometer updates and queries. Receives the counts, or an error if steps cannot be counted.
public typealias CMPedometerHandler = (CMPedometerData?, (any Error)?) -> Void
/// The handler of pedometer events. Receives an event, or an error if events cannot be detected.
public typealias CMPedometerEventHandler = (CMPedometerEvent?, (any Error)?) -> Void
/// The handler of activity updates. Receives an activity, or nil if activities cannot be detected.
public typealias CMMotionActivityHandler = (CMMotionActivity?) -> Void
/// The handler of activity queries. Receives past activities, or an error if they cannot be determined.
public typealias CMMotionActivityQueryHandler = ([CMMotionActivity]?, (any Error)?) -> Void
/// The handler of step queries. Receives the number of steps, or 0 and an error if steps cannot be counted.
public typealias CMStepQueryHandler = (Int, (any Error)?) -> Void
/// The handler of step updates. Receives the number of steps and the time of the last step. If steps cannot be counted,
/// receives 0, the time at which updates were started, and an error.
public typealias CMStepUpdateHandler = (Int, Date, (any Error)?) -> Void
