// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Writes traces as files of other programs.
///
/// Each function reads the trace event by event and writes as it goes, so that memory stays small however long the trace
/// is. It returns remarks: what the format cannot hold and was therefore left out.
public enum TraceExport {}
