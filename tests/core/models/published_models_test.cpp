// Whole models with the weights of published implementations give their logits and gradients.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/models/sequence_model.h"
#include "tests/core/models/tensors.h"
#include "tests/core/models/variants.h"

namespace lab::testing {
namespace {

/// What the library calls a parameter of ours; the read-out is the embedding.
std::string publishedName(const std::string& ours) {
    static const std::map<std::string, std::string> kNames{{"in.weight", "in_proj.weight"},
                                                           {"conv.weight", "conv1d.weight"},
                                                           {"conv.bias", "conv1d.bias"},
                                                           {"select.weight", "x_proj.weight"},
                                                           {"delta.weight", "dt_proj.weight"},
                                                           {"log_a", "A_log"},
                                                           {"d", "D"},
                                                           {"out.weight", "out_proj.weight"},
                                                           {"norm.weight", "norm.weight"}};
    if (ours == "embed.weight" || ours == "readout.weight") {
        return "backbone.embeddings.weight";
    }
    if (ours == "final_norm.weight") {
        return "backbone.norm_f.weight";
    }
    const auto layer = ours.substr(6, ours.find('.', 6) - 6);  // block.N.
    const std::string rest = ours.substr(7 + layer.size());
    const std::string at = "backbone.layers." + layer + ".";
    return rest.starts_with("mixer.") ? at + "mixer." + kNames.at(rest.substr(6)) : at + rest;
}

struct Published {
    std::string folder;
    values::ModelSpec spec;
    int vocabulary;
    std::string deltaBias;  ///< the library's name of it
};

class PublishedModel : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedModel, GivesItsLogitsAndGradientsFromItsWeights) {
    const Published& published = GetParam();
    const Tensors weights = golden("models/" + published.folder + "/model");
    const Tensors reference = golden("models/" + published.folder + "/reference");
    const auto model = models::makeModel({.spec = published.spec,
                                          .inputs = published.vocabulary,
                                          .outputs = published.vocabulary,
                                          .doublePrecision = true});
    const auto nameOf = [&](const std::string& ours) {
        const std::string tail = ".mixer.delta.bias";
        return ours.ends_with(tail)
                   ? "backbone.layers." + ours.substr(6, ours.size() - 6 - tail.size()) +
                         ".mixer." + published.deltaBias
                   : publishedName(ours);
    };
    std::size_t used = 0;
    for (const models::Parameter& parameter : model->parameters()) {
        const c10::NoGradGuard noGrad;
        const at::Tensor value = weights.at(nameOf(parameter.name));
        at::Tensor(parameter.value).copy_(value.view(parameter.value.sizes()));
        used += parameter.name == "readout.weight" ? 0 : 1;
    }
    EXPECT_EQ(used, weights.size());

    const at::Tensor ids = reference.at("input_ids");
    const at::Tensor logits = model->forward(ids);
    EXPECT_LE(difference(logits, reference.at("f64.logits")), 1e-11);

    models::State state = model->initialState(ids.size(0));
    for (std::int64_t t = 0; t < ids.size(1); ++t) {
        const at::Tensor step = model->step(ids.select(1, t), state);
        EXPECT_LE(difference(step, reference.at("f64.logits").select(1, t)), 1e-11) << t;
    }

    const auto steps = ids.size(1);
    const at::Tensor loss = at::cross_entropy_loss(logits.narrow(1, 0, steps - 1).flatten(0, 1),
                                                   ids.narrow(1, 1, steps - 1).flatten());
    const auto gradients = torch::autograd::grad({loss}, valuesOf(*model));
    std::size_t compared = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        const std::string& name = model->parameters()[i].name;
        const auto expected = reference.find("grad." + nameOf(name));
        if (expected == reference.end() || name == "embed.weight" || name == "readout.weight") {
            continue;  // the tied gradient has both parts
        }
        ++compared;
        EXPECT_LE(difference(gradients[i], expected->second.view(gradients[i].sizes())), 2e-5)
            << name;  // the library's float32
    }
    EXPECT_GE(compared, 3U);
}

values::ModelSpec specOf(const char* architecture, int stateSize) {
    values::ModelSpec spec;
    spec.architecture = architecture;
    spec.width = 32;
    spec.layers = 3;
    spec.heads = 4;
    spec.stateSize = stateSize;
    return spec;
}

INSTANTIATE_TEST_SUITE_P(
    Of, PublishedModel,
    ::testing::Values(Published{"mamba_tied", specOf("mamba", 8), 61, "dt_proj.bias"},
                      Published{"mamba2_one_group_tied", specOf("mamba2", 16), 67, "dt_bias"}),
    [](const auto& each) { return each.param.folder; });

}  // namespace
}  // namespace lab::testing
