#include "core/models/registry.h"

#include <algorithm>
#include <array>

#include "core/models/residual_model.h"
#include "core/values/lab_error.h"

namespace lab::models {
namespace {

constexpr std::array kArchitectures{
    Architecture{"delta_net", "DeltaNet",
                 "A linear RNN: each head keeps a matrix of keys and values and corrects it with "
                 "every token; with eigenvalues down to -1 a token can swap what two keys hold.",
                 &makeDeltaMixer},
    Architecture{"transformer", "Transformer",
                 "Keeps every earlier token and attends to all of them; carries no state of fixed "
                 "size.",
                 &makeAttentionMixer},
    Architecture{
        "gla", "Gated linear attention",
        "A linear RNN: each head keeps a matrix and lets every key channel decay by a gate "
        "of its own; it forgets by choice but cannot swap.",
        &makeGlaMixer},
    Architecture{"mamba", "Mamba",
                 "A selective state space: every channel has a few decaying states whose time step "
                 "the token chooses.",
                 &makeMambaMixer},
    Architecture{"mamba2", "Mamba-2",
                 "A linear RNN: each head keeps a matrix that decays by one gate a token; keys and "
                 "queries are shared by all heads.",
                 &makeMamba2Mixer},
    Architecture{"lstm", "LSTM",
                 "A nonlinear RNN: a cell vector behind input, forget and output gates.",
                 &makeLstmMixer},
    Architecture{"gru", "GRU", "A nonlinear RNN: a state vector behind a reset and an update gate.",
                 &makeGruMixer},
    Architecture{"tanh_rnn", "tanh RNN",
                 "The plain nonlinear RNN: the state vector is mixed and squashed at every token.",
                 &makeTanhMixer},
    Architecture{
        "slstm", "sLSTM",
        "An LSTM with exponential gates: a token can be written so strongly that all before "
        "it fades, and the cell is read as a weighted mean.",
        &makeSlstmMixer},
};

}  // namespace

std::span<const Architecture> architectureTable() {
    return kArchitectures;
}

std::unique_ptr<SequenceModel> makeModel(const ModelConfig& config) {
    const auto row =
        std::ranges::find(kArchitectures, config.spec.architecture, &Architecture::key);
    if (row == kArchitectures.end()) {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               "there is no architecture \"" + config.spec.architecture + "\"");
    }
    return std::make_unique<ResidualModel>(config, row->mixer);
}

}  // namespace lab::models
