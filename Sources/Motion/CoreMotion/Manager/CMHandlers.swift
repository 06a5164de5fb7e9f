// SPDX-License-Identifier: Apache-2.0

public import Foundation

// If a handler takes an optional value and an optional error, exactly one of the two is nil.

/// The handler for accelerometer updates, which receives a reading or an error.
public typealias CMAccelerometerHandler = (CMAccelerometerData?, (any Error)?) -> Void
/// The handler for gyroscope updates, which receives a reading or an error.
public typealias CMGyroHandler = (CMGyroData?, (any Error)?) -> Void
/// The handler for magnetometer updates, which receives a reading or an error.
public typealias CMMagnetometerHandler = (CMMagnetometerData?, (any Error)?) -> Void
/// The handler for device motion updates, which receives device motion or an error.
public typealias CMDeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void
/// The handler for relative altitude updates, which receives an altitude or an error.
public typealias CMAltitudeHandler = (CMAltitudeData?, (any Error)?) -> Void
/// The handler for absolute altitude updates, which receives an altitude or an error.
public typealias CMAbsoluteAltitudeHandler = (CMAbsoluteAltitudeData?, (any Error)?) -> Void
/// The handler for pedometer updates and queries, which receives the counts or an error.
public typealias CMPedometerHandler = (CMPedometerData?, (any Error)?) -> Void
/// The handler for pedometer events, which receives an event or an error.
public typealias CMPedometerEventHandler = (CMPedometerEvent?, (any Error)?) -> Void
/// The handler for activity updates, which receives an activity, or nil if activities cannot be detected.
public typealias CMMotionActivityHandler = (CMMotionActivity?) -> Void
/// The handler for activity queries, which receives past activities or an error.
public typealias CMMotionActivityQueryHandler = ([CMMotionActivity]?, (any Error)?) -> Void
/// The handler for step queries, which receives the number of steps, or 0 and an error.
public typealias CMStepQueryHandler = (Int, (any Error)?) -> Void
/// The handler for step updates, which receives the number of steps and the time of the last step. If steps cannot be
/// counted, it receives 0, the time when updates started, and an error.
public typealias CMStepUpdateHandler = (Int, Date, (any Error)?) -> Void
