#include "app/headless/spec_options.h"

#include <charconv>

#include "app/headless/command.h"
#include "app/headless/text_io.h"
#include "core/catalog.h"
#include "core/files.h"
#include "core/runs.h"

namespace lab::headless {

std::shared_ptr<SpecOptions> addSpecOptions(CLI::App& command) {
    auto options = std::make_shared<SpecOptions>();
    CLI::Option* const file =
        command.add_option("spec", options->file, "An experiment; - reads standard input")
            ->type_name("SPEC.toml");
    command.add_option("--preset", options->preset, "A preset experiment instead of a file")
        ->type_name("NAME")
        ->excludes(file);
    command.add_option("--seed", options->seed, "Seed of the experiment");
    command
        .add_option("--set", options->settings,
                    "Change one field, e.g. training.steps=100 or model[1].width=32; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    return options;
}

values::ExperimentSpec specFrom(const SpecOptions& options) {
    if (!options.preset.empty()) {
        return changed(failingWith(ExitCode::kUsage, [&] { return preset(options.preset); }),
                       options);
    }
    if (options.file.empty()) {
        throw Failure(ExitCode::kUsage, "name an experiment file or a --preset");
    }
    const std::string text = readInput(options.file);
    const std::string name = nameOfInput(options.file);
    values::ExperimentSpec spec =
        failingWith(ExitCode::kRefused, [&] { return fromToml(text, name); });
    for (const std::string& line : unknownKeysIn(text, name)) {
        say("warning: " + line);
    }
    return changed(std::move(spec), options);
}

values::ExperimentSpec changed(values::ExperimentSpec spec, const SpecOptions& options) {
    if (options.seed) {
        spec.seed = *options.seed;
    }
    for (const std::string& setting : options.settings) {
        spec = failingWith(ExitCode::kUsage, [&] { return withSetting(spec, setting); });
    }
    return spec;
}

values::TraceLength lengthFrom(const std::string& text) {
    values::TraceLength length{0, 1};
    const char* const end = text.data() + text.size();
    auto result = std::from_chars(text.data(), end, length.commands);
    if (result.ec == std::errc() && result.ptr != end && *result.ptr == ',') {
        result = std::from_chars(result.ptr + 1, end, length.spacing);
    }
    if (result.ec != std::errc() || result.ptr != end || length.commands < 1 ||
        length.spacing < 1 || length.spacing > length.commands || length.commands > 100'000) {
        throw Failure(ExitCode::kUsage, "--length is " + text +
                                            ", must be COMMANDS,SPACING such as 32,4 with a "
                                            "spacing of at most the commands");
    }
    return length;
}

std::string nameOf(values::TraceLength length) {
    return std::to_string(length.commands) + "," + std::to_string(length.spacing);
}

void addStoreOption(CLI::App& command, std::string& store) {
    command.add_option("--store", store, "Folder of recorded runs instead of the default")
        ->type_name("DIR");
}

std::string storeFrom(const std::string& store) {
    return store.empty() ? defaultStore().string() : store;
}

}  // namespace lab::headless
