// The table of one instruction set: included last by each isa_*.cpp.
#pragma once

#include "kernels/cpu/delta_rule.inl"
#include "kernels/cpu/row_kernels.inl"
#include "kernels/cpu/short_conv.inl"

namespace lab::kernels {
namespace {

template <class T>
constexpr cpu::KernelTable<T> kTable{
    kLanes<T>,
    {&deltaForwardItem<T, 0, 0>, &deltaForwardItem<T, 16, 16>, &deltaForwardItem<T, 32, 32>,
     &deltaForwardItem<T, 64, 64>},
    {&deltaBackwardItem<T, 0, 0>, &deltaBackwardItem<T, 16, 16>, &deltaBackwardItem<T, 32, 32>,
     &deltaBackwardItem<T, 64, 64>},
    &convForwardItem<T>,
    &convBackwardItem<T>,
    &normForwardRows<T>,
    &normBackwardBlock<T>,
    &crossEntropyRows<T>,
};

}  // namespace
}  // namespace lab::kernels
