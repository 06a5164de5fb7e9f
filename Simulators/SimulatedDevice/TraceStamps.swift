// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What becomes of the times in a trace.
public enum TraceStamps: Sendable {
    /// They stay as they were recorded: the device's clock shows the time of the recording.
    case kept
    /// They are moved, all by the same amount, so that the trace starts at that time.
    case rebased(to: WallTime)
}
