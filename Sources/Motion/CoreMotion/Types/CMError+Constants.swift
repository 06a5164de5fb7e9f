// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// Global constants, as Swift sees them on Apple's platforms.

/// No error. 100.
public let CMErrorNULL = CMError(100)

/// The device has to be moved so that its sensors can be calibrated. 101.
public let CMErrorDeviceRequiresMovement = CMError(101)

/// True north is not known, since the position is not. 102.
public let CMErrorTrueNorthNotAvailable = CMError(102)

/// Something unknown went wrong. 103.
public let CMErrorUnknown = CMError(103)

/// This device does not tell activities or steps. 104.
public let CMErrorMotionActivityNotAvailable = CMError(104)

/// The program may not use activities. 105.
public let CMErrorMotionActivityNotAuthorized = CMError(105)

/// The program has no entitlement to activities. 106.
public let CMErrorMotionActivityNotEntitled = CMError(106)

/// An argument cannot be used. 107.
public let CMErrorInvalidParameter = CMError(107)

/// What was asked for cannot be done now. 108.
public let CMErrorInvalidAction = CMError(108)

/// The sensor or service is not there, or gives nothing for now. 109.
public let CMErrorNotAvailable = CMError(109)

/// The program has no entitlement. 110.
public let CMErrorNotEntitled = CMError(110)

/// The system does not let the program use the sensor. 111.
public let CMErrorNotAuthorized = CMError(111)

/// There is no value. 112.
public let CMErrorNilData = CMError(112)

/// A size cannot be used. 113.
public let CMErrorSize = CMError(113)
