// SPDX-License-Identifier: Apache-2.0

// The parts of libgps that Swift needs: its JSON parser, with results in structs whose layout is defined here.
//
// The structs in gps.h change between releases (three layouts are named API 14), and contain an anonymous union and
// arrays of thousands of bytes. This header is compiled against the installed gps.h, so the compiler knows the layout.
// All functions are `static inline`, because a system library target compiles no source files. Supports gpsd 3.20 (API
// 9.0) to 3.27 (API 16).
//
// A parser can be used by one thread at a time. Parsers are independent. No socket is opened here.

#ifndef DSGPS_SHIM_H
#define DSGPS_SHIM_H

#include <gps.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(GPSD_API_MAJOR_VERSION) || GPSD_API_MAJOR_VERSION < 9
#error "libgps is too old: gpsd 3.20 (API 9) or newer is needed. Install a newer libgps-dev or turn off the trait LibGPS."
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The results of dsgps_parse(). Positive: a report of this class was decoded.
#define DSGPS_NONE 0        // libgps did not parse the complete line; the accessors return false
#define DSGPS_TPV 1
#define DSGPS_SKY 2
#define DSGPS_ATT 3
#define DSGPS_GST 4
#define DSGPS_UNFIT (-1)    // longer than the line buffer, or contains a NUL
#define DSGPS_REFUSED (-2)  // not passed to libgps: another class, or a form that libgps parses incorrectly

// One more than the length of the longest line. gpsd's own limit for a response is 10,240 bytes, but its longest SKY
// exceeds that.
#define DSGPS_LINE_CAPACITY 16384

// Never defined, so that Swift imports an OpaquePointer instead of a struct of 40 KB.
typedef struct dsgps_parser dsgps_parser;

// Units are those of gpsd's JSON: degrees, metres, m/s, seconds. NaN: absent.
typedef struct dsgps_tpv {
    int64_t time_seconds;      // since 1970 UTC; 0 unless has_time
    int32_t time_nanoseconds;
    int32_t mode;              // 0 not seen, 1 no fix, 2 2D, 3 3D
    int32_t status;            // 0 absent, 1 GPS, 2 DGPS, 3 RTK fixed, 4 RTK float, 5 dead reckoning,
                               // 6 GNSS and dead reckoning, 7 surveyed in, 8 simulated, 9 P(Y)
    int32_t leap_seconds;      // 0: absent, or API 9.0
    int32_t dgps_station;      // -1: absent
    bool has_time;
    double ept;
    double latitude, longitude;
    double altitude_hae, altitude_msl, altitude;  // above the ellipsoid; above mean sea level; gpsd's deprecated "alt"
    double epx, epy, epv;
    double track, magnetic_track, magnetic_variation;
    double speed, climb;
    double epd, eps, epc;
    double geoid_separation;
    double eph, sep;
    double velocity_north, velocity_east, velocity_down;  // always NaN before API 12, which stores them elsewhere
    double depth;
    double dgps_age;           // as sent
} dsgps_tpv;

typedef struct dsgps_sky {
    int64_t time_seconds;
    int32_t time_nanoseconds;
    int32_t satellites_visible;  // number of entries for dsgps_get_satellite(); 0 unless has_satellites
    int32_t satellites_used;
    bool has_time;
    bool has_satellites;         // false: the line contains DOPs only, and no information about satellites
    double xdop, ydop, pdop, hdop, vdop, tdop, gdop;
} dsgps_sky;

typedef struct dsgps_satellite {
    double elevation, azimuth;  // degrees
    double ss;                  // dB-Hz
    int32_t prn;                // 0: absent
    int32_t gnssid;             // 0 GPS, 1 SBAS, 2 Galileo, 3 BeiDou, 4 IMES, 5 QZSS, 6 GLONASS, 7 NavIC; see svid
    int32_t svid;               // 0: absent, and gnssid and sigid are invalid
    int32_t sigid;
    int32_t freqid;             // GLONASS; -1: absent
    int32_t health;             // 0 unknown, 1 healthy, 2 unhealthy
    bool used;
} dsgps_satellite;

typedef struct dsgps_attitude {
    int64_t time_seconds;
    int32_t time_nanoseconds;
    bool has_time;
    double heading, magnetic_heading;  // degrees, not range-checked; magnetic_heading from API 14
    double pitch, yaw, roll, dip;
    double mag_len, mag_x, mag_y, mag_z;
    double acc_len, acc_x, acc_y, acc_z;
    double gyro_x, gyro_y, gyro_z;     // gyro_z from API 12
    double temp, depth;
} dsgps_attitude;

typedef struct dsgps_gst {
    int64_t time_seconds;
    int32_t time_nanoseconds;
    bool has_time;
    double rms, major, minor, orientation, latitude, longitude, altitude;
} dsgps_gst;

// Internal. These become the last key of a TPV or ATT. libgps does not report that it stopped parsing in the middle of
// a line: the keys before are stored, the others appear to be absent. The stored value proves that it reached the end.
// The fields are not passed on.
#define DSGPS_TPV_END_ ",\"ecefx\":0.5}"
#define DSGPS_ATT_END_ ",\"mag_st\":\"~\"}"

// Internal. The memory of a dsgps_parser.
struct dsgps_parser_storage_ {
    struct gps_data_t data;
    int kind;
    bool reads_tpv_end, reads_att_end;  // whether this libgps supports these keys, determined by a test
    bool has_satellites;
    char line[DSGPS_LINE_CAPACITY + 32];  // with a terminating key
};

static inline struct dsgps_parser_storage_ *dsgps_storage_(dsgps_parser *parser) {
    return (struct dsgps_parser_storage_ *)(void *)parser;
}

static inline const struct dsgps_parser_storage_ *dsgps_const_storage_(const dsgps_parser *parser) {
    return (const struct dsgps_parser_storage_ *)(const void *)parser;
}

// Internal. Parses an object with libgps, with `end` instead of its closing brace.
static inline void dsgps_unpack_(
    struct dsgps_parser_storage_ *storage, const char *line, size_t length, const char *end
) {
    struct gps_data_t *const data = &storage->data;
    memcpy(storage->line, line, length);
    memcpy(storage->line + length - 1, end, strlen(end) + 1);
    data->set = 0;
    data->dev.path[0] = '\0';
    data->fix.ecef.x = 0;
    data->attitude.mag_st = '\0';
    data->satellites_visible = 0;
    data->satellites_used = 0;
    (void)gps_unpack(storage->line, data);  // always returns 0, up to 3.27
}

// Returns NULL if there is no memory.
static inline dsgps_parser *dsgps_parser_create(void) {
    static const char tpv[] = "{\"class\":\"TPV\",\"mode\":1}";
    static const char att[] = "{\"class\":\"ATT\",\"heading\":1}";
    struct dsgps_parser_storage_ *const storage
        = (struct dsgps_parser_storage_ *)calloc(1, sizeof(struct dsgps_parser_storage_));
    if (storage == NULL) {
        return NULL;
    }
    dsgps_unpack_(storage, tpv, sizeof tpv - 1, DSGPS_TPV_END_);
    storage->reads_tpv_end = storage->data.fix.ecef.x == 0.5;
    dsgps_unpack_(storage, att, sizeof att - 1, DSGPS_ATT_END_);
    storage->reads_att_end = storage->data.attitude.mag_st == '~';
    return (dsgps_parser *)(void *)storage;
}

static inline void dsgps_parser_destroy(dsgps_parser *parser) {
    free((void *)parser);
}

// Internal. The class is read from the line instead of libgps, because its `set` mask is unchanged by lines that it
// does not support, and it searches for the first `"class":` anywhere, including string values. gpsd always writes the
// class first.
static inline int dsgps_class_(const char *line, size_t length) {
    static const char prefix[] = "{\"class\":\"";
    const size_t start = sizeof prefix - 1;
    if (length < start + 5 || memcmp(line, prefix, start) != 0 || line[start + 3] != '"') {
        return DSGPS_NONE;
    }
    if (line[start + 4] != ',' && line[start + 4] != '}') {
        return DSGPS_NONE;
    }
    if (memcmp(line + start, "TPV", 3) == 0) {
        return DSGPS_TPV;
    }
    if (memcmp(line + start, "SKY", 3) == 0) {
        return DSGPS_SKY;
    }
    if (memcmp(line + start, "ATT", 3) == 0) {
        return DSGPS_ATT;
    }
    if (memcmp(line + start, "GST", 3) == 0) {
        return DSGPS_GST;
    }
    return DSGPS_NONE;
}

// Internal. Returns whether `line` is exactly one object that is not nested deeper than its class. After an error,
// libgps restarts parsing with the text after an object or at a satellite (and a class found there can make it hang),
// and it drops all keys after a nested value that it does not support, so a position could be incomplete.
static inline bool dsgps_is_one_object_(
    const char *line, size_t length, int deepest, bool *has_array, int *satellites
) {
    static const char class_key[] = "\"class\":";
    static const char array_key[] = "\"satellites\":";
    int depth = 0;
    bool in_string = false;
    *has_array = false;
    *satellites = 0;
    for (size_t i = 0; i < length; i++) {
        const char c = line[i];
        if (in_string) {
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                in_string = false;
            }
            continue;
        }
        switch (c) {
        case '"':
            if (i > 1 && length - i >= sizeof class_key - 1 && memcmp(line + i, class_key, sizeof class_key - 1) == 0) {
                return false;
            }
            in_string = true;
            break;
        case '[':
            if (*has_array || depth != 1 || i < sizeof array_key - 1
                || memcmp(line + i - (sizeof array_key - 1), array_key, sizeof array_key - 1) != 0) {
                return false;
            }
            *has_array = true;
            depth++;
            break;
        case '{':
            if (depth == 1) {
                return false;  // a SKY contains objects only in its array
            }
            if (depth == 2) {
                (*satellites)++;
            }
            depth++;
            break;
        case ']':
        case '}':
            depth--;
            if (depth == 0) {
                return c == '}' && i + 1 == length;
            }
            break;
        default:
            break;
        }
        if (depth < 1 || depth > deepest) {
            return false;
        }
    }
    return false;
}

// Decodes one line, with or without its line end. The previous result is invalidated in any case.
static inline int dsgps_parse(dsgps_parser *parser, const char *line, size_t length) {
    struct dsgps_parser_storage_ *const storage = dsgps_storage_(parser);
    storage->kind = DSGPS_NONE;
    storage->has_satellites = false;
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
        length--;
    }
    if (length >= DSGPS_LINE_CAPACITY || (length > 0 && memchr(line, 0, length) != NULL)) {
        return DSGPS_UNFIT;
    }
    const int kind = dsgps_class_(line, length);
    bool has_array = false;
    int satellites = 0;
    if (kind == DSGPS_NONE || !dsgps_is_one_object_(line, length, kind == DSGPS_SKY ? 3 : 1, &has_array, &satellites)) {
        return DSGPS_REFUSED;
    }
    const struct gps_data_t *const data = &storage->data;
    bool complete = false;
    switch (kind) {
    case DSGPS_TPV:
        dsgps_unpack_(storage, line, length, storage->reads_tpv_end ? DSGPS_TPV_END_ : "}");
        complete = storage->reads_tpv_end ? data->fix.ecef.x == 0.5 : (data->set & STATUS_SET) != 0;
        break;
    case DSGPS_SKY: {
        // From 3.24, satellites are valid only if nSat contains their number. Earlier servers do not send it.
        char end[32] = "}";
        if (has_array) {
            (void)snprintf(end, sizeof end, ",\"nSat\":%d}", satellites);
        }
        dsgps_unpack_(storage, line, length, end);
        // The bit is not set if libgps stopped parsing. From 3.24, a line without satellites does not set it either.
        complete = !has_array || ((data->set & SATELLITE_SET) != 0 && data->satellites_visible == satellites);
        break;
    }
    case DSGPS_ATT:
        dsgps_unpack_(storage, line, length, storage->reads_att_end ? DSGPS_ATT_END_ : "}");
        complete = (data->set & ATTITUDE_SET) != 0 && (!storage->reads_att_end || data->attitude.mag_st == '~');
        break;
    default:
        dsgps_unpack_(storage, line, length, "}");
        complete = (data->set & GST_SET) != 0;
        break;
    }
    if (!complete) {
        return DSGPS_NONE;
    }
    storage->kind = kind;
    storage->has_satellites = kind == DSGPS_SKY && has_array;
    return kind;
}

static inline void dsgps_split_time_(const struct timespec *time, int64_t *seconds, int32_t *nanoseconds, bool *has) {
    const bool valid = time->tv_nsec >= 0 && time->tv_nsec < 1000000000L && (time->tv_sec != 0 || time->tv_nsec != 0);
    *has = valid;
    *seconds = valid ? (int64_t)time->tv_sec : 0;
    *nanoseconds = valid ? (int32_t)time->tv_nsec : 0;
}

// Returns the path of the device in the last decoded line, "" if it contains none. Valid until the next dsgps_parse().
static inline const char *dsgps_device(const dsgps_parser *parser) {
    return dsgps_const_storage_(parser)->data.dev.path;
}

// The accessors return false and do not change `out` unless the last dsgps_parse() returned their class.

static inline bool dsgps_get_tpv(const dsgps_parser *parser, dsgps_tpv *out) {
    const struct dsgps_parser_storage_ *const storage = dsgps_const_storage_(parser);
    if (storage->kind != DSGPS_TPV) {
        return false;
    }
    const struct gps_data_t *const data = &storage->data;
    const struct gps_fix_t *const fix = &data->fix;
    dsgps_split_time_(&fix->time, &out->time_seconds, &out->time_nanoseconds, &out->has_time);
    out->mode = fix->mode;
    // The names of these constants changed in 3.23 without a new API version. Their values did not.
#if GPSD_API_MAJOR_VERSION >= 10
    out->status = fix->status;
#else
    out->status = data->status;
#endif
#if GPSD_API_MAJOR_VERSION > 9 || GPSD_API_MINOR_VERSION >= 1
    out->leap_seconds = data->leap_seconds;
#else
    out->leap_seconds = 0;
#endif
    out->dgps_station = fix->dgps_station;
    out->ept = fix->ept;
    out->latitude = fix->latitude;
    out->longitude = fix->longitude;
    out->altitude_hae = fix->altHAE;
    out->altitude_msl = fix->altMSL;
    out->altitude = fix->altitude;
    out->epx = fix->epx;
    out->epy = fix->epy;
    out->epv = fix->epv;
    out->track = fix->track;
    out->magnetic_track = fix->magnetic_track;
    out->magnetic_variation = fix->magnetic_var;
    out->speed = fix->speed;
    out->climb = fix->climb;
    out->epd = fix->epd;
    out->eps = fix->eps;
    out->epc = fix->epc;
    out->geoid_separation = fix->geoid_sep;
    out->eph = fix->eph;
    out->sep = fix->sep;
#if GPSD_API_MAJOR_VERSION >= 12
    out->velocity_north = fix->NED.velN;
    out->velocity_east = fix->NED.velE;
    out->velocity_down = fix->NED.velD;
#else
    out->velocity_north = (double)NAN;
    out->velocity_east = (double)NAN;
    out->velocity_down = (double)NAN;
#endif
    out->depth = fix->depth;
    out->dgps_age = fix->dgps_age;
    return true;
}

static inline bool dsgps_get_sky(const dsgps_parser *parser, dsgps_sky *out) {
    const struct dsgps_parser_storage_ *const storage = dsgps_const_storage_(parser);
    if (storage->kind != DSGPS_SKY) {
        return false;
    }
    const struct gps_data_t *const data = &storage->data;
    dsgps_split_time_(&data->skyview_time, &out->time_seconds, &out->time_nanoseconds, &out->has_time);
    out->has_satellites = storage->has_satellites;
    int visible = storage->has_satellites ? data->satellites_visible : 0;
    visible = visible < 0 ? 0 : visible > MAXCHANNELS ? MAXCHANNELS : visible;
    out->satellites_visible = visible;
    out->satellites_used = storage->has_satellites ? data->satellites_used : 0;
    out->xdop = data->dop.xdop;
    out->ydop = data->dop.ydop;
    out->pdop = data->dop.pdop;
    out->hdop = data->dop.hdop;
    out->vdop = data->dop.vdop;
    out->tdop = data->dop.tdop;
    out->gdop = data->dop.gdop;
    return true;
}

static inline bool dsgps_get_satellite(const dsgps_parser *parser, int32_t index, dsgps_satellite *out) {
    const struct dsgps_parser_storage_ *const storage = dsgps_const_storage_(parser);
    if (storage->kind != DSGPS_SKY || !storage->has_satellites) {
        return false;
    }
    if (index < 0 || index >= storage->data.satellites_visible || index >= MAXCHANNELS) {
        return false;
    }
    const struct satellite_t *const satellite = &storage->data.skyview[index];
    out->elevation = satellite->elevation;
    out->azimuth = satellite->azimuth;
    out->ss = satellite->ss;
    out->prn = satellite->PRN;
    out->gnssid = satellite->gnssid;
    out->svid = satellite->svid;
    out->sigid = satellite->sigid;
    out->freqid = satellite->freqid;
    out->health = satellite->health;
    out->used = satellite->used;
    return true;
}

static inline bool dsgps_get_attitude(const dsgps_parser *parser, dsgps_attitude *out) {
    const struct dsgps_parser_storage_ *const storage = dsgps_const_storage_(parser);
    // Before API 12, attitude shares its memory with other classes. DSGPS_ATT is returned only with ATTITUDE_SET.
    if (storage->kind != DSGPS_ATT) {
        return false;
    }
    const struct attitude_t *const attitude = &storage->data.attitude;
    dsgps_split_time_(&attitude->mtime, &out->time_seconds, &out->time_nanoseconds, &out->has_time);
    out->heading = attitude->heading;
    out->pitch = attitude->pitch;
    out->yaw = attitude->yaw;
    out->roll = attitude->roll;
    out->dip = attitude->dip;
    out->mag_len = attitude->mag_len;
    out->mag_x = attitude->mag_x;
    out->mag_y = attitude->mag_y;
    out->mag_z = attitude->mag_z;
    out->acc_len = attitude->acc_len;
    out->acc_x = attitude->acc_x;
    out->acc_y = attitude->acc_y;
    out->acc_z = attitude->acc_z;
    out->gyro_x = attitude->gyro_x;
    out->gyro_y = attitude->gyro_y;
#if GPSD_API_MAJOR_VERSION >= 12
    out->gyro_z = attitude->gyro_z;
#else
    out->gyro_z = (double)NAN;
#endif
#if GPSD_API_MAJOR_VERSION >= 14
    out->magnetic_heading = attitude->mheading;
#else
    out->magnetic_heading = (double)NAN;
#endif
    out->temp = attitude->temp;
    out->depth = attitude->depth;
    return true;
}

static inline bool dsgps_get_gst(const dsgps_parser *parser, dsgps_gst *out) {
    const struct dsgps_parser_storage_ *const storage = dsgps_const_storage_(parser);
    if (storage->kind != DSGPS_GST) {
        return false;
    }
    const struct gst_t *const gst = &storage->data.gst;
    dsgps_split_time_(&gst->utctime, &out->time_seconds, &out->time_nanoseconds, &out->has_time);
    out->rms = gst->rms_deviation;
    out->major = gst->smajor_deviation;
    out->minor = gst->sminor_deviation;
    out->orientation = gst->smajor_orientation;
    out->latitude = gst->lat_err_deviation;
    out->longitude = gst->lon_err_deviation;
    out->altitude = gst->alt_err_deviation;
    return true;
}

// The maximum number of satellites. A SKY with more is returned as DSGPS_NONE.
static inline int32_t dsgps_max_satellites(void) {
    return MAXCHANNELS;
}

// API major * 100 + minor of the header against which this was compiled.
static inline int32_t dsgps_api_version(void) {
    return GPSD_API_MAJOR_VERSION * 100 + GPSD_API_MINOR_VERSION;
}

#define DSGPS_QUOTE_(token) #token
#define DSGPS_VERSION_(major, minor) "libgps API " DSGPS_QUOTE_(major) "." DSGPS_QUOTE_(minor)

static inline const char *dsgps_version(void) {
    return DSGPS_VERSION_(GPSD_API_MAJOR_VERSION, GPSD_API_MINOR_VERSION);
}

#ifdef __cplusplus
}
#endif

#endif
