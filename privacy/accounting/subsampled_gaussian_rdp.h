#pragma once

#include "privacy/accounting/accountant.h"

namespace tacit::accounting {

// The Renyi differential privacy of one event at `order`, for add or remove one record, both directions
// (docs/privacy.md, "Renyi divergence of one step"; Mironov, Talwar and Zhang 2019, arXiv:1908.10530):
//
//   log E_{z ~ N(0, sigma^2)} [ (1 - q + q exp((2 z - 1) / (2 sigma^2)))^order ] / (order - 1)
//
// `order` >= 1.1 and finite, and the event's parameters in their ranges. Relative error below 1e-11, however small the
// value; where order > 1000 sigma a fractional order gets an upper bound instead. >= 0, maybe infinite, never NaN.
double SubsampledGaussianRdp(const PoissonSubsampledGaussian& event, double order);

}  // namespace tacit::accounting
