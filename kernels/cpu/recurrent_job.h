// One call of an LSTM, GRU or tanh RNN as the ISA files see it.
#pragma once

#include "kernels/cpu/strided.h"

namespace lab::kernels::cpu {

/// Rows are padded to whole vectors of units: width. A field is null where its argument is absent.
template <class T>
struct RecurrentJob {
    std::int64_t batch, steps;
    int hidden, width;
    const T* pre;
    const T* r;
    const T* bias;
    const T* initialH;
    const T* initialCell[3];
    T* h;
    T* finalH;
    T* finalCell[3];
    T* saved;    ///< [B,T,kSaved,width]; see RecurrentCell
    T* panels;   ///< R: forward [block of units][d][G] vectors, backward as a GEMM's B
    T* hidden2;  ///< [2,B,width]: h before and after a step; backward: dh, twice
    T* cell;     ///< [cells,B,width]: c (n m); backward: their gradients
    // backward
    const T* savedH;
    const T* gradH;
    const T* gradFinalH;
    const T* gradFinalCell[2];
    T* gradPre;
    T* gradRec;  ///< [B,T,G d]: of R h + b; gradPre itself unless the cell is a GRU
    T* gradInitialH;
    T* gradInitialCell[2];
};

}  // namespace lab::kernels::cpu
