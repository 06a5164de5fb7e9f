// SPDX-License-Identifier: Apache-2.0

// The files of the dashboard's page, linked into the program as constants.
#ifndef DASHBOARD_PAGE_H
#define DASHBOARD_PAGE_H

typedef struct {
    // The name in the URL, and the media type.
    const char *name;
    const char *type;
    const unsigned char *start;
    const unsigned char *end;
} DashboardPageFile;

long DashboardPage_count(void);
const DashboardPageFile *DashboardPage_files(void);

#endif
