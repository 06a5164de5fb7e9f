// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// An acceleration along one axis in g (1 g is 9.80665 m/s²).
public typealias UIAccelerationValue = Double
