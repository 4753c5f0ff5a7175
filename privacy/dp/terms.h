#pragma once

#include "core/federation/privacy_terms.h"

namespace tacit::dp {
using Terms = PrivacyTerms;
using tacit::NeighbouringRelation;
}  // namespace tacit::dp
