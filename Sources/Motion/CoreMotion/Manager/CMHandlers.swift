// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Of the value and the error, one is nil.

/// Takes accelerometer readings, or the error that there are none for now.
public typealias CMAccelerometerHandler = (CMAccelerometerData?, (any Error)?) -> Void
/// Takes gyroscope readings, or the error that there are none for now.
public typealias CMGyroHandler = (CMGyroData?, (any Error)?) -> Void
/// Takes magnetometer readings, or the error that there are none for now.
public typealias CMMagnetometerHandler = (CMMagnetometerData?, (any Error)?) -> Void
/// Takes device motion, or the error that there is none.
public typealias CMDeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void
/// Takes relative altitudes, or the error that there are none for now.
public typealias CMAltitudeHandler = (CMAltitudeData?, (any Error)?) -> Void
/// Takes absolute altitudes, or the error that there are none for now.
public typealias CMAbsoluteAltitudeHandler = (CMAbsoluteAltitudeData?, (any Error)?) -> Void
/// Takes what a pedometer counted, or the error that it cannot.
public typealias CMPedometerHandler = (CMPedometerData?, (any Error)?) -> Void
/// Takes a pedometer's events, or the error that there are none.
public typealias CMPedometerEventHandler = (CMPedometerEvent?, (any Error)?) -> Void
/// Takes activities; nil says that there are none.
public typealias CMMotionActivityHandler = (CMMotionActivity?) -> Void
/// Takes past activities, or the error that there are none.
public typealias CMMotionActivityQueryHandler = ([CMMotionActivity]?, (any Error)?) -> Void
/// Takes a number of steps, or the error that they are not counted.
public typealias CMStepQueryHandler = (Int, (any Error)?) -> Void
/// Takes a number of steps and the time of the last, or the error that they are not counted.
public typealias CMStepUpdateHandler = (Int, Date, (any Error)?) -> Void
