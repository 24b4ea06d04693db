// The table of one instruction set: included last by each isa_*.cpp.
#pragma once

#include "kernels/cpu/attention.inl"
#include "kernels/cpu/belief_filter.inl"
#include "kernels/cpu/delta_rule.inl"
#include "kernels/cpu/gemm.inl"
#include "kernels/cpu/linear_attention.inl"
#include "kernels/cpu/optimiser.inl"
#include "kernels/cpu/probes.inl"
#include "kernels/cpu/recurrent.inl"
#include "kernels/cpu/row_kernels.inl"
#include "kernels/cpu/selective_scan.inl"
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
    {&linearAttentionForwardItem<T, 0, 0>, &linearAttentionForwardItem<T, 16, 16>,
     &linearAttentionForwardItem<T, 32, 32>, &linearAttentionForwardItem<T, 64, 64>},
    {&linearAttentionBackwardItem<T, 0, 0>, &linearAttentionBackwardItem<T, 16, 16>,
     &linearAttentionBackwardItem<T, 32, 32>, &linearAttentionBackwardItem<T, 64, 64>},
    {&selectiveScanForwardItem<T, 0>, &selectiveScanForwardItem<T, 16>},
    {&selectiveScanBackwardItem<T, 0>, &selectiveScanBackwardItem<T, 16>},
    &attentionForwardItem<T>,
    &attentionBackwardItem<T>,
    &packPanel<T>,
    &gemmRows<T>,
    &sumColumns<T>,
    {&recurrentPack<T, LstmCell>, &recurrentPack<T, GruCell>, &recurrentPack<T, TanhCell>,
     &recurrentPack<T, SlstmCell>},
    {&recurrentForwardRows<T, LstmCell>, &recurrentForwardRows<T, GruCell>,
     &recurrentForwardRows<T, TanhCell>, &recurrentForwardRows<T, SlstmCell>},
    {&recurrentBackwardRows<T, LstmCell>, &recurrentBackwardRows<T, GruCell>,
     &recurrentBackwardRows<T, TanhCell>, &recurrentBackwardRows<T, SlstmCell>},
    &convForwardItem<T>,
    &convBackwardItem<T>,
    {&normForwardRows<T, false>, &normForwardRows<T, true>},
    {&normBackwardBlock<T, false>, &normBackwardBlock<T, true>},
    &gateForwardRows<T>,
    &gateBackwardRows<T>,
    &crossEntropyRows<T>,
    &adamwPiece<T>,
    &sumOfSquares<T>,
    &beliefForwardItem<T>,
    &beliefBackwardItem<T>,
    &probeFma<T>,
    &probeExp<T>,
    &probeCopy<T>,
};

}  // namespace
}  // namespace lab::kernels
