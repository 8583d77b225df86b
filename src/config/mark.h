#pragma once

#include "mcsteady/config/tls_use.h"
